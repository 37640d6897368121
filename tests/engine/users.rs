//! Jobs of several users: root's ticks run them as their owners, and all other users are refused the jobs of others.
//!
//! Some tests need a second user, whom only root can create: they belong to the full tier.

use howdah_sandbox::second_user::{SecondUser, program_for_all, set_mode};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::application::{action, shell, shell_body, workflow};
use howdah_sandbox::attempt_folder::{kept_in, write_heavy};
use howdah_sandbox::mail_server::{MailServer, mails};
use howdah_sandbox::sandbox::{Ran, Sandbox, is_alive, user_name, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).expect("a file").mode() & 0o777
}

#[test]
fn commands_and_file_operations_run_as_the_user_of_the_job() {
    let Some(user) = SecondUser::new("run") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    let made = sandbox.text("open/made");
    let nodes = [
        shell("who", "id -un; id -gn; echo $HOME $USER db=$HOWDAH_DB; cat $PWD/../../../../../secret", "make"),
        action("make", &format!("<fs><mkdir path=\"{made}\"/></fs>"), "end", ""),
    ];
    workflow(&sandbox, "app", "who", &nodes);
    set_mode(sandbox.write("secret", "for root alone"), 0o600);
    let job = sandbox.submit(NOW, &[("user.name", &user.name), ("oozie.job.acl", "ops")]);
    sandbox.await_quiet();
    let database = sandbox.database();
    assert_eq!(database.job(&job), "KILLED", "the secret was read: {}", sandbox.howdah(["log", &job]).run().stdout);
    let log = sandbox.howdah(["log", &job]).succeed().stdout;
    assert!(log.contains(&format!("{0}\n{0}\n", user.name)), "{log}");
    assert!(log.contains(&format!("/home/{0} {0} db=\n", user.name)), "{log}");
    assert!(log.contains("Permission denied"), "{log}");
    let columns = database.rows("SELECT user, group_name FROM workflow_job");
    assert_eq!(columns, [format!("{} ops", user.name)]);
    let folders = database.rows("SELECT directory FROM attempt");
    let attempt = fs::metadata(&folders[0]).expect("the folder of the attempt");
    assert_eq!((attempt.uid(), attempt.mode() & 0o777), (user.uid, 0o700));
}

#[test]
fn a_long_order_of_root_for_another_user_becomes_short_after_a_good_end() {
    let Some(user) = SecondUser::new("tidy") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    write_heavy(&sandbox, "test -f action.xml && echo rows=7");
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    sandbox.await_quiet();
    let error = sandbox.database().rows("SELECT error_message FROM workflow_node WHERE name = 'one'");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{error:?}");
    let folder = sandbox.database().value("SELECT directory FROM attempt");
    let (names, bytes) = kept_in(Path::new(&folder));
    assert_eq!(names, ["attempt.json", "claim", "element.gz", "exit"]);
    assert!(bytes < 8 << 10, "{bytes}");
    let owner = |name: &str| fs::metadata(Path::new(&folder).join(name)).expect("it is kept").uid();
    assert_eq!((owner("attempt.json"), owner("element.gz"), owner("exit")), (0, 0, user.uid));
    let info = sandbox.howdah(["info", &format!("{job}@one"), "--json"]).at(NOW).succeed().stdout;
    assert!(info.contains("name199") && info.contains("rows=7"), "{info}");
}

#[test]
fn a_killed_command_of_another_user_ends() {
    let Some(user) = SecondUser::new("kill") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    // The command has none of root's environment, so it is found by its process id alone.
    workflow(&sandbox, "app", "wait", &[shell("wait", "echo $$ > ${sandbox}/open/pid; exec sleep 60", "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    let command = sandbox.await_file("open/pid").parse().expect("the number of a process");
    sandbox.howdah(["kill", &job]).succeed();
    wait_for("the command to end", || (!is_alive(command)).then_some(()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
}

#[test]
fn a_user_who_cannot_come_there_or_does_not_exist_is_refused() {
    let Some(user) = SecondUser::new("way") else { return };
    // Its folder is created for its owner alone.
    let sandbox = Sandbox::new().with_database("closed/howdah.db");
    set_mode(sandbox.path(""), 0o711);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let submit = |name: &str| {
        let submit = sandbox.howdah(["submit"]).at(NOW).define("user.name", name);
        submit.define("oozie.wf.application.path", &sandbox.text("app")).run()
    };
    let ran = submit(&user.name);
    assert!(ran.status == Some(1) && ran.stderr.contains("H0152") && ran.stderr.contains("chmod o+x"), "{ran:?}");
    let ran = submit("hwd-nobody-has-this-name");
    assert!(ran.status == Some(1) && ran.stderr.contains("H0151"), "{ran:?}");
    assert_eq!(sandbox.database().rows("SELECT count(*) FROM workflow_job"), ["0"]);
}

#[test]
fn users_other_than_root_work_only_for_themselves() {
    let Some(user) = SecondUser::new("own") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o755);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let program = program_for_all(&sandbox);
    let place = sandbox.path("own");
    fs::create_dir(&place).expect("a folder");
    std::os::unix::fs::chown(&place, Some(user.uid), None).expect("root may give things away");
    let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let mut command = Command::new(&program);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &place)
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX");
    command.current_dir(&place).uid(user.uid).gid(user.uid);
    let output = command.args(["--db", "own.db", "submit", "-D", "user.name=root", "-D", &path]).output();
    let output = output.expect("howdah starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("H0150"), "{errors}");
    assert!(errors.contains("run the job as yours"), "{errors}");
}

#[test]
fn what_is_stored_is_for_its_owner_alone_whatever_the_umask() {
    for umask in ["000", "277"] {
        // A coordinator, so that no runner starts: it could not write into a folder that it creates with the second
        // umask.
        let sandbox = Sandbox::new();
        howdah_sandbox::application::Coordinator::default().write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
        let path = format!("oozie.coord.application.path={} -D sandbox={}", sandbox.text("app"), sandbox.text(""));
        let line = format!("umask {umask}; exec \"$0\" submit -D {path}");
        let mut command = Command::new("sh");
        command
            .args(["-c", &line, env!("CARGO_BIN_EXE_howdah")])
            .env("SANDBOX", sandbox.text(""))
            .env("HOWDAH_TEST_MARK", "SANDBOX");
        let status = command.env("HOWDAH_DB", sandbox.path(&format!("of{umask}.db"))).status();
        assert!(status.is_ok_and(|status| status.success()), "{umask}");
        assert_eq!(mode(sandbox.path(&format!("of{umask}.db"))), 0o600, "{umask}");
    }
    let sandbox = Sandbox::new().with_database("made/howdah.db");
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!((mode(sandbox.path("made")), mode(sandbox.path("made/howdah.runs"))), (0o700, 0o700));
    for suffix in ["", ".runner.lock", ".runner.log"] {
        assert_eq!(mode(sandbox.beside_database(suffix)) & 0o077, 0, "{suffix}");
    }
    set_mode(sandbox.database_path(), 0o644);
    let ran = sandbox.howdah(["jobs"]).succeed();
    assert!(ran.stderr.contains("other users may use the database") && ran.stderr.contains("chmod 600"), "{ran:?}");
    assert_eq!(sandbox.howdah(["jobs", "-q"]).succeed().stderr, "");
}

#[test]
fn a_changed_user_name_of_an_action_is_refused_unless_the_site_says_otherwise() {
    for (site, expect) in [("false", "FAILED"), ("true", "SUCCEEDED")] {
        let sandbox = Sandbox::new();
        howdah_sandbox::application::Coordinator {
            end: "2010-01-01T01:00Z",
            properties: &[("user.name", "somebody-else")],
            ..Default::default()
        }
        .write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
        let setting = format!("oozie.configuration.check-and-set.user.name={site}\n");
        let file = sandbox.write("site.properties", &setting);
        let job = sandbox.submit(NOW, &[]);
        sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_SITE", &file).run();
        sandbox.await_quiet();
        assert_eq!(sandbox.database().actions(), format!("1 {expect}"), "{site} {job}");
    }
}

/// A name and a value in the form of a configuration.
fn property(name: &str, value: &str) -> String {
    format!("<property><name>{name}</name><value>{value}</value></property>")
}

#[test]
fn a_sub_workflow_runs_as_the_user_of_its_parent() {
    let own = user_name();
    let cases =
        [("inline", own.as_str()), ("inline", "root-or-not"), ("job-xml", "root-or-not"), ("global", "root-or-not")];
    for (place, name) in cases {
        let sandbox = Sandbox::new();
        let configuration = format!("<configuration>{}</configuration>", property("user.name", name));
        sandbox.write("app/more.xml", &configuration);
        let of_place = |wanted: &str, text: &str| if place == wanted { text.to_owned() } else { String::new() };
        let global = of_place("global", &format!("<global>{configuration}</global>"));
        let job_xml = of_place("job-xml", "<job-xml>more.xml</job-xml>");
        let inline = of_place("inline", &configuration);
        let child = format!("<app-path>{}</app-path>{inline}", sandbox.text("child"));
        // A sub-workflow has no job-xml of its own; that of `global` is used.
        let global = if job_xml.is_empty() { global } else { format!("<global>{job_xml}</global>") };
        let text = format!(
            "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'>{global}<start to='sub'/>{}\
             <kill name='fail'><message>failed</message></kill><end name='end'/></workflow-app>",
            action("sub", &format!("<sub-workflow>{child}</sub-workflow>"), "end", "")
        );
        sandbox.write("app/workflow.xml", &text);
        workflow(&sandbox, "child", "one", &[shell("one", "id -un > ${wf:conf('out')}", "end")]);
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        let database = sandbox.database();
        let node = database.rows("SELECT status, error_code FROM workflow_node WHERE name = 'sub'");
        let children = database.rows("SELECT user FROM workflow_job WHERE parent_node = 'sub'");
        if name == own {
            assert_eq!(children, [own.as_str()], "{place}");
        } else {
            assert_eq!((node, children.len()), (vec!["ERROR E1003".to_owned()], 0), "{place}");
            assert_eq!(database.job(&job), "KILLED", "{place}");
            let why = database.value("SELECT error_message FROM workflow_node WHERE name = 'sub'");
            assert!(why.starts_with("Invalid configuration, user.name [root-or-not] is not the job's user ["), "{why}");
        }
    }
}

#[test]
fn the_coordinators_of_a_bundle_run_as_its_user() {
    for (name, kick_off, expect) in
        [(user_name().as_str(), "", ""), ("root-or-not", "", "E1003"), ("root-or-not", "2010-01-01T01:00Z", "E1003")]
    {
        let sandbox = Sandbox::new();
        howdah_sandbox::application::Coordinator::default().write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
        let text = format!(
            "<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'><controls><kick-off-time>{kick_off}</kick-off-time>\
             </controls><coordinator name='c'><app-path>{}</app-path><configuration>{}</configuration></coordinator>\
             </bundle-app>",
            sandbox.text("app"),
            property("user.name", name)
        );
        sandbox.write("bundle/bundle.xml", &text);
        let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
        let ran = submit.define("oozie.bundle.application.path", &sandbox.text("bundle")).run();
        assert_eq!(ran.stderr.contains(expect), !expect.is_empty() || ran.stderr.is_empty(), "{ran:?}");
        // With a kick-off time the refusal is a warning first.
        assert_eq!(ran.status == Some(0), expect.is_empty() || !kick_off.is_empty(), "{ran:?}");
        if ran.status != Some(0) {
            continue;
        }
        sandbox.howdah(["tick"]).at("2010-01-01T02:00Z").run();
        sandbox.await_quiet();
        let users = sandbox.database().rows("SELECT user FROM coordinator_job");
        assert_eq!(users.len(), usize::from(expect.is_empty()), "{name} {kick_off}: {users:?}");
    }
}

#[test]
fn a_rerun_gives_no_workflow_job_to_another_user() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "false", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let stored = sandbox.database().dump();
    let rerun = sandbox.howdah(["rerun", &job]).at(NOW).define("oozie.wf.rerun.failnodes", "true");
    let ran = rerun.define("user.name", "root-or-not").run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E1003") && ran.stderr.contains("user.name"), "{ran:?}");
    assert_eq!(sandbox.database().dump(), stored);
}

#[test]
fn a_root_that_may_not_change_groups_is_refused() {
    let Some(user) = SecondUser::new("caps") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-setgid", "--inh-caps=-setgid", env!("CARGO_BIN_EXE_howdah"), "submit", "-D"]);
    command.arg(format!("user.name={}", user.name)).arg("-D");
    command.arg(format!("oozie.wf.application.path={}", sandbox.text("app")));
    command.env_clear().env("HOWDAH_DB", sandbox.database_path()).env("HOME", sandbox.path("home"));
    let ran = Ran::from(command.output().expect("every Linux has setpriv"));
    assert!(ran.status == Some(1) && ran.stderr.contains("H0153"), "{ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
}

#[test]
fn root_is_led_nowhere_by_links_in_an_attempts_folder() {
    let Some(user) = SecondUser::new("link") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    set_mode(sandbox.write("precious", "root's own"), 0o600);
    // Names under which the runner, the parent of the shim, might write are links elsewhere; a process that opens the
    // output waits without end.
    let plant = "cd ..; runner=$(cut -d ' ' -f 4 /proc/$PPID/stat); for n in 0 1 2 3 4 5 6 7 8 9; do \
                 for name in kill claim; do ln -s ${sandbox}/precious .$name.$runner.$n.tmp; done; done; \
                 ln -s ${sandbox}/open/none kill; rm -f stdout; mkfifo stdout; \
                 echo $$ > ${sandbox}/open/new; mv ${sandbox}/open/new ${sandbox}/open/pid; exec sleep 60";
    workflow(&sandbox, "app", "wait", &[shell("wait", plant, "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    let command = sandbox.await_file("open/pid").parse().expect("the number of a process");
    let explained = sandbox.howdah(["explain", &format!("{job}@wait")]).at(NOW).run();
    assert_eq!(explained.status, Some(0), "{explained:?}");
    sandbox.howdah(["kill", &job]).run();
    wait_for("the command to end", || (!is_alive(command)).then_some(()));
    assert_eq!(sandbox.read("precious"), "root's own");
    assert!(!sandbox.path("open/none").exists());
}

#[test]
fn root_reads_no_file_that_a_user_names_and_believes_no_order_that_a_user_wrote() {
    let Some(user) = SecondUser::new("name") else { return };
    let forge = |from: &str| {
        format!(
            "cd ..; sed 's#\"standard_output\"#{from}#' attempt.json > new || exit 9; mv -f new attempt.json; exit 0"
        )
    };
    let secret = r#"{"file":{"name":"${sandbox}/secret","kept":true}}"#;
    for (plant, expect) in [
        (forge(secret), "FAILED JA017"),
        (forge("\"remote_output\""), "FAILED JA017"),
        ("cd ..; rm stdout attempt.json; echo k=v > stdout".to_owned(), "FAILED JA017"),
        ("cd ..; rm stdout; ln -s ${sandbox}/secret stdout".to_owned(), "OK "),
        ("cd ..; echo 2> /dev/null >> attempt.json || echo k=refused".to_owned(), "OK refused"),
    ] {
        let sandbox = Sandbox::new();
        set_mode(sandbox.path(""), 0o711);
        set_mode(sandbox.write("secret", "k=for-root-alone"), 0o600);
        workflow(&sandbox, "app", "work", &[action("work", &shell_body(&plant, "<capture-output/>"), "end", "")]);
        sandbox.submit(NOW, &[("user.name", &user.name)]);
        sandbox.await_quiet();
        let database = sandbox.database();
        let node = "SELECT status || ' ' || coalesce(error_code, json_extract(data, '$.k'), '') FROM workflow_node
                    WHERE name = 'work'";
        assert_eq!(database.value(node), expect, "{plant}");
        assert!(!database.dump().concat().contains("for-root-alone"), "{plant}");
    }
}

#[test]
fn a_mail_of_another_users_job_goes_out_and_shows_that_user_no_password() {
    let Some(user) = SecondUser::new("mail") else { return };
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    set_mode(sandbox.path(""), 0o711);
    let settings = format!(
        "oozie.email.smtp.host=127.0.0.1\noozie.email.smtp.port={}\noozie.email.smtp.password=s3cret-word\n",
        server.port
    );
    set_mode(sandbox.write("site.properties", &settings), 0o600);
    let body =
        "<email xmlns='uri:oozie:email-action:0.2'><to>ops@example.org</to><subject>s</subject><body>b</body></email>";
    workflow(&sandbox, "app", "work", &[action("work", body, "end", "")]);
    let submit = sandbox.howdah(["submit", "--site", &sandbox.text("site.properties")]).at(NOW);
    let submit = submit.define("oozie.wf.application.path", &sandbox.text("app")).define("user.name", &user.name);
    let job = submit.succeed().job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(mails(&sandbox).len(), 1);
    let folder = sandbox.database().value("SELECT directory FROM attempt");
    assert_eq!(fs::metadata(&folder).expect("the attempt's folder").uid(), user.uid);
    for entry in fs::read_dir(&folder).expect("the attempt's folder").flatten() {
        let content = fs::read(entry.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&content).contains("s3cret-word"), "{}", entry.path().display());
    }
}

/// What is only read is read as the job would: relative paths are below the home folder of the job's user.
#[test]
fn a_look_at_the_job_of_another_user_knows_that_users_home() {
    let Some(user) = SecondUser::new("look") else { return };
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    sandbox.write("home/user-of-the-job", "");
    let home = sandbox.path("home");
    let switch = "<decision name='one'><switch><case to='here'>${fs:exists('user-of-the-job')}</case>\
                  <default to='end'/></switch></decision><kill name='here'><message>x</message></kill>";
    sandbox.write(
        "app/workflow.xml",
        &format!(
            "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'><start to='one'/>{switch}<end name='end'/></workflow-app>"
        ),
    );
    let (own, other) = (user_name(), user.name.as_str());
    for (name, expect) in [(own.as_str(), true), (other, false)] {
        let eval = sandbox.howdah(["eval", "${fs:exists('user-of-the-job')}", "--phase", "workflow"]).at(NOW);
        let eval = eval.env("HOME", &home).define("user.name", name).succeed();
        assert!(eval.stdout.starts_with(&format!("Value: {expect}\n")), "{name}: {eval:?}");
        let dryrun = sandbox.howdah(["dryrun", "--json"]).at(NOW).env("HOME", &home).define("user.name", name);
        let dryrun = dryrun.define("oozie.wf.application.path", &sandbox.text("app")).succeed().stdout;
        let leads_there = dryrun.replace(char::is_whitespace, "").contains("\"chosen\":\"here\"");
        assert_eq!(leads_there, expect, "{name}: {dryrun}");
    }
}
