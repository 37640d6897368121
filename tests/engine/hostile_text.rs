//! Untrusted text on its way to a terminal and into the log of a build: escape sequences, secrets, files that a
//! definition only names.

use std::fs;
use std::os::unix::fs::symlink;

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// Sets the title, clears the screen, colours, changes the writing direction, hides.
const EVIL: &str = "e\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{7f}\u{1b}[35m\u{e0041}x\rz";

/// The part of it that a property can contain: everything that XML allows.
const LEGAL: &str = "e\u{9b}31m\u{202e}\u{7f}\u{e0041}x\rz";

/// Returns the first character that a terminal could interpret.
fn obeyed(text: &str) -> Option<char> {
    let harmless = |character: &char| matches!(character, '\n' | '\t');
    let marks = |character: &char| {
        matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}')
    };
    text.chars().find(|character| (character.is_control() && !harmless(character)) || marks(character))
}

/// The text without colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let code = part.find(|character: char| !character.is_ascii_digit() && character != ';').unwrap_or(part.len());
        match part[code..].strip_prefix('m') {
            Some(rest) => text + rest,
            None => text + "\u{1b}[" + part,
        }
    })
}

fn check(what: &str, ran: &Ran) {
    let text = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(obeyed(&text), None, "{what}: {text:?}");
}

/// A coordinator and a workflow whose names, messages and values are hostile; the workflow runs to its end. Returns
/// their ids.
fn hostile_jobs(sandbox: &Sandbox) -> (String, String) {
    Coordinator::default().write(sandbox);
    let coordinator = sandbox.read("app/coordinator.xml").replace("name=\"test\"", "name=\"c${evil}\"");
    sandbox.write("app/coordinator.xml", &coordinator);
    let shell = "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>sh</exec><argument>-c</argument>\
        <argument>printf 'k=\\033]0;pwned\\007\\033[2J\\033[35m%s\\n' \"$1\"; \
        printf '\\033]0;pwned\\007\\033[2J%s\\n' \"$1\" 1&gt;&amp;2; exit ${code}</argument>\
        <argument>sh</argument><argument>${evil}</argument><capture-output/></shell>";
    sandbox.write(
        "wf/workflow.xml",
        &format!(
            "<workflow-app xmlns=\"uri:oozie:workflow:0.5\" name=\"w${{evil}}\"><start to=\"good\"/>
             <action name=\"good\">{}<ok to=\"bad\"/><error to=\"kill\"/></action>
             <action name=\"bad\">{}<ok to=\"end\"/><error to=\"kill\"/></action>
             <kill name=\"kill\"><message>m${{evil}}${{wf:errorMessage('bad')}}</message></kill>\
             <end name=\"end\"/></workflow-app>",
            shell.replace("${code}", "0"),
            shell.replace("${code}", "3"),
        ),
    );
    let job = sandbox.submit(NOW, &[("evil", LEGAL)]);
    sandbox.howdah(["tick"]).at(NOW).run();
    let submit = sandbox.howdah(["submit"]).at(NOW).define("evil", LEGAL);
    let workflow = submit.define("oozie.wf.application.path", &sandbox.text("wf")).succeed().job();
    sandbox.await_quiet();
    // Texts that submission refuses now may be in the database from an earlier version.
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    for change in [
        "UPDATE coordinator_job SET name = name || ?1",
        "UPDATE workflow_job SET name = name || ?1, error_message = error_message || ?1",
        "UPDATE workflow_node SET error_message = error_message || ?1",
    ] {
        assert!(connection.execute(change, [EVIL]).expect("a column") > 0, "{change}");
    }
    (job, workflow)
}

#[test]
#[allow(clippy::too_many_lines, reason = "one line for each verb")]
fn hostile_texts_reach_no_terminal_through_any_verb() {
    let sandbox = Sandbox::new();
    let (job, workflow) = hostile_jobs(&sandbox);
    let odd = format!("{EVIL}.xml");
    fs::write(sandbox.path("app").join(&odd), format!("<workflow-app name='{}'><b>", "\u{9b}31m\u{202e}")).unwrap();
    let action = format!("{job}@1");
    let node = format!("{workflow}@bad");
    let app = sandbox.text("app");
    let define = format!("evil={LEGAL}");
    let refused = format!("evil={EVIL}");
    let path = format!("oozie.coord.application.path={app}");
    let root = format!("sandbox={}", sandbox.text(""));
    let properties = ["-D", &define, "-D", &path, "-D", &root];
    let with = |words: &[&'static str]| -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).chain(properties.map(str::to_owned)).collect()
    };
    let given = |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
    let mut lines = vec![
        given(&["info", &job]),
        given(&["info", &action]),
        given(&["info", &workflow]),
        given(&["info", &node]),
        given(&["explain", &job]),
        given(&["explain", &action]),
        given(&["explain", &workflow]),
        given(&["explain", &node]),
        given(&["log", "--audit", &job]),
        given(&["log", "--audit", &workflow]),
        given(&["jobs"]),
        given(&["jobs", "--jobtype", "wf"]),
        given(&["jobs", "--filter", &format!("name={EVIL}")]),
        given(&["info", EVIL]),
        given(&["kill", EVIL]),
        given(&["change", &job, "--value", &format!("concurrency={EVIL}")]),
        given(&["rerun", &job, "--action", "1", "--dry-run"]),
        given(&["next", EVIL]),
        given(&["eval", &format!("${{concat('{EVIL}', 'x')}}")]),
        given(&["time", EVIL]),
        given(&[EVIL]),
        given(&["poll", &workflow]),
        given(&["submit", "-D", &refused, "-D", &path, "-D", &root]),
        with(&["dryrun"]),
        with(&["dryrun", "--json"]),
        with(&["validate"]),
        given(&["run", "-D", &define, "-D", &format!("oozie.wf.application.path={}", sandbox.text("wf"))]),
        given(&["db", "check"]),
        given(&["tick"]),
    ];
    for format in ["human", "json", "sarif", "github", "junit"] {
        lines.push(given(&["validate", &app, "--format", format]));
    }
    let mut texts = 0;
    for line in &lines {
        for more in [&[] as &[&str], &["--json"], &["--quiet"]] {
            // A program gets the value itself.
            if line[0] == "eval" && more == ["--quiet"] {
                continue;
            }
            let ran = sandbox.howdah(line.iter().map(String::as_str)).at(NOW).with_all(more).run();
            check(&format!("{line:?} {more:?}"), &ran);
            texts += ran.stdout.len() + ran.stderr.len();
        }
        let ran = sandbox.howdah(line.iter().map(String::as_str)).at(NOW).env("CLICOLOR_FORCE", "1").run();
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains("\u{1b}[35m"), "{line:?}: {text:?}");
            assert_eq!(obeyed(&without_colours(text)), None, "{line:?}: {text:?}");
        }
    }
    assert!(texts > 20_000, "{texts} bytes were printed");
    // What the command wrote is copied as it is where no terminal shows it.
    let log = sandbox.howdah(["log", &workflow]).at(NOW).succeed().stdout;
    assert!(log.contains(&format!("\u{1b}]0;pwned\u{7}\u{1b}[2J{LEGAL}")), "{log:?}");
    let explained = sandbox.howdah(["explain", &workflow]).at(NOW).succeed().stdout;
    assert!(explained.contains("\\x1b]0;pwned\\x07\\x1b[2Je\\x9b31m\\u{202e}\\x7f"), "{explained}");
}

/// A character that XML cannot contain is refused where it was written, by every command that takes properties, and
/// nothing is stored; so no tick ever reads it.
#[test]
fn what_no_configuration_can_hold_is_refused_where_it_was_written() {
    let sandbox = Sandbox::new();
    Coordinator { properties: &[("v", "${v}")], ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[("v", "1")]);
    let [app, root] = [sandbox.text("app"), sandbox.text("")];
    let [coordinator, alone] = ["coord", "wf"].map(|kind| format!("oozie.{kind}.application.path={app}"));
    let rooted = format!("sandbox={root}");
    let ended = sandbox.howdah(["run", "-D", &alone, "-D", &rooted, "-D", "nominal=1"]).at(NOW).succeed().job();
    let escaped = format!("{coordinator}\nsandbox={root}\nv=x\\u0001y\n");
    sandbox.write("escaped.properties", &escaped);
    sandbox.write("raw.properties", &escaped.replace("\\u0001", "\u{1b}"));
    sandbox
        .write("conf.xml", "<configuration><property><name>v</name><value>x&#1;y</value></property></configuration>");
    sandbox.await_quiet();
    let jobs = sandbox.howdah(["jobs", "--json"]).at(NOW).succeed().stdout;
    let given = [
        (&["-c", "escaped.properties"] as &[&str], "escaped.properties:3:3"),
        (&["-c", "raw.properties"], "raw.properties:3:3"),
        (&["-D", &coordinator, "-D", &rooted, "-D", "v=x\u{1}y"], "-D:1:3"),
        (&["-D", &coordinator, "-D", &rooted, "-D", "v\u{7}w=1"], "-D:1:1"),
        (&["-c", "conf.xml", "-D", &coordinator, "-D", &rooted], "conf.xml:1:"),
    ];
    for (words, place) in given {
        let verbs = [&["validate"] as &[&str], &["dryrun"], &["submit"], &["run"], &["update", &job]];
        let reruns = [&["rerun", &job, "--action", "1", "--yes"] as &[&str], &["rerun", &ended]];
        for verb in verbs.into_iter().chain(reruns) {
            let ran = sandbox.howdah(verb.iter().chain(words).copied()).at(NOW).run();
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.status, Some(1), "{verb:?} {words:?}: {ran:?}");
            assert!(told.contains("error[E0700]") && told.contains(place), "{verb:?} {words:?}: {ran:?}");
            assert!(told.contains("help: "), "{verb:?} {words:?}: {ran:?}");
        }
    }
    assert_eq!(sandbox.howdah(["jobs", "--json"]).at(NOW).succeed().stdout, jobs, "nothing was stored");
    sandbox.tick_through(NOW);
    assert!(sandbox.database().actions().starts_with("1 SUCCEEDED"), "{}", sandbox.database().actions());
}

const SECRET: &str = "SECRET_TOKEN=f00ba4";

fn coordinator_with(include: &str) -> String {
    format!(
        "<coordinator-app xmlns=\"uri:oozie:coordinator:0.4\" name=\"c\" frequency=\"60\" start=\"2010-01-01T00:00Z\"
         end=\"2010-01-01T02:00Z\" timezone=\"UTC\"><datasets><include>{include}</include></datasets>
         <action><workflow><app-path>/x</app-path></workflow></action></coordinator-app>"
    )
}

/// The lines of a file are not shown because a definition names it or a link points to it.
#[test]
fn lines_of_files_that_were_not_named_are_not_shown() {
    let sandbox = Sandbox::new();
    let secret = sandbox.write("outside/secret", &format!("{SECRET}\n<a>\n"));
    sandbox.write("app/job.properties", &format!("oozie.coord.application.path={}\n", sandbox.text("app")));
    symlink(&secret, sandbox.path("app/bundle.xml")).unwrap();
    symlink(&secret, sandbox.path("app/link.properties")).unwrap();
    symlink(&secret, sandbox.path("app/datasets.xml")).unwrap();
    let [app, properties, link, bundle, definition] =
        ["app", "app/job.properties", "app/link.properties", "app/bundle.xml", "app/coordinator.xml"]
            .map(|path| sandbox.text(path));
    let outside = secret.display().to_string();
    for include in [outside.clone(), format!("file://{outside}"), sandbox.text("app/datasets.xml")] {
        sandbox.write("app/coordinator.xml", &coordinator_with(&include));
        for line in [
            &["validate", &app] as &[&str],
            &["validate", &definition],
            &["validate", "-c", &properties],
            &["validate", "-c", &properties, &definition],
            &["dryrun", "-c", &properties],
            &["submit", "-c", &properties],
            &["run", "-c", &properties],
        ] {
            let ran = sandbox.howdah(line.iter().copied()).at(NOW).env("SECRET_TOKEN", "f00ba4").run();
            assert_eq!(ran.status, Some(1), "{line:?}: {ran:?}");
            assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("f00ba4"), "{line:?}: {ran:?}");
            assert!(ran.stderr.contains("error["), "{line:?}: {ran:?}");
        }
    }
    for line in [&["validate", &bundle] as &[&str], &["validate", &link], &["submit", "-c", &link]] {
        let ran = sandbox.howdah(line.iter().copied()).at(NOW).run();
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("f00ba4"), "{line:?}: {ran:?}");
    }
    // The lines of named files, and of definitions below their folder, are shown.
    sandbox.write("app/coordinator.xml", &coordinator_with("/nowhere").replace("frequency", "frequenzy"));
    for line in [&["validate", &app] as &[&str], &["validate", &definition], &["submit", "-c", &properties]] {
        let ran = sandbox.howdah(line.iter().copied()).at(NOW).run();
        assert!(ran.stderr.contains("frequenzy=\"60\" start"), "{line:?}: {ran:?}");
    }
}

#[test]
fn credentials_of_urls_are_not_shown() {
    let sandbox = Sandbox::new();
    Coordinator { properties: &[("oozie.wf.workflow.notification.url", "${url}")], ..Coordinator::default() }
        .write(&sandbox);
    sandbox.write(
        "app/workflow.xml",
        "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='end'/><end name='end'/></workflow-app>",
    );
    let url = "http://ann:hunter2@127.0.0.1:9/done?id=$jobId&token=hunter2";
    let job = sandbox.submit(NOW, &[("oozie.coord.action.notification.url", url), ("url", url)]);
    sandbox.tick_through(NOW);
    let workflow = sandbox.database().value("SELECT min(id) FROM workflow_job");
    let stored = sandbox.database().value("SELECT count(*) FROM coordinator_notification WHERE url LIKE '%hunter2%'");
    assert_eq!(stored, "1", "it is needed for the delivery");
    let define = format!("url={url}");
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let root = format!("sandbox={}", sandbox.text(""));
    let mut shown = String::new();
    for line in [
        &["info", &job] as &[&str],
        &["info", &job, "--json"],
        &["info", &workflow],
        &["info", &workflow, "--json"],
        &["info", &job, "--configcontent"],
        &["info", &workflow, "--configcontent"],
        &["explain", &job],
        &["explain", &workflow, "--json"],
        &["log", "--audit", &job],
        &["log", "--audit", &workflow, "--json"],
        &["dryrun", "-D", &define, "-D", &path, "-D", &root],
        &["dryrun", "--json", "-D", &define, "-D", &path, "-D", &root],
        &["update", &job, "-D", &define, "-D", "url=http://ann:hunter2@host/", "--dry-run"],
        &["courier"],
    ] {
        let ran = sandbox.howdah(line.iter().copied()).at(NOW).run();
        let text = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!text.contains("hunter2"), "{line:?}: {text}");
        shown += &text;
    }
    assert!(shown.contains("http://ann:*******@127.0.0.1:9/done?id="), "{shown}");
}

/// Every command, the processes during a delivery, the error of one that is given up, and the files beside the
/// database.
#[test]
#[allow(clippy::too_many_lines, reason = "one line for each verb")]
fn credentials_of_notifications_are_shown_by_no_verb_process_or_log() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "exit 3", "end")]);
    // The kernel accepts connections, and no process responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let url = format!("http://ann:hunter2@127.0.0.1:{port}/done?id=$actionId&token=hunter2");
    let names = ["oozie.coord.action.notification.url", "oozie.wf.workflow.notification.url", "free"];
    let job = sandbox.submit(NOW, &names.map(|name| (name, url.as_str())));
    sandbox.tick(NOW);
    let looks = wait_for("a courier at work", || {
        let courier = sandbox.process("howdah courier")?;
        let seen = sandbox.processes().into_iter().map(|pid| {
            let part = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            [part("cmdline"), part("environ")].concat()
        });
        Some((courier, seen.collect::<Vec<_>>().concat()))
    });
    drop(silent);
    assert!(!String::from_utf8_lossy(&looks.1).contains("hunter2"), "{:?}", String::from_utf8_lossy(&looks.1));
    sandbox.await_quiet();
    let workflow = sandbox.database().value("SELECT min(id) FROM workflow_job");
    let mut shown = String::new();
    let mut verbs = 0;
    let mut look = |line: &[&str], now: &str| {
        let ran = sandbox.howdah(line.iter().copied()).at(now).run();
        let text = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!text.contains("hunter2"), "{line:?}: {text}");
        verbs += 1;
        text
    };
    // Four tries, a minute apart; then it is given up.
    for minute in 1..8 {
        shown += &look(&["courier"], &format!("2010-01-01T00:{:02}Z", 5 * minute));
    }
    shown += &look(&["tick"], "2010-01-01T00:50Z");
    assert!(shown.contains("H0160") && shown.contains("ann:*******@"), "{shown}");
    let [action, node, define] = [format!("{job}@1"), format!("{workflow}@one"), format!("free={url}")];
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let told = format!("oozie.coord.action.notification.url={url}");
    let root = format!("sandbox={}", sandbox.text(""));
    let given = ["-D", &path, "-D", &told, "-D", &define, "-D", &root];
    let with = |words: &[&'static str]| words.iter().copied().chain(given).map(str::to_owned).collect::<Vec<_>>();
    let mut lines = vec![
        with(&["validate"]),
        with(&["dryrun"]),
        with(&["submit"]),
        with(&["run"]),
        [vec!["update".to_owned(), job.clone(), "--dry-run".to_owned()], with(&[])].concat(),
        [vec!["rerun".to_owned(), action.clone(), "--dry-run".to_owned()], with(&[])].concat(),
    ];
    let ids = [&job, &action, &workflow, &node];
    for verb in ["info", "explain", "log", "poll", "suspend", "resume", "kill", "ignore", "sla"] {
        lines.extend(ids.map(|id| vec![verb.to_owned(), id.clone()]));
    }
    let words = |line: &[&str]| line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for id in ids {
        lines.push(words(&["log", "--audit", id]));
        for part in ["--configuration", "--definition", "--configcontent", "--allruns"] {
            lines.push(words(&["info", part, id]));
        }
    }
    lines.extend([
        words(&["jobs"]),
        words(&["jobs", "--jobtype", "wf"]),
        words(&["change", &job, "--value", "concurrency=2"]),
        words(&["rerun", &workflow, "-D", &define]),
        words(&["db", "check"]),
        words(&["eval", "${free}", "-D", &define]),
        words(&["next", "${free}", "-D", &define]),
        words(&["tick"]),
        words(&["courier"]),
    ]);
    for line in &lines {
        for more in [&[] as &[&str], &["--json"]] {
            let line: Vec<&str> = line.iter().map(String::as_str).chain(more.iter().copied()).collect();
            look(&line, "2010-01-01T00:50Z");
        }
    }
    println!("{verbs} commands showed no credential");
    sandbox.await_quiet();
    for suffix in [".runner.log", ".courier.log"] {
        let text = fs::read(sandbox.beside_database(suffix)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("hunter2"), "{suffix}");
    }
}
