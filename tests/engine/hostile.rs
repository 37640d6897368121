//! Hostile input: quotes, commands, newlines, bytes that are not text, very long texts, paths that leave their folder.
//! A shell never reads any of it, unless the definition runs that shell.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use howdah_sandbox::application::{action, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// Texts that a shell, a printf, a path or a properties file would change. None starts or ends with a blank, because
/// the reader of definitions removes those.
const HOSTILE: [&str; 12] = [
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "a|touch pwned&",
    "it's \"quoted\" \\ twice",
    "two\nlines\n$(touch pwned)",
    "-n",
    "*",
    "~",
    "%s%n${HOME} $HOME \\${x}",
    "\u{2028}\u{202e}\u{e9}\u{1f418}",
    "<b>&amp;]]></b>",
];

/// Returns the text as the content of an element; what looks like an expression stays text.
fn xml(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace("\\${", "${'\\\\$'}{").replace("%n${", "%n\\${").replace('\n', "&#10;")
}

/// A shell action that runs a script of the definition with additional elements.
fn script(line: &str, elements: &str) -> String {
    let (line, sh) = (xml(line), "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>sh</exec><argument>-c</argument>");
    format!("{sh}<argument>{line}</argument><argument>sh</argument>{elements}</shell>")
}

/// Submits the workflow of one action and waits for its end; returns the status of its node, the code and the message.
fn run(sandbox: &Sandbox, body: &str) -> String {
    workflow(sandbox, "app", "node", &[action("node", body, "end", "")]);
    run_again(sandbox, &[])
}

fn run_again(sandbox: &Sandbox, properties: &[(&str, &str)]) -> String {
    let job = sandbox.submit(NOW, properties);
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    let found = std::process::Command::new("find").arg(sandbox.path("")).args(["-name", "pwned"]).output();
    assert_eq!(found.expect("find runs").stdout, b"", "a shell read it as a command");
    database.value(&format!(
        "SELECT n.status || ' ' || ifnull(n.error_code, '') || ' ' || ifnull(n.error_message, '') FROM workflow_node n
         JOIN workflow_job w USING (job) WHERE id = '{job}' AND n.name = 'node'"
    ))
}

#[test]
fn arguments_and_variables_arrive_as_they_are() {
    let sandbox = Sandbox::new();
    let argument = |text: &&str| format!("<argument>{}</argument>", xml(text));
    let arguments = HOSTILE.iter().map(argument).collect::<Vec<_>>().concat();
    let variable = |(n, text): (usize, &&str)| format!("<env-var>V{n}={}</env-var>", xml(text));
    let variables = HOSTILE.iter().enumerate().map(variable).collect::<Vec<_>>().concat();
    let out = sandbox.text("");
    let line = format!("printf '%s\\0' \"$@\" > {out}/arguments; env -0 > {out}/environment; ls -a > {out}/names");
    assert_eq!(run(&sandbox, &script(&line, &format!("{arguments}{variables}"))), "OK  ");
    let arguments = sandbox.read("arguments");
    assert_eq!(arguments.split_terminator('\0').collect::<Vec<_>>(), HOSTILE);
    let environment = sandbox.read("environment");
    let environment: Vec<&str> = environment.split('\0').collect();
    for (n, text) in HOSTILE.iter().enumerate() {
        assert!(environment.contains(&format!("V{n}={text}").as_str()), "{text:?}: {environment:?}");
    }
    assert_eq!(sandbox.read("names"), ".\n..\naction.xml\n", "nothing else came into being");
    // A shell would drop a variable with such a name; the command itself gets it.
    let body =
        "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>env</exec><env-var>a b$(touch pwned)=odd</env-var></shell>";
    assert_eq!(run(&sandbox, body), "OK  ");
    let id = sandbox.database().value("SELECT id FROM workflow_job ORDER BY job DESC LIMIT 1");
    let log = sandbox.howdah(["log"]).with(id).succeed().stdout;
    assert!(log.contains("a b$(touch pwned)=odd\n"), "{log}");
}

#[test]
fn properties_arrive_as_they_are_and_are_no_expressions() {
    let sandbox = Sandbox::new();
    let line = format!("printf '%s' \"$1\" > {}/told", sandbox.text(""));
    workflow(
        &sandbox,
        "app",
        "node",
        &[action("node", &script(&line, "<argument>${wf:conf('x')}</argument>"), "end", "")],
    );
    for text in ["$(touch pwned)", "'\"`;&|<>", "<b>&lt;</b>", "#{x} \\u0041"] {
        assert_eq!(run_again(&sandbox, &[("x", text)]), "OK  ", "{text}");
        assert_eq!(sandbox.read("told"), text);
    }
}

#[test]
fn a_zero_byte_is_no_xml() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "node", &[action("node", &script("true", "<argument>a&#0;b</argument>"), "end", "")]);
    let ran = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app")).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("error[E0700]"), "{ran:?}");
}

#[test]
fn what_is_too_long_for_the_system_is_an_error_of_the_node() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(1 << 20);
    let file = sandbox.write("job.properties", &format!("long={long}\n"));
    sandbox.write("app/f", "");
    for element in ["<argument>${long}</argument>", "<env-var>A=${long}</env-var>", "<file>f#${long}</file>"] {
        workflow(&sandbox, "app", "node", &[action("node", &script("true", element), "end", "")]);
        let howdah = sandbox.howdah(["submit", "-c"]).with(&file).at(NOW);
        howdah.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
        sandbox.await_quiet();
        let error = sandbox.database().value(
            "SELECT n.status || ' ' || n.error_code || ' ' || n.error_message FROM workflow_node n JOIN workflow_job w \
             USING (job)
             WHERE n.name = 'node' ORDER BY w.job DESC LIMIT 1",
        );
        assert!(error.starts_with("ERROR JA018 ") && error.contains("too long"), "{element}: {error}");
        assert!(error.len() < 600, "{element}: {error}");
        assert!(element.starts_with("<file>") || error.contains("the longest of them 10485"), "{element}: {error}");
    }
}

#[test]
fn file_names_are_taken_literally_and_stay_in_the_working_folder() {
    let sandbox = Sandbox::new();
    let name = "it's $(touch pwned); \"x\"\n*";
    sandbox.write(&format!("app/{name}"), "content");
    let line = format!("cat \"$1\" > {}/told", sandbox.text(""));
    let file = |item: &str| format!("<argument>{}</argument><file>{}</file>", xml(name), xml(item));
    assert_eq!(run(&sandbox, &script(&line, &file(name))), "OK  ");
    assert_eq!(sandbox.read("told"), "content");
    for item in ["f#../up", "f#a/b", "f#..", "f#.", "f#", "..", "f#action.xml"] {
        let told = run(&sandbox, &script(&line, &file(item)));
        assert!(told.starts_with("ERROR IllegalArgumentException file ["), "{item}: {told}");
    }
}

#[test]
fn what_is_shipped_under_the_name_of_a_written_file_stays_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("app/lib/action.xml", "the user's");
    let line = format!("grep -c configuration action.xml > {}", sandbox.text("told"));
    assert_eq!(run(&sandbox, &script(&line, "")), "OK  ");
    assert_ne!(sandbox.read("told").trim(), "0");
    assert_eq!(sandbox.read("app/lib/action.xml"), "the user's");
    sandbox.write("app/pig.properties", "a=b\n");
    sandbox.write("app/query.pig", "");
    let pig = sandbox.write("pig", &format!("#!/bin/sh\ncat pig.properties > {}\n", sandbox.text("told")));
    fs::set_permissions(&pig, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("an own file");
    sandbox.write("howdah.site.properties", &format!("howdah.command.pig={}\n", sandbox.text("pig")));
    let body = "<pig><script>query.pig</script><file>pig.properties</file></pig>";
    workflow(&sandbox, "app", "node", &[action("node", body, "end", "")]);
    let submit = sandbox.howdah(["submit", "--site", &sandbox.text("howdah.site.properties")]).at(NOW);
    submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
    sandbox.await_quiet();
    assert_eq!([sandbox.read("told"), sandbox.read("app/pig.properties")], ["a=b\n", "a=b\n"]);
}

#[test]
fn a_pipe_that_is_shipped_or_unpacked_blocks_nothing() {
    let sandbox = Sandbox::new();
    for name in ["pipe.sh", "pipe.zip"] {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let at = sandbox.path("app").join(name);
        fs::create_dir_all(sandbox.path("app")).expect("a folder");
        rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
    }
    for body in ["<exec>pipe.sh</exec><file>pipe.sh</file>", "<exec>true</exec><archive>pipe.zip</archive>"] {
        let told = run(&sandbox, &format!("<shell xmlns=\"uri:oozie:shell-action:0.3\">{body}</shell>"));
        assert!(told.starts_with("ERROR JA018 ") && told.contains("no regular file"), "{body}: {told}");
    }
}

#[test]
fn a_name_that_is_no_text_is_refused_and_breaks_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("app/lib/tool.sh", "");
    fs::write(sandbox.path("app/lib").join(OsStr::from_bytes(b"caf\xe9.jar")), "").expect("the system takes any bytes");
    let told = run(&sandbox, &script("true", ""));
    assert!(told.starts_with("ERROR IllegalArgumentException [") && told.contains("not UTF-8; rename it"), "{told}");
    // A pattern matches such names too, and they can be deleted.
    fs::create_dir(sandbox.path("data")).expect("a folder");
    fs::write(sandbox.path("data").join(OsStr::from_bytes(b"caf\xe9")), "").expect("any bytes");
    assert_eq!(run(&sandbox, &format!("<fs><delete path=\"{}/*\"/></fs>", sandbox.text("data"))), "OK  ");
    assert_eq!(fs::read_dir(sandbox.path("data")).expect("it is there").count(), 0);
}

#[test]
fn captured_output_is_bounded_and_may_be_anything() {
    let sandbox = Sandbox::new();
    let capture = "<capture-output/>";
    let exactly = |bytes: usize| format!("printf 'k=%0{}d' 7", bytes - 2);
    assert_eq!(run(&sandbox, &script(&exactly(2048), capture)), "OK  ");
    let told = run(&sandbox, &script(&exactly(2049), capture));
    assert_eq!(told, "ERROR JA018 output.properties data exceeds its limit [2048]");
    // The command succeeded, and its log says why the node did not.
    let node = sandbox.database().value("SELECT max(id) FROM workflow_job") + "@node";
    let log = sandbox.howdah(["log", &node]).succeed().stdout;
    let last =
        format!("<== {node} attempt 1: exit status 0, but JA018: output.properties data exceeds its limit [2048]");
    assert_eq!(log.lines().last(), Some(last.as_str()));
    let told = run(&sandbox, &script("yes k=v | head -c 3000000", capture));
    assert_eq!(told, "ERROR JA018 output.properties data exceeds its limit [2048]");
    // Too much output has no effect where it is not captured.
    assert_eq!(run(&sandbox, &script("yes k=v | head -c 3000000", "")), "OK  ");
    for (line, data) in [
        ("printf 'a=$(touch pwned)\\nb=`x`;\\n'", r#"{"a":"$(touch pwned)","b":"`x`;"}"#),
        ("printf 'a=\\377\\n'", "{\"a\":\"\u{fffd}\"}"),
        ("printf 'a=x\\000y\\n'", r#"{"a":"x\u0000y"}"#),
        ("printf 'no value\\n=empty name\\n'", r#"{"":"empty name","no":"value"}"#),
    ] {
        let told = run(&sandbox, &script(line, capture));
        let stored = sandbox.database().value(
            "SELECT ifnull(n.data, '-') FROM workflow_node n JOIN workflow_job w USING (job)
             WHERE n.name = 'node' ORDER BY w.job DESC LIMIT 1",
        );
        assert_eq!((told.as_str(), stored.as_str()), ("OK  ", data), "{line}");
    }
    let told = run(&sandbox, &script("printf 'a=\\\\u12\\n'", capture));
    assert!(told.starts_with("ERROR "), "{told}");
}

#[test]
fn paths_of_fs_are_no_commands_and_lead_nowhere_else() {
    let sandbox = Sandbox::new();
    let folder = "it's $(touch pwned) & \"x\"";
    let path = |relative: &str| xml(&sandbox.text(relative));
    assert_eq!(run(&sandbox, &format!("<fs><mkdir path=\"{}/in\"/></fs>", path(folder))), "OK  ");
    assert!(sandbox.path(folder).join("in").is_dir());
    // A link inside of what is deleted is deleted itself, not its target.
    sandbox.write("precious/kept", "kept");
    symlink(sandbox.path("precious"), sandbox.path(folder).join("link")).expect("a link");
    symlink("/", sandbox.path(folder).join("root")).expect("a link");
    assert_eq!(run(&sandbox, &format!("<fs><delete path=\"{}\"/></fs>", path(folder))), "OK  ");
    assert!(!sandbox.path(folder).exists());
    assert_eq!(sandbox.read("precious/kept"), "kept");
    // A path cannot leave its mount.
    sandbox.write("store/x", "");
    symlink(sandbox.path("precious"), sandbox.path("store/way")).expect("a link");
    let mount = format!("hdfs://nn={}", sandbox.text("store"));
    for out in ["hdfs://nn/../precious/kept", "hdfs://nn/way/kept"] {
        workflow(&sandbox, "app", "node", &[action("node", &format!("<fs><delete path=\"{out}\"/></fs>"), "end", "")]);
        let howdah = sandbox.howdah(["submit"]).at(NOW).env("HOWDAH_MOUNTS", &mount);
        howdah.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
        sandbox.await_quiet();
        assert_eq!(sandbox.read("precious/kept"), "kept", "{out}");
        let status = sandbox.database().value(
            "SELECT n.status FROM workflow_node n JOIN workflow_job w USING (job)
             WHERE n.name = 'node' ORDER BY w.job DESC LIMIT 1",
        );
        assert_eq!(status, "ERROR", "{out}");
    }
}

#[test]
fn a_sub_workflow_s_path_is_a_path() {
    let sandbox = Sandbox::new();
    let odd = "it's $(touch pwned)";
    let body = |path: &str| format!("<sub-workflow><app-path>{}</app-path></sub-workflow>", xml(path));
    let told = run(&sandbox, &body(&sandbox.text("no $(touch pwned)")));
    assert!(told.starts_with("ERROR E0504 "), "{told}");
    workflow(&sandbox, odd, "end", &[]);
    let told = run(&sandbox, &body(&sandbox.text(odd)));
    assert_eq!(told, "OK  ");
}
