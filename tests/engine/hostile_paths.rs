//! Hostile paths: links, links that are swapped in, `..`, pipes, devices, sockets, files of other users. Every command
//! and every element that uses a file gets every one of them, works for a user who does not own the files, ends, and
//! neither changes nor shows anything that this user could not change or see.
//!
//! Most tests need a second user, whom only root can create.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use howdah_sandbox::application::{Coordinator, action, shell, shell_body, workflow};
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, is_alive, wait_for};
use howdah_sandbox::second_user::{SecondUser, set_mode};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";
/// A text that only root may read.
const SECRET: &str = "for-root-alone";

/// A sandbox whose folder the second user may enter, with a folder `open` in which all users may write.
pub(crate) fn shared(user: &SecondUser) -> Sandbox {
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    chown(sandbox.path("open"), Some(user.uid), None).expect("root may give things away");
    set_mode(sandbox.path("open"), 0o755);
    sandbox
}

/// Root's own folder: it may be entered and listed, and some of its files may be read.
pub(crate) struct Victim<'a> {
    sandbox: &'a Sandbox,
    before: Vec<String>,
}

impl<'a> Victim<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox) -> Self {
        let configuration =
            format!("<configuration><property><name>stolen</name><value>{SECRET}</value></property></configuration>");
        for file in ["victim/secret", "victim/secret.xml", "victim/inner/deep", "victim/inner/part-00000"] {
            set_mode(sandbox.write(file, &configuration), 0o600);
        }
        set_mode(sandbox.write("victim/inner/readable", "may be read"), 0o644);
        let mut victim = Self { sandbox, before: Vec::new() };
        victim.before = victim.state();
        victim
    }

    /// Returns everything in it, with owners, groups, modes, times and contents.
    fn state(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.sandbox.path("victim")];
        while let Some(folder) = folders.pop() {
            let describe = |path: &Path| {
                let stat = fs::symlink_metadata(path).expect("it is there still");
                let content = if stat.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
                let (mode, times) = (stat.mode(), (stat.mtime_nsec(), stat.mtime()));
                format!("{} {}:{} {mode:o} {times:?} {content}", path.display(), stat.uid(), stat.gid())
            };
            found.push(describe(&folder));
            for entry in fs::read_dir(&folder).expect("it is there still").flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                } else {
                    found.push(describe(&entry.path()));
                }
            }
        }
        found.sort();
        found
    }

    /// Checks that nothing in it has changed, and that its secret is nowhere else.
    pub(crate) fn check(&self, what: &str) {
        assert_eq!(self.state(), self.before, "{what}");
        let searched =
            Command::new("grep").args(["-rlsa", "-D", "skip", SECRET, "."]).current_dir(self.sandbox.path("")).output();
        let found = String::from_utf8_lossy(&searched.expect("grep runs").stdout).into_owned();
        let leaks: Vec<&str> = found.lines().filter(|line| !line.starts_with("./victim/")).collect();
        assert!(leaks.is_empty(), "{what}: {leaks:?}");
    }
}

/// The hostile paths, created by the second user below `open`.
const PATHS: [&str; 14] = [
    "open/to-file",
    "open/to-folder",
    "open/to-folder/secret.xml",
    "open/to-folder/inner",
    "open/../victim/inner",
    "open/own/../../victim/secret.xml",
    "open/loop",
    "open/nowhere",
    "open/pipe",
    "open/socket",
    "open/device",
    "open/swapped",
    "open/swapped/inner",
    "victim/inner/deep",
];

/// Creates the hostile paths again.
fn plant(sandbox: &Sandbox, user: &SecondUser) -> Option<UnixListener> {
    let open = sandbox.path("open");
    for entry in fs::read_dir(&open).expect("a folder").flatten() {
        let path = entry.path();
        let removed = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.expect("root may remove everything");
    }
    fs::create_dir_all(open.join("own/inner")).expect("a folder");
    for (target, link) in [
        (sandbox.path("victim/secret.xml"), "to-file"),
        (sandbox.path("victim"), "to-folder"),
        ("loop".into(), "loop"),
        ("/nonexistent/far/away".into(), "nowhere"),
        ("/dev/zero".into(), "device"),
        (sandbox.path("victim"), "bait"),
    ] {
        symlink(target, open.join(link)).expect("a link");
    }
    fs::create_dir_all(open.join("swapped/inner")).expect("a folder");
    let made = Command::new("mkfifo").arg(open.join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    let socket = UnixListener::bind(open.join("socket")).ok();
    let given = Command::new("chown").args(["-hR", &user.name]).arg(&open).status();
    assert!(given.is_ok_and(|status| status.success()), "root may give things away");
    socket
}

/// Reports its end, also when a test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Exchanges a folder for a link to the victim, repeatedly, while `work` runs.
fn swapping(sandbox: &Sandbox, work: impl FnOnce()) {
    let open = sandbox.path("open");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // The elements may have removed them meanwhile: then there is nothing to exchange.
                let _ = fs::rename(open.join("swapped"), open.join("aside"));
                let _ = fs::rename(open.join("bait"), open.join("swapped"));
                std::thread::sleep(Duration::from_micros(50));
                let _ = fs::rename(open.join("swapped"), open.join("bait"));
                let _ = fs::rename(open.join("aside"), open.join("swapped"));
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        let _over = Over(&done);
        work();
    });
}

/// The elements of actions that use a file: a name and the body; `PATH` is the path.
fn elements() -> Vec<(&'static str, String)> {
    let fs = |operation: &str| format!("<fs>{operation}</fs>");
    let shell =
        |elements: &str| shell_body("for f in *; do if [ -f $f ]; then head -c 1000 $f; fi; done; true", elements);
    let prepare = |operation: &str| {
        format!("<shell xmlns=\"uri:oozie:shell-action:0.3\"><prepare>{operation}</prepare><exec>true</exec></shell>")
    };
    vec![
        ("delete", fs("<delete path='PATH'/>")),
        ("delete to the trash", fs("<delete path='PATH' skip-trash='false'/>")),
        ("delete a pattern", fs("<delete path='PATH/*'/>")),
        ("mkdir", fs("<mkdir path='PATH'/>")),
        ("mkdir below", fs("<mkdir path='PATH/new/folder'/>")),
        ("move from", fs("<move source='PATH' target='SANDBOX/open/landed'/>")),
        ("move to", fs("<move source='SANDBOX/open/own' target='PATH'/>")),
        ("chmod", fs("<chmod path='PATH' permissions='777'/>")),
        ("chmod -R", fs("<chmod path='PATH' permissions='777'><recursive/></chmod>")),
        ("chgrp -R", fs("<chgrp path='PATH' group='USER'><recursive/></chgrp>")),
        ("touchz", fs("<touchz path='PATH'/>")),
        ("prepare delete", prepare("<delete path='PATH'/>")),
        ("prepare mkdir", prepare("<mkdir path='PATH'/>")),
        ("job-xml", shell("").replace("<exec>", "<job-xml>PATH</job-xml><exec>")),
        ("file", shell("<file>PATH#copy</file>")),
        ("archive", shell("<archive>PATH#copy</archive>")),
        ("sub-workflow", "<sub-workflow><app-path>PATH</app-path><propagate-configuration/></sub-workflow>".to_owned()),
        (
            "functions",
            shell(
                "<argument>${fs:exists('PATH')} ${fs:isDir('PATH')} ${fs:fileSize('PATH')} \
                 ${fs:dirSize('PATH')}</argument>",
            ),
        ),
        (
            "streaming",
            "<map-reduce><streaming><mapper>cat</mapper><reducer>cat</reducer></streaming><configuration>\
             <property><name>mapred.input.dir</name><value>PATH</value></property>\
             <property><name>mapred.output.dir</name><value>SANDBOX/open/result</value></property>\
             </configuration></map-reduce>"
                .to_owned(),
        ),
        (
            "streaming to",
            "<map-reduce><prepare><delete path='PATH'/></prepare><streaming><mapper>cat</mapper><reducer>cat</reducer>\
             </streaming><configuration>\
             <property><name>mapred.input.dir</name><value>SANDBOX/app0</value></property>\
             <property><name>mapred.output.dir</name><value>PATH</value></property>\
             </configuration></map-reduce>"
                .to_owned(),
        ),
    ]
}

/// The body of an action for one path.
fn with_path(body: &str, path: &str, sandbox: &Sandbox, user: &SecondUser) -> String {
    body.replace("PATH", &sandbox.text(path)).replace("SANDBOX", &sandbox.text("")).replace("USER", &user.name)
}

#[test]
fn no_element_of_a_users_workflow_reaches_what_the_user_cannot() {
    let Some(user) = SecondUser::new("element") else { return };
    let (mut count, all) = (0, elements());
    for (name, body) in &all {
        let sandbox = shared(&user);
        let victim = Victim::new(&sandbox);
        let _socket = plant(&sandbox, &user);
        // In parallel, so that no job waits for another.
        for (number, path) in PATHS.iter().enumerate() {
            let body = with_path(body, path, &sandbox, &user);
            workflow(&sandbox, &format!("app{number}"), "n", &[action("n", &body, "end", "")]);
        }
        swapping(&sandbox, || {
            for number in 0..PATHS.len() {
                let submit = sandbox.howdah(["submit"]).at(NOW).define("user.name", &user.name);
                // Temporary errors are not tried again, because here they stay.
                let submit = submit.define("oozie.wf.action.max.retries", "0");
                submit.define("oozie.wf.application.path", &sandbox.text(&format!("app{number}"))).succeed();
            }
            sandbox.await_quiet();
        });
        let ended =
            sandbox.database().rows("SELECT status, count(*) FROM workflow_node WHERE name = 'n' GROUP BY status");
        let counted: usize = ended.iter().filter_map(|row| row.rsplit(' ').next()?.parse::<usize>().ok()).sum();
        assert_eq!(counted, PATHS.len(), "{name}: {ended:?}");
        assert!(ended.iter().all(|row| !row.starts_with("RUNNING")), "{name}: {ended:?}");
        victim.check(&format!("{name}: {ended:?}"));
        count += counted;
    }
    println!("{count} hostile paths in {} elements of a workflow", all.len());
    assert!(count >= 250, "{count}");
}

/// Runs it to its end; one that waits for a pipe never ends.
fn bounded(what: &str, howdah: Howdah) -> Ran {
    let started = howdah.start();
    let pid = started.pid();
    wait_for(&format!("the end of {what}"), || (!is_alive(pid)).then_some(()));
    started.finish()
}

#[test]
fn what_is_no_regular_file_or_no_file_of_the_user_is_read_by_no_verb() {
    let Some(user) = SecondUser::new("verb") else { return };
    let sandbox = shared(&user);
    let victim = Victim::new(&sandbox);
    let _socket = plant(&sandbox, &user);
    let mut count = 0;
    for path in PATHS {
        let text = sandbox.text(path);
        workflow(&sandbox, "good", "one", &[shell("one", "true", "end")]);
        // The definition itself, the default configuration beside it, and one that is included.
        for (folder, file) in [("as-definition", "workflow.xml"), ("as-default", "config-default.xml")] {
            let folder = format!("open/{folder}");
            let _ = fs::remove_dir_all(sandbox.path(&folder));
            workflow(&sandbox, &folder, "one", &[shell("one", "true", "end")]);
            let _ = fs::remove_file(sandbox.path(&format!("{folder}/{file}")));
            symlink(&text, sandbox.path(&format!("{folder}/{file}"))).expect("a link");
        }
        let included = "<datasets><include>PATH</include></datasets><input-events><data-in name='i' dataset='d'>\
                        <instance>${coord:current(0)}</instance></data-in></input-events>";
        Coordinator { data: included.replace("PATH", &format!("file://{text}")), ..Coordinator::default() }
            .write(&sandbox);
        fs::rename(sandbox.path("app/coordinator.xml"), sandbox.path("open/coordinator.xml")).expect("one's own file");
        let of_user = |verb: &str, property: &str, value: &str| {
            sandbox
                .howdah([verb])
                .at(NOW)
                .define("user.name", &user.name)
                .define("sandbox", "x")
                .define(property, value)
        };
        let (workflow_path, coordinator_path) = ("oozie.wf.application.path", "oozie.coord.application.path");
        for (name, howdah) in [
            ("submit it", of_user("submit", workflow_path, &text)),
            ("submit it as a coordinator", of_user("submit", coordinator_path, &text)),
            ("submit it as a bundle", of_user("submit", "oozie.bundle.application.path", &text)),
            ("submit a definition", of_user("submit", workflow_path, &sandbox.text("open/as-definition"))),
            ("submit a default configuration", of_user("submit", workflow_path, &sandbox.text("open/as-default"))),
            (
                "submit another default configuration",
                of_user("submit", workflow_path, &sandbox.text("good"))
                    .define("oozie.default.configuration.path", &text)
                    .define("dry", "${stolen}"),
            ),
            ("submit an include", of_user("submit", coordinator_path, &sandbox.text("open/coordinator.xml"))),
            ("dryrun it", of_user("dryrun", workflow_path, &text)),
            ("dryrun a definition", of_user("dryrun", workflow_path, &sandbox.text("open/as-definition"))),
            ("dryrun an include", of_user("dryrun", coordinator_path, &sandbox.text("open/coordinator.xml"))),
        ] {
            let ran = bounded(&format!("{name}: {path}"), howdah);
            assert!(ran.status.is_some_and(|status| status < 100), "{name} {path}: {ran:?}");
            assert!(!format!("{ran:?}").contains(SECRET), "{name} {path}: {ran:?}");
            count += 1;
        }
        sandbox.await_quiet();
        victim.check(path);
    }
    println!("{count} hostile paths given to verbs");
    assert!(count >= 140, "{count}");
}

#[test]
fn pipes_devices_and_sockets_hold_up_no_verb() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let made = Command::new("mkfifo").arg(sandbox.path("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    let _socket = UnixListener::bind(sandbox.path("socket")).expect("a socket");
    symlink("/dev/zero", sandbox.path("zero")).expect("a link");
    symlink("pipe", sandbox.path("to-pipe")).expect("a link");
    let mut count = 0;
    for file in ["pipe", "socket", "zero", "to-pipe"] {
        let text = sandbox.text(file);
        let application = format!("oozie.wf.application.path={}", sandbox.text("app"));
        let coordinator = format!("oozie.coord.application.path={text}");
        for arguments in [
            vec!["validate", &text],
            vec!["validate", "-c", &text, &sandbox.text("app/workflow.xml")],
            vec!["submit", "-c", &text],
            vec!["submit", "-D", &coordinator],
            vec!["submit", "--site", &text, "-D", &application],
            vec!["dryrun", "-c", &text],
            vec!["run", "-c", &text],
            vec!["rerun", &job, "-c", &text],
            vec!["eval", "--coordinator", &text, "--action", "1", "1"],
            vec!["tick", "--site", &text],
            vec!["tick", "--db", &text],
            vec!["jobs", "--db", &text],
        ] {
            let ran = bounded(&format!("{arguments:?}"), sandbox.howdah(arguments.iter().copied()).at(NOW));
            assert!(ran.status.is_some_and(|status| status != 0 && status < 100), "{arguments:?}: {ran:?}");
            count += 1;
        }
        // `validate` of the folder skips what is not a file.
        fs::create_dir_all(sandbox.path("tree")).expect("a folder");
        fs::copy(sandbox.path("app/workflow.xml"), sandbox.path("tree/workflow.xml")).expect("a copy");
        symlink(&text, sandbox.path(&format!("tree/{file}.xml"))).expect("a link");
        let ran = bounded("validate of a folder", sandbox.howdah(["validate", &sandbox.text("tree")]));
        assert!(ran.status.is_some_and(|status| status < 100), "{ran:?}");
        count += 1;
    }
    println!("{count} verbs given a pipe, a device or a socket");
}

#[test]
fn a_pipe_as_the_default_configuration_holds_up_no_tick_and_no_runner() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "echo ran >> ${sandbox}/effects", "end")]);
    let job = sandbox.submit(NOW, &[]);
    let default = sandbox.path("app/config-default.xml");
    let made = Command::new("mkfifo").arg(&default).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    let ran = bounded("the tick", sandbox.howdah(["tick"]).at(NOW));
    assert!(ran.stderr.contains("it is no regular file"), "{ran:?}");
    assert_eq!(sandbox.database().actions(), "1 READY", "{job}");
    fs::remove_file(default).expect("one's own file");
    sandbox.tick_through("2010-01-01T00:05Z");
    assert_eq!(sandbox.read("effects"), "ran\n");
}

#[test]
fn a_rerun_deletes_nothing_that_the_user_of_the_job_could_not() {
    let Some(user) = SecondUser::new("rerun") else { return };
    let sandbox = shared(&user);
    let victim = Victim::new(&sandbox);
    fs::create_dir(sandbox.path("open/out")).expect("a folder");
    chown(sandbox.path("open/out"), Some(user.uid), None).expect("root may give things away");
    let data = format!(
        "<datasets><dataset name='d' frequency='${{coord:hours(1)}}' initial-instance='2010-01-01T00:00Z' \
         timezone='UTC'><uri-template>file://{}/${{HOUR}}/inner</uri-template></dataset></datasets>\
         <output-events><data-out name='o' \
         dataset='d'><instance>${{coord:current(0)}}</instance></data-out></output-events>",
        sandbox.text("open/out")
    );
    Coordinator { end: "2010-01-01T01:00Z", data, ..Coordinator::default() }.write(&sandbox);
    // The command creates its output, and then replaces the path to it by a link to another user's folder.
    let line = "cd ${sandbox}/open/out && mkdir -p old/inner && ln -s ${sandbox}/victim 00";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED");
    let listed = sandbox.howdah(["rerun", &format!("{job}@1"), "--dry-run"]).at(NOW).succeed().stdout;
    assert!(listed.contains(&format!("at {}", sandbox.text("victim/inner"))), "{listed}");
    let ran = sandbox.howdah(["rerun", &format!("{job}@1"), "--yes"]).at(NOW).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E0907"), "{ran:?}");
    victim.check("rerun");
    // What belongs to the user is deleted.
    fs::remove_file(sandbox.path("open/out/00")).expect("root may remove everything");
    fs::rename(sandbox.path("open/out/old"), sandbox.path("open/out/00")).expect("root may move everything");
    sandbox.howdah(["rerun", &format!("{job}@1"), "--yes"]).at(NOW).succeed();
    assert!(!sandbox.path("open/out/00/inner").exists());
    victim.check("another rerun");
}

#[test]
fn what_leads_directly_below_the_root_is_no_output() {
    if !tier::root("it makes a folder directly below /") {
        return;
    }
    let sandbox = Sandbox::new();
    symlink("/", sandbox.path("top")).expect("a link");
    let data = format!(
        "<datasets><dataset name='d' frequency='${{coord:hours(1)}}' initial-instance='2010-01-01T00:00Z' \
         timezone='UTC'><uri-template>file://{}/lost+found-${{HOUR}}</uri-template></dataset></datasets>\
         <output-events><data-out name='o' \
         dataset='d'><instance>${{coord:current(0)}}</instance></data-out></output-events>",
        sandbox.text("top")
    );
    Coordinator { end: "2010-01-01T01:00Z", data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    fs::create_dir("/lost+found-00").expect("only root can make a folder directly below /");
    let ran = sandbox.howdah(["rerun", &format!("{job}@1"), "--yes"]).at(NOW).run();
    let is_there = Path::new("/lost+found-00").exists();
    fs::remove_dir("/lost+found-00").expect("it was left alone");
    assert!(is_there && ran.stderr.contains("directly below /"), "{ran:?}");
}
