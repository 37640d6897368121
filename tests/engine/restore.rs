//! Backups that are put back: what began after them does not begin again, counted by the lines that commands write.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use howdah_sandbox::application::{Coordinator, action, shell, sub_workflow, workflow};
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{Ran, Sandbox, kill, wait_for};
use howdah_tier::Trials;

const NOW: &str = "2010-01-01T06:00Z";

/// How often a backup is made, and put back later.
const RESTORES: Trials = Trials { quick: 4, full: 12, soak: 200 };

/// A command that writes when it starts and when it ends.
fn counted(node: &str, pause: &str) -> String {
    let line = |what: &str| format!("echo \"{what} ${{nominal}} {node}\" >> ${{sandbox}}/effects");
    format!("{}; sleep {pause}; {}", line("S"), line("E"))
}

/// Six actions of two nodes, the second one in a sub-workflow; two actions at once.
fn counter(sandbox: &Sandbox, pause: &str) -> String {
    let coordinator = Coordinator {
        end: "2010-01-01T06:00Z",
        controls: "<concurrency>2</concurrency><throttle>60</throttle>",
        ..Coordinator::default()
    };
    coordinator.write(sandbox);
    let child = action("child", &sub_workflow("child"), "end", "");
    workflow(sandbox, "app", "one", &[shell("one", &counted("one", pause), "child"), child]);
    workflow(sandbox, "child", "two", &[shell("two", &counted("two", pause), "end")]);
    sandbox.submit(NOW, &[])
}

/// How often each command started.
fn starts(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in sandbox.read("effects").lines().filter_map(|line| line.strip_prefix("S ")) {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts
}

fn backup(sandbox: &Sandbox) -> PathBuf {
    let file = sandbox.path("backup.db");
    let _ = fs::remove_file(&file);
    sandbox.howdah(["db", "backup"]).at(NOW).with(&file).succeed();
    file
}

fn restore(sandbox: &Sandbox) -> Ran {
    sandbox.howdah(["db", "restore"]).at(NOW).with(sandbox.path("backup.db")).succeed()
}

/// Ends the runner and its fork server, and everything else of howdah but the supervisors of commands and the commands.
fn end_runner(sandbox: &Sandbox) {
    while let Some(runner) = sandbox.process("howdah runner").or_else(|| sandbox.runner()) {
        kill(runner);
        sandbox.await_end_of_runner();
    }
}

/// Ticks until no action is open.
fn tick_to_the_end(sandbox: &Sandbox, job: &str) {
    for _ in 0..30 {
        sandbox.tick_through(NOW);
        if !matches!(sandbox.database().job(job).as_str(), "RUNNING" | "RUNNINGWITHERROR" | "PREP") {
            return;
        }
    }
    panic!("{job} does not end: {}", sandbox.database().actions());
}

fn assert_each_once(sandbox: &Sandbox, context: &str) {
    let starts = starts(sandbox);
    let twice: Vec<_> = starts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{context}: {twice:?}");
    assert_eq!(starts.len(), 12, "{context}: {starts:?}");
}

#[test]
fn what_ended_after_the_backup_is_taken_over() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    let told = restore(&sandbox).stdout;
    assert!(told.contains("12 later starts are known and are not repeated"), "{told}");
    tick_to_the_end(&sandbox, &job);
    assert_each_once(&sandbox, "restored");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.database().value("SELECT count(*) FROM attempt WHERE state = 'ENDED'"), "12");
    sandbox.database().check();
}

#[test]
fn a_backup_that_was_copied_into_place_stops_the_tick_and_is_put_back_there() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    let file = backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    // A log of the database before it, as a power cut leaves it.
    for with_log in [false, true] {
        fs::copy(&file, sandbox.database_path()).expect("a backup");
        if with_log {
            fs::write(sandbox.beside_database("-wal"), "what another database has written").expect("a log");
        }
        for words in [&["tick"][..], &["db", "here"], &["runner"]] {
            let refused = sandbox.howdah(words.iter().copied()).at(NOW).run();
            assert_eq!(refused.status, Some(1), "{refused:?}");
            assert!(
                refused.stderr.contains("H0134") && refused.stderr.contains("howdah db restore --db"),
                "{refused:?}"
            );
        }
    }
    let in_place = sandbox.database_path().to_owned();
    sandbox.howdah(["db", "restore"]).at(NOW).with(&in_place).succeed();
    assert!(!sandbox.beside_database("-wal").exists());
    tick_to_the_end(&sandbox, &job);
    assert_each_once(&sandbox, "copied");
    sandbox.database().check();
}

#[test]
fn what_began_and_whose_folder_is_gone_is_lost_and_does_not_run_again() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    fs::remove_dir_all(sandbox.path("howdah.runs")).expect("the run folders");
    restore(&sandbox);
    tick_to_the_end(&sandbox, &job);
    let starts = starts(&sandbox);
    assert!(starts.values().all(|count| *count == 1), "{starts:?}");
    let lost = sandbox.database().rows("SELECT DISTINCT state, detail FROM attempt");
    assert_eq!(lost, ["LOST it began before the database was put back to an older state, and its folder is gone"]);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM attempt"), "6");
}

#[test]
fn what_was_rerun_after_the_backup_is_named_and_not_rerun_by_itself() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    let line = format!("{}; test ${{nominal}} != 2010-01-01T00:00Z", counted("one", "0"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit(NOW, &[("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "1")]);
    let tick = |now| (0..4).for_each(|_| sandbox.tick_through(now));
    let of_first = || starts(&sandbox)["2010-01-01T00:00Z one"];
    tick(NOW);
    let planned = "SELECT count(*) FROM policy_rerun WHERE rerun_at IS NOT NULL";
    assert_eq!((sandbox.database().value(planned).as_str(), of_first()), ("1", 1));
    backup(&sandbox);
    tick("2010-01-01T06:30Z");
    assert_eq!(of_first(), 2);
    let told = restore(&sandbox).stdout;
    assert!(told.contains(&format!("{job}@1 was rerun after the backup")), "{told}");
    assert_eq!(sandbox.database().value(planned), "0");
    tick("2010-01-01T06:30Z");
    assert_eq!(of_first(), 2);
    // What a person orders then runs, and does not get the outcome of the rerun before.
    sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).at("2010-01-01T06:40Z").succeed();
    tick("2010-01-01T06:40Z");
    assert_eq!(of_first(), 3);
}

/// A bundle with the coordinator in `app/` under some names; returns its id.
fn submit_bundle(sandbox: &Sandbox, kick_off: &str, names: &[&str], properties: &[(&str, &str)]) -> String {
    let coordinators = names.iter().fold(String::new(), |all, name| {
        all + &format!("<coordinator name='{name}'><app-path>${{sandbox}}/app</app-path></coordinator>")
    });
    sandbox.write(
        "bundle/bundle.xml",
        &format!(
            "<bundle-app xmlns='uri:oozie:bundle:0.2' name='all'>
             <controls><kick-off-time>{kick_off}</kick-off-time></controls>
             {coordinators}</bundle-app>"
        ),
    );
    let submit = sandbox.howdah(["submit"]).at("2009-12-31T00:00Z").define("sandbox", &sandbox.text(""));
    let submit = submit.define("oozie.bundle.application.path", &sandbox.text("bundle"));
    properties.iter().fold(submit, |submit, (name, value)| submit.define(name, value)).succeed().job()
}

#[test]
fn what_a_bundle_has_started_after_the_backup_is_taken_over_when_it_starts_again() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    // The first action of each coordinator fails once, and the failure policy reruns it.
    let line = format!("{}; test ${{nominal}} != 2010-01-01T00:00Z", counted("one", "0"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "end")]);
    let policy = [("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "1")];
    let bundle = submit_bundle(&sandbox, "2009-12-31T12:00Z", &["a", "b"], &policy);
    backup(&sandbox);
    let tick = |now| (0..4).for_each(|_| sandbox.tick_through(now));
    tick(NOW);
    tick("2010-01-01T06:30Z");
    let ids = || sandbox.database().rows("SELECT name, id FROM coordinator_job ORDER BY job");
    let before = (ids(), starts(&sandbox));
    assert_eq!(
        before.1,
        BTreeMap::from([("2010-01-01T00:00Z one".to_owned(), 4), ("2010-01-01T01:00Z one".to_owned(), 2)])
    );
    let told = restore(&sandbox).stdout;
    assert!(told.contains("4 later starts are known"), "{told}");
    assert!(told.contains("@1 was rerun after the backup"), "{told}");
    assert!(!told.contains("submit it again"), "{told}");
    assert_eq!(sandbox.database().job(&bundle), "PREP");
    tick(NOW);
    tick("2010-01-01T06:30Z");
    assert_eq!((ids(), starts(&sandbox)), before);
    assert_eq!(sandbox.database().job(&bundle), "DONEWITHERROR");
    assert_eq!(sandbox.database().value("SELECT count(*) FROM policy_rerun WHERE rerun_at IS NOT NULL"), "0");
    sandbox.database().check();
}

#[test]
fn what_a_purge_deleted_before_the_backup_is_not_named() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    tick_to_the_end(&sandbox, &job);
    sandbox.howdah(["db", "purge", "--older-than", "1d"]).at("2100-01-01T00:00Z").succeed();
    assert_eq!(sandbox.database().value("SELECT count(*) FROM attempt"), "0");
    backup(&sandbox);
    let other = counter(&sandbox, "0");
    tick_to_the_end(&sandbox, &other);
    let told = restore(&sandbox).stdout;
    assert!(told.contains(&format!("{other} has started work after the backup")), "{told}");
    assert!(!told.contains(&job) && !told.contains("later starts"), "{told}");
    // The same of a copy that does not say when it was made.
    let copy = sandbox.path("copy.db");
    let last = counter(&sandbox, "0");
    tick_to_the_end(&sandbox, &last);
    sandbox.database().rows(&format!("VACUUM INTO '{}'", copy.display()));
    let told = sandbox.howdah(["db", "restore", "--accept-unknown"]).at(NOW).with(&copy).succeed().stdout;
    assert!(!told.contains("has started work") && !told.contains("later starts"), "{told}");
}

#[test]
fn what_still_waits_after_a_restore_is_known_to_the_next_one() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    restore(&sandbox);
    // The lines of the starts are before this one, and nothing of them is in the database yet.
    backup(&sandbox);
    restore(&sandbox);
    tick_to_the_end(&sandbox, &job);
    assert_each_once(&sandbox, "restored twice");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

/// A command that waits for a file, of an action that the failure policy reruns.
#[test]
fn a_rerun_by_the_failure_policy_is_not_repeated_and_its_living_command_is_known() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    let line = "test ${nominal} = 2010-01-01T00:00Z || exit 0; echo \"S ${nominal} one\" >> ${sandbox}/effects; \
                while [ ! -e ${sandbox}/gate ]; do sleep 0.05; done; rm ${sandbox}/gate; exit 1";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let job = sandbox.submit(NOW, &[("howdah.failure.rerun", "3"), ("howdah.failure.rerun.wait", "1")]);
    let count = || starts(&sandbox).get("2010-01-01T00:00Z one").copied().unwrap_or_default();
    let until = |number: usize, now: &str| {
        wait_for("a start", || {
            sandbox.tick(now);
            (count() == number).then_some(())
        });
    };
    until(1, NOW);
    backup(&sandbox);
    sandbox.write("gate", "");
    until(2, "2010-01-01T06:30Z");
    end_runner(&sandbox);
    let told = restore(&sandbox).stdout;
    assert!(told.contains(&format!("{job}@1 was rerun after the backup")), "{told}");
    assert!(told.contains("a command of these may be alive"), "{told}");
    for _ in 0..3 {
        sandbox.tick("2010-01-01T07:00Z");
        wait_for("other processes to end", || sandbox.runner().is_none().then_some(()));
    }
    assert_eq!(count(), 2, "the policy has rerun it before the restore");
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 SUCCEEDED");
    let workflow_job = sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
    for words in [&["rerun", &job, "--action", "1", "--yes"][..], &["rerun", &workflow_job, "--yes"]] {
        let refused = sandbox.howdah(words.iter().copied()).at("2010-01-01T07:00Z").run();
        assert_eq!(refused.status, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("may be alive"), "{refused:?}");
    }
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.howdah(["rerun", &job, "--action", "1", "--yes"]).at("2010-01-01T07:00Z").succeed();
    until(3, "2010-01-01T07:00Z");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.database().check();
}

/// Replaces a part of the last line of the journal that is behind `from` by zeros; `false` when there is none.
fn damage_journal(sandbox: &Sandbox, from: usize) -> bool {
    let journal = sandbox.beside_database(".starts");
    let Ok(mut bytes) = fs::read(&journal) else { return false };
    if bytes.len() <= from {
        return false;
    }
    let end = bytes.len() - 5;
    bytes[end - 10..end].fill(0);
    fs::write(&journal, bytes).expect("a journal");
    true
}

#[test]
fn a_damaged_line_of_the_journal_is_a_gap_until_the_next_runner_has_written_it_again() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    let file = backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    assert!(damage_journal(&sandbox, 0));
    let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).run();
    assert_eq!(refused.status, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("H0135") && refused.stderr.contains("damaged line"), "{refused:?}");
    // A power cut has taken more of it.
    let journal = sandbox.beside_database(".starts");
    let text = fs::read(&journal).expect("a journal");
    fs::write(&journal, &text[..text.len() * 3 / 4]).expect("a journal");
    workflow(&sandbox, "alone", "one", &[shell("one", "true", "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("alone"));
    let alone = submit.succeed().job();
    sandbox.await_quiet();
    let told = restore(&sandbox).stdout;
    assert!(told.contains("12 later starts are known"), "{told}");
    assert!(told.contains(&format!("{alone} has started work after the backup")), "{told}");
    tick_to_the_end(&sandbox, &job);
    assert_each_once(&sandbox, "restored");
}

#[test]
fn a_backup_that_another_user_may_change_is_not_put_back() {
    let sandbox = Sandbox::new();
    counter(&sandbox, "0");
    let file = backup(&sandbox);
    let refused = |what: &str| {
        let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).run();
        assert_eq!(refused.status, Some(1), "{what}: {refused:?}");
        assert!(refused.stderr.contains("H0100") && refused.stderr.contains(what), "{refused:?}");
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("a backup");
    refused("other users may write it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a backup");
    if howdah_tier::root("it gives a backup to a user who does not exist") {
        std::os::unix::fs::chown(&file, Some(4_000_000), None).expect("a backup");
        refused("it belongs to user [4000000]");
        std::os::unix::fs::chown(&file, Some(0), None).expect("a backup");
    }
    restore(&sandbox);
}

#[test]
fn a_job_that_is_new_after_the_restore_is_not_the_one_that_had_its_number() {
    let sandbox = Sandbox::new();
    let first = counter(&sandbox, "0");
    backup(&sandbox);
    let lost = sandbox.submit(NOW, &[]);
    tick_to_the_end(&sandbox, &first);
    tick_to_the_end(&sandbox, &lost);
    let told = restore(&sandbox).stdout;
    assert!(told.contains(&format!("{lost} has started work after the backup")), "{told}");
    let again = sandbox.submit(NOW, &[]);
    assert_ne!(again, lost);
    tick_to_the_end(&sandbox, &first);
    tick_to_the_end(&sandbox, &again);
    // The first one once; the second one before the restore, and as a new job after it.
    assert!(starts(&sandbox).values().all(|count| *count == 3), "{:?}", starts(&sandbox));
    sandbox.database().check();
}

#[test]
fn a_backup_that_the_journal_does_not_reach_is_put_back_only_when_that_is_accepted() {
    let sandbox = Sandbox::new();
    let job = counter(&sandbox, "0");
    let file = backup(&sandbox);
    tick_to_the_end(&sandbox, &job);
    let journal = sandbox.beside_database(".starts");
    let text = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, text.replacen("\"dropped\":0", "\"dropped\":1", 1)).expect("a journal");
    let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).run();
    assert_eq!(refused.status, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("H0135") && refused.stderr.contains("--accept-unknown"), "{refused:?}");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "nothing was changed");
    let told = sandbox.howdah(["db", "restore", "--accept-unknown"]).at(NOW).with(&file).succeed().stdout;
    assert!(told.contains("all jobs are paused"), "{told}");
    sandbox.tick_through(NOW);
    assert_ne!(sandbox.database().job(&job), "SUCCEEDED");
    sandbox.howdah(["resume", "--all"]).at(NOW).succeed();
    tick_to_the_end(&sandbox, &job);
    assert_each_once(&sandbox, "what the journal has is known all the same");
}

#[test]
fn nothing_is_put_back_while_another_process_works_and_nothing_that_is_no_backup() {
    let sandbox = Sandbox::new();
    counter(&sandbox, "0");
    let file = backup(&sandbox);
    let before = fs::read(sandbox.database_path()).expect("a database");
    let lock = fs::File::open(sandbox.beside_database(".tick.lock"));
    let lock = lock.or_else(|_| fs::File::create(sandbox.beside_database(".tick.lock"))).expect("a lock");
    lock.lock().expect("a lock");
    let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).run();
    assert!(refused.stderr.contains("H0105") && refused.stderr.contains(".tick.lock"), "{refused:?}");
    drop(lock);
    let open = sandbox.database();
    assert_eq!(open.value("SELECT count(*) FROM birth"), "1");
    // A process of its own: SQLite's locks belong to processes.
    let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).start().finish();
    assert!(refused.stderr.contains("H0105"), "{refused:?}");
    drop(open);
    let mut damaged = fs::read(&file).expect("a backup");
    let middle = damaged.len() / 2;
    damaged[middle..middle + 4096].fill(0xff);
    for (name, content) in [("text.db", b"no database".to_vec()), ("damaged.db", damaged), ("empty.db", Vec::new())] {
        fs::write(sandbox.path(name), content).expect("a file");
        let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(sandbox.path(name)).run();
        assert_eq!(refused.status, Some(1), "{name}: {refused:?}");
    }
    assert_eq!(fs::read(sandbox.database_path()).expect("a database"), before);
}

#[test]
fn daily_backups_delete_only_older_ones_of_this_database() {
    let sandbox = Sandbox::new();
    counter(&sandbox, "0");
    fs::create_dir(sandbox.path("daily")).expect("a folder");
    fs::write(sandbox.path("daily/howdah-2009-01-01.db"), "no backup").expect("a file");
    fs::write(sandbox.path("daily/notes.txt"), "mine").expect("a file");
    let daily = |now: &str| {
        sandbox.howdah(["db", "backup", "--keep", "2", "--daily", &sandbox.text("daily")]).at(now).succeed().stdout
    };
    for day in 1..=4 {
        daily(&format!("2010-01-0{day}T02:00Z"));
    }
    assert!(daily("2010-01-04T03:00Z").contains("is there already"));
    let mut names: Vec<_> =
        fs::read_dir(sandbox.path("daily")).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    assert_eq!(names, ["howdah-2009-01-01.db", "howdah-2010-01-03.db", "howdah-2010-01-04.db", "notes.txt"]);
    fs::copy(sandbox.path("daily/howdah-2010-01-03.db"), sandbox.path("backup.db")).expect("a backup");
    restore(&sandbox);
}

fn at_most(dice: &mut Dice, most: usize) -> usize {
    usize::try_from(dice.between(0, i64::try_from(most).expect("a small number"))).expect("not negative")
}

/// The times of the ticks of a trial: a minute passes from one to the next, so that planned reruns come due.
struct Ticks {
    minutes: u32,
}

impl Ticks {
    fn next(&mut self) -> String {
        self.minutes += 1;
        format!("2010-01-01T{:02}:{:02}Z", 6 + self.minutes / 60, self.minutes % 60)
    }
}

/// What a trial has beside a coordinator, a backup and a restore.
#[expect(clippy::struct_excessive_bools, reason = "each is thrown alone")]
#[derive(Debug)]
struct Trial {
    pause: &'static str,
    /// The coordinator is in a bundle, which the first tick kicks off.
    bundle: bool,
    /// The first action fails, and the failure policy reruns it once.
    policy: bool,
    /// A workflow job was purged before the backup.
    purge: bool,
    /// A person reruns the second action after the backup.
    rerun: bool,
    /// A line of the journal is damaged when the backup is put back.
    damage: bool,
    crash: bool,
    copy: bool,
    again: bool,
}

impl Trial {
    fn of(dice: &mut Dice) -> Self {
        Self {
            pause: dice.one_of(&["0", "0.05", "0.3"]),
            bundle: dice.happens(333),
            policy: dice.happens(333),
            purge: dice.happens(333),
            rerun: dice.happens(333),
            damage: dice.happens(250),
            crash: dice.happens(500),
            copy: dice.happens(500),
            again: dice.happens(250),
        }
    }

    fn submit(&self, sandbox: &Sandbox) {
        let controls = "<concurrency>2</concurrency><throttle>60</throttle>";
        Coordinator { end: "2010-01-01T06:00Z", controls, ..Coordinator::default() }.write(sandbox);
        let fails = if self.policy { "2010-01-01T00:00Z" } else { "none" };
        let line = format!("{}; test ${{nominal}} != {fails}", counted("one", self.pause));
        let child = action("child", &sub_workflow("child"), "end", "");
        workflow(sandbox, "app", "one", &[shell("one", &line, "child"), child]);
        workflow(sandbox, "child", "two", &[shell("two", &counted("two", self.pause), "end")]);
        let policy: &[(&str, &str)] =
            if self.policy { &[("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "1")] } else { &[] };
        if self.bundle {
            submit_bundle(sandbox, "2009-12-31T12:00Z", &["a"], policy);
        } else {
            sandbox.submit(NOW, policy);
        }
    }

    /// How many commands start when nothing is put back and nothing is rerun by a person.
    fn expected(&self) -> BTreeMap<String, usize> {
        let mut expected = BTreeMap::new();
        for hour in 0..6 {
            let fails = self.policy && hour == 0;
            expected.insert(format!("2010-01-01T0{hour}:00Z one"), if fails { 2 } else { 1 });
            if !fails {
                expected.insert(format!("2010-01-01T0{hour}:00Z two"), 1);
            }
        }
        expected
    }
}

/// Runs a workflow job and purges it; returns its id.
fn purged_job(sandbox: &Sandbox) -> String {
    workflow(sandbox, "alone", "one", &[shell("one", "true", "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("alone"));
    let job = submit.succeed().job();
    sandbox.await_quiet();
    sandbox.howdah(["db", "purge", "--older-than", "1d"]).at("2100-01-01T00:00Z").succeed();
    job
}

/// Ticks until so many commands have started, or nothing more starts.
fn tick_until(sandbox: &Sandbox, ticks: &mut Ticks, number: usize) {
    for _ in 0..100 {
        if starts(sandbox).values().sum::<usize>() >= number {
            return;
        }
        sandbox.tick(&ticks.next());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Reruns the second action when it has ended; returns whether it did.
fn rerun_second(sandbox: &Sandbox, ticks: &mut Ticks) -> bool {
    sandbox.await_quiet();
    let second = "SELECT id FROM coordinator_job JOIN coordinator_action USING (job)
        WHERE number = 2 AND coordinator_action.status = 'SUCCEEDED'";
    let Some(job) = sandbox.database().rows(second).pop() else { return false };
    sandbox.howdah(["rerun", &job, "--action", "2", "--yes"]).at(&ticks.next()).succeed();
    sandbox.tick(&ticks.next());
    true
}

/// One backup at a random moment, and a restore at a later one.
fn trial(dice: &mut Dice) -> String {
    let sandbox = Sandbox::new();
    let mut ticks = Ticks { minutes: 0 };
    let made = Trial::of(dice);
    made.submit(&sandbox);
    let purged = made.purge.then(|| purged_job(&sandbox));
    let first = at_most(dice, 9);
    tick_until(&sandbox, &mut ticks, first);
    backup(&sandbox);
    let position = fs::metadata(sandbox.beside_database(".starts")).map_or(0, |journal| journal.len());
    let second = first + at_most(dice, 12 - first);
    tick_until(&sandbox, &mut ticks, second);
    let rerun = made.rerun && rerun_second(&sandbox, &mut ticks);
    let context = format!("backup after {first}, back after {second}, rerun {rerun}, {made:?}");
    if made.crash {
        end_runner(&sandbox);
    } else {
        sandbox.await_quiet();
    }
    for _ in 0..=usize::from(made.again) {
        wait_for("other processes to end", || sandbox.runner().is_none().then_some(()));
        put_back(&sandbox, &made, usize::try_from(position).expect("a small journal"), purged.as_deref());
        if made.again {
            sandbox.tick(&ticks.next());
            std::thread::sleep(Duration::from_millis(30));
            end_runner(&sandbox);
        }
    }
    let open = "SELECT count(*) FROM coordinator_job WHERE ended_at IS NULL";
    let planned = "SELECT count(*) FROM policy_rerun WHERE rerun_at IS NOT NULL";
    let bundles = "SELECT count(*) FROM bundle_job WHERE ended_at IS NULL";
    for _ in 0..40 {
        sandbox.tick_through(&ticks.next());
        if [open, planned, bundles].iter().all(|query| sandbox.database().value(query) == "0") {
            break;
        }
    }
    let (mut starts, mut expected) = (starts(&sandbox), made.expected());
    if rerun {
        // The rerun was named, and is not repeated.
        for node in ["one", "two"] {
            let command = format!("2010-01-01T01:00Z {node}");
            let count = starts.remove(&command).unwrap_or_default();
            assert!((1..=2).contains(&count), "{context}: {command} {count} times");
            expected.remove(&command);
        }
    }
    assert_eq!(starts, expected, "{context}");
    let status = if made.policy { "DONEWITHERROR" } else { "SUCCEEDED" };
    assert_eq!(sandbox.database().rows("SELECT status FROM coordinator_job"), [status], "{context}");
    sandbox.database().check();
    context
}

/// Puts the backup back by `db restore` or `cp`; `position` is the length that the journal had at the backup.
fn put_back(sandbox: &Sandbox, made: &Trial, position: usize, purged: Option<&str>) {
    let database = sandbox.database_path().to_owned();
    let file = if made.copy { database.clone() } else { sandbox.path("backup.db") };
    if made.copy {
        fs::copy(sandbox.path("backup.db"), &database).expect("a backup");
        let refused = sandbox.howdah(["tick"]).at(NOW).run();
        assert!(refused.stderr.contains("H0134"), "{made:?}: {refused:?}");
    }
    let journal = fs::read(sandbox.beside_database(".starts"));
    if made.damage && damage_journal(sandbox, position) {
        let refused = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).run();
        assert!(refused.stderr.contains("H0135"), "{made:?}: {refused:?}");
        fs::write(sandbox.beside_database(".starts"), journal.expect("a journal")).expect("a journal");
    }
    let told = sandbox.howdah(["db", "restore"]).at(NOW).with(&file).succeed().stdout;
    assert!(purged.is_none_or(|job| !told.contains(job)), "{made:?}: {told}");
}

#[test]
fn nothing_runs_twice_after_a_restore_at_any_moment() {
    let mut dice = Dice::new(34);
    let trials = RESTORES.named("HOWDAH_RESTORES");
    for number in 0..trials {
        let context = trial(&mut dice);
        println!("{number}: {context}");
    }
    println!("{trials} restores: 0 commands ran twice");
}
