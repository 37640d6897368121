//! Folders in which another user may write: root does not work there with its own rights, whatever is exchanged
//! meanwhile, and believes nothing there about other users' processes.
//!
//! Needs a second user, whom only root can create.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::hostile_paths::shared;
use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::second_user::{SecondUser, set_mode};
use howdah_tier::Trials;

const NOW: &str = "2010-01-01T00:00Z";
/// How often howdah comes to each door.
const COMINGS: Trials = Trials { quick: 0, full: 20, soak: 2_000 };

/// Exchanges two names again and again, with pauses of all lengths that a look-up and an opening can be apart, until
/// `is_over`; returns how often.
fn exchange(names: &[PathBuf; 2], is_over: &AtomicBool) -> usize {
    let mut count = 0;
    let mut seed = 7_u64;
    while !is_over.load(Ordering::Relaxed) {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_micros(seed >> 52));
        renameat_with(CWD, &names[0], CWD, &names[1], RenameFlags::EXCHANGE).expect("two names are exchanged");
        count += 1;
    }
    count
}

/// A way in which root uses a file in another user's folder.
struct Door {
    name: &'static str,
    /// The code with which root is refused each time; `None` where it may also work as the user.
    code: Option<&'static str>,
    /// What is exchanged, below `open/`: the user's own, and a link to root's.
    names: [&'static str; 2],
    command: fn(&Sandbox, usize) -> Vec<String>,
}

const DOORS: [Door; 6] = [
    Door {
        name: "a tick on a database",
        code: None,
        names: ["own.db", "link.db"],
        command: |sandbox, _| vec!["--db".to_owned(), sandbox.text("open/own.db"), "tick".to_owned()],
    },
    Door {
        name: "a database in a folder that is exchanged",
        code: None,
        names: ["own", "link"],
        command: |sandbox, _| vec!["--db".to_owned(), sandbox.text("open/own/own.db"), "tick".to_owned()],
    },
    Door {
        name: "root's database in a user's folder",
        code: Some("H0100"),
        names: ["own", "link"],
        command: |sandbox, _| vec!["--db".to_owned(), sandbox.text("open/roots.db"), "tick".to_owned()],
    },
    Door {
        name: "a backup",
        code: Some("H0111"),
        names: ["own", "link"],
        command: |sandbox, number| {
            let to = sandbox.text(&format!("open/own/backup{number}.db"));
            ["--db", &sandbox.text("first.db"), "db", "backup", &to].map(str::to_owned).to_vec()
        },
    },
    Door {
        name: "an import",
        code: Some("H0111"),
        names: ["own", "link"],
        command: |sandbox, number| {
            let to = sandbox.text(&format!("open/own/import{number}"));
            ["import", "oozie", &sandbox.text("applications"), "--to", &to].map(str::to_owned).to_vec()
        },
    },
    Door {
        name: "a token",
        code: Some("H0196"),
        names: ["token", "link-token"],
        command: |sandbox, _| {
            let file = sandbox.text("open/token");
            [
                "--db",
                &sandbox.text("first.db"),
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--allow-write",
                "--token-file",
                &file,
            ]
            .map(str::to_owned)
            .to_vec()
        },
    },
];

/// Whether a word is the code of an error: a letter and four digits.
fn is_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with(['H', 'E']) && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// The files below a folder, without following links.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = |path: PathBuf| if path.is_dir() && !path.is_symlink() { below(&path) } else { vec![path] };
    entries.flat_map(|entry| inside(entry.path())).collect()
}

/// A sandbox whose user has a database that says that its jobs are root's.
fn prepare(user: &SecondUser) -> Sandbox {
    let sandbox = shared(user);
    Coordinator { end: "2010-01-01T02:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "id -u >> ${sandbox}/open/who", "end")]);
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let place = format!("sandbox={}", sandbox.text(""));
    for name in ["first.db", "private/first.db"] {
        let database = sandbox.text(name);
        sandbox.howdah(["--db", &database, "submit", "-D", &path, "-D", &place]).at(NOW).succeed();
    }
    fs::create_dir(sandbox.path("open/own")).expect("a folder");
    for copy in ["open/own.db", "open/own/own.db", "open/roots.db"] {
        fs::copy(sandbox.path("first.db"), sandbox.path(copy)).expect("a copy of a database");
    }
    sandbox.write("open/token", "the-token-of-the-user\n");
    set_mode(sandbox.path("open/token"), 0o600);
    sandbox.write("private/token", "the-token-of-root-alone\n");
    for path in ["open/own", "open/own.db", "open/own/own.db", "open/token"] {
        chown(sandbox.path(path), Some(user.uid), Some(user.uid)).expect("root may give things away");
    }
    set_mode(sandbox.path("private"), 0o700);
    for database in ["open/own.db", "open/own/own.db"] {
        sandbox.howdah(["--db", &sandbox.text(database), "db", "here"]).at(NOW).succeed();
    }
    for (link, target) in [("link", "private"), ("link.db", "private/first.db"), ("link-token", "private/token")] {
        symlink(sandbox.path(target), sandbox.path("open").join(link)).expect("a link");
    }
    sandbox.write("applications/job.properties", "oozie.wf.application.path=/nowhere\n");
    sandbox
}

#[test]
fn root_works_in_no_folder_in_which_another_user_exchanges_names() {
    let Some(user) = SecondUser::new("doors") else { return };
    let sandbox = prepare(&user);
    let private = || below(&sandbox.path("private"));
    let before = private();
    for door in DOORS {
        let names = door.names.map(|name| sandbox.path("open").join(name));
        let is_over = AtomicBool::new(false);
        let mut answers: BTreeMap<String, usize> = BTreeMap::new();
        let exchanges = thread::scope(|scope| {
            let exchanging = scope.spawn(|| exchange(&names, &is_over));
            for number in 0..COMINGS.number() {
                let arguments = (door.command)(&sandbox, number);
                let ran = sandbox.howdah(arguments.iter().map(String::as_str)).at(NOW).run();
                let code = ran.stderr.split(['[', ']', ' ', ':']).find(|word| is_code(word)).unwrap_or("no code");
                *answers.entry(code.to_owned()).or_default() += 1;
            }
            is_over.store(true, Ordering::Relaxed);
            exchanging.join().expect("the names were exchanged")
        });
        println!("{}: {exchanges} exchanges, answers {answers:?}", door.name);
        assert!(exchanges > 0 && answers.values().sum::<usize>() == COMINGS.number(), "{}", door.name);
        let is_refused = |code| answers.get(code) == Some(&COMINGS.number());
        assert!(door.code.is_none_or(is_refused), "{}", door.name);
        assert_eq!(private(), before, "{}: nothing appears in root's folder", door.name);
        let made_by_root: Vec<PathBuf> = below(&sandbox.path("open"))
            .into_iter()
            .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.uid() == 0 && found.is_file()))
            .filter(|path| !path.ends_with("roots.db"))
            .collect();
        assert_eq!(made_by_root, Vec::<PathBuf>::new(), "{}", door.name);
    }
    assert!(!sandbox.read("open/who").lines().any(|uid| uid == "0"), "a command ran as root");
}

#[test]
fn a_folder_of_root_below_a_sticky_one_and_a_team_folder_may_be_used() {
    let Some(user) = SecondUser::new("team") else { return };
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    fs::create_dir_all(sandbox.path("sticky/below")).expect("a folder");
    set_mode(sandbox.path("sticky"), 0o1777);
    fs::create_dir(sandbox.path("team")).expect("a folder");
    chown(sandbox.path("team"), None, Some(user.uid)).expect("root may give things away");
    set_mode(sandbox.path("team"), 0o2770);
    let site = sandbox.write("site.properties", &format!("howdah.folders.group={}\n", user.name));
    let site = site.display().to_string();
    let submit = |database: &str, site: &[&str]| {
        let database = sandbox.text(database);
        let submit = sandbox.howdah(["--db", &database].into_iter().chain(site.iter().copied()).chain(["submit"]));
        submit.at(NOW).define("oozie.wf.application.path", &sandbox.text("app")).run()
    };
    for (database, site, expect) in [
        ("sticky/below/a.db", &[][..], ""),
        ("sticky/a.db", &[], ""),
        ("sticky/new/a.db", &[], "other users can create it"),
        ("team/a.db", &[], "a group may write"),
        ("team/a.db", &["--site", &site], ""),
    ] {
        let ran = submit(database, site);
        let is_right = if expect.is_empty() {
            ran.status == Some(0)
        } else {
            ran.status == Some(1) && ran.stderr.contains("H0100") && ran.stderr.contains(expect)
        };
        assert!(is_right, "{database} {site:?}: {ran:?}");
    }
    // SQLite would read another user's journal with the database.
    fs::write(sandbox.path("sticky/b.db-journal"), "").expect("a file");
    chown(sandbox.path("sticky/b.db-journal"), Some(user.uid), None).expect("root may give things away");
    let ran = submit("sticky/b.db", &[]);
    assert!(ran.status == Some(1) && ran.stderr.contains("H0100") && ran.stderr.contains("b.db-journal]"), "{ran:?}");
    sandbox.await_quiet();
}

/// Field 22 of a process's `stat` is its start; a name may contain blanks.
const FORGE: &str = "f=$PWD; while [ ! -e $f/claim ]; do f=$(dirname $f); done; \
    while [ ! -e $f/process ]; do sleep 0.02; done; s=$(sed 's/.*) //' /proc/1/stat | cut -d' ' -f20); \
    for n in claim process; do \
    sed -E \"s/\\\"pid\\\": ?[0-9]+/\\\"pid\\\":1/; s/\\\"start_time\\\": ?[0-9]+/\\\"start_time\\\":$s/\" $f/$n > $f/$n.new; \
    mv -f $f/$n.new $f/$n; done; cp $f/claim ${sandbox}/open/forged; kill -9 $PPID";

#[test]
fn a_claim_that_names_a_process_of_another_user_takes_no_place() {
    let Some(user) = SecondUser::new("forge") else { return };
    let sandbox = shared(&user);
    workflow(&sandbox, "app", "one", &[shell("one", FORGE, "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    let forged = sandbox.await_file("open/forged");
    assert!(forged.contains("\"pid\":1,") || forged.contains("\"pid\":1}"), "{forged}");
    wait_for("the end of the job", || (sandbox.database().job(&job) != "RUNNING").then_some(()));
    assert_eq!(sandbox.database().job(&job), "FAILED");
    assert_eq!(sandbox.database().value("SELECT state FROM attempt"), "LOST");
    sandbox.await_quiet();
}

/// Becomes root as a program of `sudo` does, without a supervisor.
const LEFT_TO_ROOT: &str = "echo start >> ${sandbox}/open/starts; kill -9 $PPID; \
    exec ${sandbox}/open/setpriv --reuid=0 sh -c 'while [ ! -e ${sandbox}/open/over ]; do sleep 0.05; done'";

#[test]
fn a_command_that_works_on_as_another_user_is_waited_for() {
    let Some(user) = SecondUser::new("sudo") else { return };
    let sandbox = shared(&user);
    fs::copy("/usr/bin/setpriv", sandbox.path("open/setpriv")).expect("a program of util-linux");
    set_mode(sandbox.path("open/setpriv"), 0o4755);
    let action = shell("one", LEFT_TO_ROOT, "end").replace("<action ", "<action retry-max=\"1\" retry-interval=\"1\" ");
    workflow(&sandbox, "app", "one", &[action]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    sandbox.await_file("open/starts");
    thread::sleep(Duration::from_secs(1));
    sandbox.howdah(["tick"]).at(NOW).run();
    let told = sandbox.howdah(["explain", &job]).at(NOW).succeed();
    assert!(told.stdout.contains("as another user"), "{told:?}");
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    assert_eq!(sandbox.read("open/starts"), "start\n");
    sandbox.write("open/over", "");
    wait_for("the end of the command", || {
        sandbox.howdah(["tick"]).at(NOW).run();
        (sandbox.database().value("SELECT state FROM attempt ORDER BY rowid LIMIT 1") == "LOST").then_some(())
    });
    sandbox.howdah(["kill", &job]).at(NOW).run();
    sandbox.await_quiet();
}
