//! Every command whose output was recorded of Oozie's own client, on a database that holds the same jobs.
//!
//! The recording is `fixtures/oozie-client/printed.txt`. What cannot be equal is in [`DIFFERENT`], with its reason.

use std::fs::{self, File};

use rusqlite::Connection;

use crate::oozie::NOW;
use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const RECORDING: &str = include_str!("../../fixtures/oozie-client/printed.txt");

/// A command and what the client printed.
struct Recorded {
    words: Vec<String>,
    stdout: String,
    stderr: String,
    status: i32,
}

fn recorded() -> Vec<Recorded> {
    let mut all: Vec<Recorded> = Vec::new();
    for line in RECORDING.lines() {
        if let Some(words) = line.strip_prefix("$ oozie ") {
            let words = words.split(' ').map(str::to_owned).collect();
            all.push(Recorded { words, stdout: String::new(), stderr: String::new(), status: -1 });
            continue;
        }
        let last = all.last_mut().expect("a command comes first");
        if let Some(status) = line.strip_prefix("[exit ").and_then(|rest| rest.strip_suffix(']')) {
            last.status = status.parse().expect("a number");
        } else if let Some(line) = line.strip_prefix("[stderr] ") {
            last.stderr.extend([line, "\n"]);
        } else {
            last.stdout.extend([line, "\n"]);
        }
    }
    all
}

/// What the recording server answered and no database can: the command, the recorded text, what is printed here, and
/// why.
const DIFFERENT: &[(&str, &str, &str, &str)] = &[
    (
        "jobs -jobtype bundle",
        "2015-06-22 15:06 GMT-                   me",
        "2015-06-22 15:06 GMT2015-06-22 15:06 GMTme",
        "every job has a time of creation",
    ),
    ("jobs -filter status=RUNNING -kill", "demo-wf      RUNNING ", "demo-wf      KILLED  ", "the job is killed"),
    (
        "jobs -filter status=RUNNING -kill",
        "2015-06-22 15:06 GMT    -                       ",
        "2015-06-22 15:06 GMT    2015-06-22 15:06 GMT    ",
        "and has ended",
    ),
    ("job -log 0000005-150622124850154-oozie-oozi-W", "log line\n", "", "its command has written nothing"),
    ("job -definition 0000005-150622124850154-oozie-oozi-W", "<workflow-app/>", "[definition]", "a real definition"),
    (
        "job -ignore 0000003-150622124850154-oozie-oozi-C -action 1",
        "UTC\tWAITING",
        "UTC\tIGNORED",
        "the action is ignored",
    ),
    (
        "job -update 0000003-150622124850154-oozie-oozi-C -config job.properties",
        "**diff**",
        "[differences]",
        "a real difference, in the form of Oozie's server",
    ),
    (
        "job -missingdeps 0000003-150622124850154-oozie-oozi-C -action 1",
        "0000003-150622124850154-oozie-oozi-C@1",
        "1",
        "Oozie's server answers with the number",
    ),
    ("job -info missing-W", "[missing]", "[missing-W]", "the server names the whole id"),
];

/// Checks that an update printed its differences as Oozie's server writes them: the definition is the same, and the
/// job no longer has the properties of its bundle.
fn check_differences(printed: &str) {
    const END: &str = "******************************************\n";
    let no_definition = format!("**********Job definition changes**********\n{END}");
    let properties = printed.strip_prefix(&no_definition).expect(printed);
    let properties = properties.strip_prefix("**********Job conf changes****************\n").expect(printed);
    let hunks = properties.strip_suffix('\n').and_then(|rest| rest.strip_suffix(END)).expect(printed);
    assert!(hunks.lines().any(|line| line == "-oozie.bundle.application.path=file:///x"), "{printed}");
    assert!(hunks.lines().all(|line| line.starts_with(['-', '+', ' ', '@'])), "{printed}");
}

/// What the recording server did not read: a bundle is found by its whole name, and without a status only actions that
/// ended badly are listed.
fn asked(words: &[String]) -> Vec<&str> {
    let words = words.iter().map(String::as_str);
    words.map(|word| if word == "bundle=demo" { "bundle=demo-bundle;actionstatus=WAITING" } else { word }).collect()
}

/// The database with the recorded jobs, and the lock that keeps every runner away: the running job has no command.
struct Server {
    sandbox: Sandbox,
    _lock: File,
    image: Vec<u8>,
}

const MOUNT: &str = "file:///x=";

impl Server {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        applications(&sandbox);
        let server = Self { _lock: File::create(sandbox.path("unused")).expect("a file"), image: Vec::new(), sandbox };
        server.with_jobs()
    }

    /// Submits the three jobs under the recorded numbers, and gives them the recorded states.
    fn with_jobs(self) -> Self {
        let submit = |file: &str| self.run(&["job", "-config", file, "-submit"]);
        submit("workflow.properties");
        let lock = File::create(self.sandbox.beside_database(".runner.lock")).expect("a lock");
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("no runner works");
        self.change(
            "PRAGMA foreign_keys = OFF; DELETE FROM event; DELETE FROM workflow_hold; DELETE FROM workflow_job",
        );
        let number = |next: u32| {
            self.change(&format!("UPDATE birth SET stamp = '150622124850154-oozie-oozi', next_number = {next}"));
        };
        number(1);
        submit("bundle.properties");
        self.sandbox.howdah(["tick"]).env("HOWDAH_MOUNTS", self.mount()).at(NOW).succeed();
        number(5);
        submit("workflow.properties");
        number(5);
        self.change(STATES);
        let connection = Connection::open(self.sandbox.database_path()).expect("a database");
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("all in one file");
        drop(connection);
        let image = fs::read(self.sandbox.database_path()).expect("a database");
        Self { _lock: lock, image, ..self }
    }

    fn mount(&self) -> String {
        format!("{MOUNT}{}", self.sandbox.text("x"))
    }

    fn run(&self, words: &[&str]) -> Ran {
        let howdah = self.sandbox.howdah(["--now", NOW, "oozie"]).with_all(words);
        howdah.env("HOWDAH_MOUNTS", self.mount()).env("OOZIE_URL", "http://no.such.host:11000/oozie").run()
    }

    fn change(&self, sql: &str) {
        let connection = Connection::open(self.sandbox.database_path()).expect("a database");
        connection.execute_batch(sql).expect(sql);
    }

    /// Brings the database back to the recorded jobs; the file stays the same one, so that it is no copy.
    fn restore(&self) {
        for suffix in ["-wal", "-shm"] {
            // There need not be one.
            let _ = fs::remove_file(self.sandbox.beside_database(suffix));
        }
        fs::write(self.sandbox.database_path(), &self.image).expect("a database");
    }
}

fn applications(sandbox: &Sandbox) {
    let data = "<datasets><dataset name=\"d\" frequency=\"${coord:hours(1)}\" \
                initial-instance=\"2015-06-22T15:06Z\" timezone=\"UTC\"><uri-template>file:///d/${YEAR}\
                </uri-template><done-flag/></dataset></datasets><input-events><data-in name=\"input\" \
                dataset=\"d\"><instance>${coord:current(0)}</instance></data-in></input-events>";
    let (start, end) = (NOW, "2015-06-22T17:06Z");
    Coordinator { start, end, data: data.to_owned(), ..Coordinator::default() }.write(sandbox);
    let name = "demo-coord-with-a-very-long-name";
    let definition = sandbox.read("app/coordinator.xml").replace("name=\"test\"", &format!("name=\"{name}\""));
    sandbox.write("x/coordinator.xml", &definition);
    workflow(sandbox, "app", "shell-node", &[shell("shell-node", "true", "end")]);
    workflow(sandbox, "x/wf", "shell-node", &[shell("shell-node", "true", "end")]);
    let definition = sandbox.read("x/wf/workflow.xml").replace("name=\"test\"", "name=\"demo-wf\"");
    sandbox.write("x/wf/workflow.xml", &definition);
    let bundle = format!(
        "<bundle-app name=\"demo-bundle\" xmlns=\"uri:oozie:bundle:0.2\"><controls><kick-off-time>{NOW}\
         </kick-off-time></controls><coordinator name=\"{name}\"><app-path>file:///x</app-path></coordinator>\
         </bundle-app>"
    );
    sandbox.write("x/bundle.xml", &bundle);
    let own = sandbox.text("");
    sandbox.write("workflow.properties", "oozie.wf.application.path=file:///x/wf\n");
    sandbox.write("bundle.properties", &format!("oozie.bundle.application.path=file:///x\nsandbox={own}\n"));
    sandbox.write("coordinator.properties", &format!("oozie.coord.application.path=file:///x\nsandbox={own}\n"));
}

/// The states of the recording, where a run of these jobs would have others.
const STATES: &str = "
    DELETE FROM workflow_hold;
    UPDATE bundle_job SET user = 'me';
    UPDATE coordinator_job SET id = '0000003-150622124850154-oozie-oozi-C', user = 'me', next_materialized_at = start_at, end_at = start_at, due_at = NULL;
    UPDATE workflow_job SET user = 'me', status = 'RUNNING', started_at = created_at, parent_coordinator = 1,
        parent_action = 1;
    DELETE FROM workflow_node;
    INSERT INTO workflow_node (job, name, sequence, kind, status, started_at, ended_at, external_id, external_status)
        SELECT job, 'shell-node', 1, 'shell', 'OK', created_at, created_at, '123', 'OK' FROM workflow_job;
";

/// What must be so before a command that needs another state than the recorded one.
fn prepare(server: &Server, words: &str) {
    let without_workflow = "DELETE FROM workflow_node; DELETE FROM event WHERE workflow_job IS NOT NULL; \
                            DELETE FROM workflow_job";
    let submits = words.contains(" -run") || words.contains(" -submit") || words.contains("-dryrun");
    let properties = match words {
        words if words.contains("-update") => "coordinator.properties",
        _ => "workflow.properties",
    };
    fs::copy(server.sandbox.path(properties), server.sandbox.path("job.properties")).expect("properties");
    if submits {
        server.change(&format!("PRAGMA foreign_keys = OFF; {without_workflow}"));
    } else if words.starts_with("job -rerun 0000005") {
        server.change("UPDATE workflow_job SET status = 'KILLED', ended_at = created_at");
    } else if words.starts_with("job -rerun") || words.starts_with("job -ignore") {
        server.run(&["job", "-kill", "0000003-150622124850154-oozie-oozi-C", "-action", "1"]);
    }
}

#[test]
fn every_recorded_command_prints_the_same() {
    let server = Server::new();
    let commands = recorded();
    assert_eq!(commands.len(), 35);
    let mut problems = Vec::new();
    for Recorded { words, stdout, stderr, status } in &commands {
        let line = words.join(" ");
        server.restore();
        prepare(&server, &line);
        let ran = server.run(&asked(words));
        let mut printed = (ran.stdout.clone(), ran.stderr.clone());
        let mut expect = (stdout.clone(), stderr.clone());
        let definition = server.sandbox.read("x/wf/workflow.xml");
        printed.0 =
            printed.0.replace(definition.trim_end(), "[definition]").replace("[definition]\n\n", "[definition]\n");
        if line.starts_with("job -update") {
            check_differences(&printed.0);
            printed.0 = "[differences]\n".to_owned();
        }
        for (_, recorded, here, why) in DIFFERENT.iter().filter(|(command, ..)| *command == line) {
            let is_there = expect.0.contains(recorded) || expect.1.contains(recorded);
            assert!(is_there, "{line}: [{recorded}] is not in the recording ({why})");
            expect = (expect.0.replace(recorded, here), expect.1.replace(recorded, here));
        }
        if (ran.status, &printed) != (Some(*status), &expect) {
            problems.push(format!(
                "$ oozie {line}\n{:?}\n{}{}--- expected\n{}{}",
                ran.status, printed.0, printed.1, expect.0, expect.1
            ));
        }
    }
    server.restore();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), commands.len(), problems.join("\n"));
}

#[test]
fn before_the_first_submission_there_are_no_jobs() {
    let sandbox = Sandbox::new();
    let run = |words: &[&str]| sandbox.howdah(["--now", NOW, "oozie"]).with_all(words).run();
    let id = "0000005-150622124850154-oozie-oozi-W";
    let missing = format!("Error: E0604 : E0604: Job does not exist [{id}]\n");
    for (words, status, stdout, stderr) in [
        (&["jobs"][..], 0, "No Jobs match your criteria!\n", ""),
        (&["jobs", "-jobtype", "coordinator", "-verbose"], 0, "No Jobs match your criteria!\n", ""),
        (&["jobs", "-jobtype", "bundle"], 0, "No Jobs match your criteria!\n", ""),
        (&["jobs", "-filter", "name=x", "-kill"], 0, "bulk modify command did not modify any jobs\n", ""),
        (&["admin", "-status"], 0, "System mode: NORMAL\n", ""),
        (&["job", "-info", id], 255, "", missing.as_str()),
        (&["job", "-kill", id], 255, "", &missing),
        (&["job", "-log", id], 255, "", &missing),
        (&["job", "-poll", id], 255, "", &missing),
    ] {
        let ran = run(words);
        let found = (ran.status, ran.stdout.as_str(), ran.stderr.as_str());
        assert_eq!(found, (Some(status), stdout, stderr), "{words:?}");
        assert!(!sandbox.database_path().exists(), "{words:?} creates no database");
    }
    assert_eq!(run(&["admin", "-systemmode", "SAFEMODE"]).stdout, "System mode: SAFEMODE\n");
    assert_eq!(run(&["admin", "-status"]).stdout, "System mode: SAFEMODE\n", "a mode that is set stays");
    let own = sandbox.howdah(["--db", "other.db", "jobs"]).run();
    assert!(own.status == Some(1) && own.stderr.contains("H0100"), "howdah's own verbs want a database: {own:?}");
}
