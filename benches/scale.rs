//! What listings and ticks cost on a large database: 1,000 coordinators, each reading what the one before it writes,
//! with 1,000 finished actions each.
//!
//! * The first page of `jobs` and of `info`, and `explain` of one action, beside the `sqlite3` command that fetches the
//!   same rows by their keys (rusqlite inside this process, where there is no such command).
//! * `status`, `jobs`, `actions` and `metrics` where each coordinator is late, beside the rows that they need.
//! * A tick in which 100 actions start, beside one commit for each change and the looks at files that it needs.
//! * A tick that finds nothing, beside one with 1,000 actions; a tick of a job that passes twenty years of minutes over,
//!   beside one that passes a day over.
//! * A million actions of one job that wait: the tick that looks for their inputs first, the next one, and killing the
//!   job, also by the numbers of its actions, beside the statements that do the least of it.
//! * `serve`: the time to the first byte, and ticks beside 200 requests a second.
//!
//! Prints each ratio beside its bound; run with `cargo bench --bench scale`, or its last part alone with `cargo bench
//! --bench scale -- served`.
#![allow(clippy::disallowed_methods, reason = "a benchmark makes files and measures time")]

#[path = "scale/bare.rs"]
mod bare;
#[path = "measure/mod.rs"]
mod measure;
#[path = "scale/served.rs"]
mod served;
#[path = "scale/site.rs"]
mod site;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bare::Needed;
use howdah_internals::{Filling, fill, store_actions};
use measure::{PAIRS, Pairs, head, program, run, timed};
use rustix::fs::{FlockOperation, flock};
use served::Served;

/// The moment that every command takes for now.
const NOW: &str = "2026-11-20T09:30Z";
/// Coordinators of the large database, and finished actions of each.
const MANY: u32 = 1_000;
/// Actions that wait, and that the measured tick starts.
const CHANGED: u32 = 100;
/// Actions of one job that wait.
const MILLION: i64 = 1_000_000;
/// Ticks that are measured together, and the requests in a second beside them.
const TICKS: u32 = 20;
const RATE: u32 = 200;
/// Where the input of the waiting actions is, below the folder of a coordinator's data.
const WAITED_FOR: &str = "2026-02-11-16";

const COORDINATOR: &str = r#"<coordinator-app xmlns="uri:oozie:coordinator:0.5" name="hourly-${number}"
    frequency="${coord:hours(1)}" start="2026-01-01T00:00Z" end="2027-01-01T00:00Z" timezone="UTC">
  <controls><concurrency>2</concurrency></controls>
  <datasets>
    <dataset name="read" frequency="${coord:hours(1)}" initial-instance="2026-01-01T00:00Z" timezone="UTC">
      <uri-template>file://${folder}/data/${before}/${YEAR}-${MONTH}-${DAY}-${HOUR}</uri-template>
      <done-flag></done-flag>
    </dataset>
    <dataset name="written" frequency="${coord:hours(1)}" initial-instance="2026-01-01T00:00Z" timezone="UTC">
      <uri-template>file://${folder}/data/${number}/${YEAR}-${MONTH}-${DAY}-${HOUR}</uri-template>
      <done-flag></done-flag>
    </dataset>
  </datasets>
  <input-events><data-in name="in" dataset="read"><instance>${coord:current(0)}</instance></data-in></input-events>
  <output-events>
    <data-out name="out" dataset="written"><instance>${coord:current(0)}</instance></data-out>
  </output-events>
  <action><workflow>
    <app-path>file://${folder}/app</app-path>
    <configuration>
      <property><name>in</name><value>${coord:dataIn('in')}</value></property>
      <property><name>out</name><value>${coord:dataOut('out')}</value></property>
    </configuration>
  </workflow></action>
</coordinator-app>"#;

const WORKFLOW: &str = r#"<workflow-app xmlns="uri:oozie:workflow:0.5" name="copy">
  <start to="make"/>
  <action name="make"><fs><mkdir path="${out}"/></fs><ok to="end"/><error to="end"/></action>
  <end name="end"/>
</workflow-app>"#;

fn main() {
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let bench = Bench { folder: folder.path().to_owned() };
    if std::env::args().any(|word| word == "served") {
        return bench.served();
    }
    let many = Filling { coordinators: MANY, finished: MANY, waiting: 0 };
    println!("filling databases takes {:?}", timed(|| bench.fill("large", many)));
    bench.fill("small", Filling { coordinators: 1, ..many });
    bench.fill("waiting", Filling { waiting: CHANGED, ..many });
    head();
    bench.pages("large", 500);
    // What it waits for is looked up: present or not, who writes it, and what that one waits for.
    bench.explain("waiting", "of a WAITING action", (CHANGED, MANY + 1));
    bench.site();
    bench.history();
    bench.changes();
    bench.passed_over();
    bench.million();
    bench.served();
}

struct Bench {
    folder: PathBuf,
}

impl Bench {
    /// The first pages, of all jobs and of the job under a key.
    fn pages(&self, name: &str, key: u32) {
        let database = self.database(name);
        let newest = format!("SELECT * FROM coordinator_job WHERE job > {} ORDER BY job DESC", MANY - 50);
        beside_sqlite(&database, "jobs, first page", &["jobs"], &newest);
        let job = self.job_id(name, key);
        let actions = |last| {
            format!(
                "SELECT * FROM coordinator_action WHERE job = {key} AND number BETWEEN 1 AND {last} ORDER BY number"
            )
        };
        beside_sqlite(&database, "info JOB, first page", &["info", &job], &actions(1000));
        beside_sqlite(&database, "info JOB, 50 actions", &["info", &job, "--len", "50"], &actions(50));
        self.explain(name, "of a SUCCEEDED action", (key, 500));
    }

    fn explain(&self, name: &str, what: &str, (key, number): (u32, u32)) {
        let action = format!("{}@{number}", self.job_id(name, key));
        let row = format!("SELECT * FROM coordinator_action WHERE job = {key} AND number = {number}");
        beside_sqlite(&self.database(name), &format!("explain {what}"), &["explain", &action], &row);
    }

    /// Lists and sums over all coordinators, each of which has an action that waits for too long.
    fn site(&self) {
        self.fill("site", Filling { coordinators: MANY, finished: MANY, waiting: MANY });
        let database = self.database("site");
        for (arguments, sql) in [
            (&["status"][..], site::status()),
            (&["jobs"], site::page(MANY)),
            (&["jobs", "--sort", "attention"], site::attention(MANY)),
            (&["actions"], site::ACTIONS.to_owned()),
            (&["actions", "--late", "1h"], site::LATE_ACTIONS.to_owned()),
            (&["metrics"], site::metrics()),
        ] {
            beside_sqlite(&database, &format!("{}, every job is late", arguments.join(" ")), arguments, &sql);
        }
    }

    /// `serve`: the time to the first byte, and ticks beside a steady number of requests.
    fn served(&self) {
        self.fill("served", Filling { coordinators: MANY, finished: MANY, waiting: MANY });
        let database = self.database("served");
        let job = self.job_id("served", 500);
        let paths = ["/".to_owned(), "/oozie/v2/jobs?jobtype=coord".to_owned(), format!("/oozie/v2/job/{job}?len=50")];
        let server = Served::start(howdah(&database));
        let of_job = ["", "@500", "?show=status", "?show=definition", "?show=auditlog", "?show=log"];
        let of_job = of_job.map(|part| format!("/oozie/v2/job/{job}{part}"));
        let pages = ["", "@1001", "/history", "/calendar"].map(|part| format!("/job/{job}{part}"));
        let of_site = ["jobs?jobtype=wf", "admin/status", "admin/metrics"].map(|part| format!("/oozie/v2/{part}"));
        for path in paths.iter().chain(&of_site).chain(&of_job).chain(&pages) {
            let median = server.first_byte(path, 100);
            println!(
                "{:<72} {:>6.1} {:>7}",
                format!("serve, first byte of {path}, ms at the median"),
                ms(median),
                "50"
            );
        }
        let ticks = || (0..TICKS).map(|_| tick(&database)).sum();
        ticks();
        let mut answered: Vec<f64> = Vec::new();
        let beside = || {
            let (time, rate) = server.beside(&paths, RATE, ticks);
            answered.push(rate);
            time
        };
        let pairs = Pairs::measure(PAIRS / 3, beside, ticks);
        pairs.report(&format!("{TICKS} ticks, 1,000 WAITING, beside {RATE} requests a second / alone"), "1.10");
        answered.sort_unstable_by(f64::total_cmp);
        println!(
            "{:<72} {:>6.0} {:>7}",
            "serve, answers a second meanwhile, median",
            answered[answered.len() / 2],
            RATE
        );
    }

    fn history(&self) {
        let (large, small) = (self.database("large"), self.database("small"));
        let pairs = Pairs::measure(PAIRS, || tick(&large), || tick(&small));
        pairs.report("tick with 1,000,000 finished actions / with 1,000", "1.10");
    }

    /// A tick in which the inputs of 100 actions of 100 coordinators have come: each becomes READY, is started, and has
    /// a workflow job then.
    fn changes(&self) {
        let database = self.database("waiting");
        // The first look notes what each action waits for.
        tick(&database);
        let paths: Vec<PathBuf> =
            (0..CHANGED).map(|before| self.folder.join(format!("data/{before}/{WAITED_FOR}"))).collect();
        for path in &paths {
            fs::create_dir_all(path).expect("a folder");
        }
        // Nobody carries the workflow jobs on while the next run is measured.
        let lock = fs::File::create(self.folder.join("copy.db.runner.lock")).expect("a file");
        flock(&lock, FlockOperation::LockExclusive).expect("a lock");
        let mut needed = Needed::observe(&database, paths, |copy| {
            tick(copy);
        });
        let rows = needed.rows();
        let own = needed.commits;
        let mut compare = |commits: usize, bound: &str| {
            needed.commits = commits;
            let pairs = Pairs::measure(PAIRS, || tick(&bare::copy(&database)), || needed.repeat(&database));
            pairs.report(&format!("tick, 100 actions start / {commits} commits of its {rows} rows, 100 stats"), bound);
        };
        // One for each change: that its inputs are there, and its start. Then as few as the tick itself needs, which
        // says what it does besides.
        compare(2 * CHANGED as usize, "1.3");
        compare(own, "-");
        // The next part has actions that wait for the same files.
        fs::remove_dir_all(self.folder.join("data")).expect("the folders are there");
    }

    /// The first tick of a job that runs every minute and only its last action.
    fn passed_over(&self) {
        let first_tick = |start: &str| {
            let database = self.database("minutes");
            for end in ["db", "db-wal", "db-shm"] {
                let _ = fs::remove_file(database.with_extension(end));
            }
            self.submit(&database, ("1", start), "<execution>LAST_ONLY</execution>");
            tick(&database)
        };
        let pairs = Pairs::measure(PAIRS, || first_tick("2006-11-20T09:30Z"), || first_tick("2026-11-19T09:30Z"));
        pairs.report("tick that passes 20 years of minutes over / a day", "1.2");
    }

    /// A million actions of one job, whose inputs are missing.
    fn million(&self) {
        let database = self.database("million");
        self.submit(&database, ("1", "2024-01-01T00:00Z"), "<timeout>-1</timeout>");
        let times: Vec<i64> = (0..MILLION).map(|minute| 1_704_067_200 + 60 * minute).collect();
        // The job runs from now on, and has nothing to create.
        fill(&database, Filling { coordinators: 1, finished: 0, waiting: 0 });
        let _ = store_actions(&database, &times);
        let sql = |sql: &str, changed: &Path| {
            timed(|| {
                let connection = rusqlite::Connection::open(changed).expect("the database opens");
                connection.execute_batch(sql).expect("the statement");
            })
        };
        let missing = "UPDATE coordinator_action SET first_missing = '/nowhere/' || nominal_at, missing_from = 0, \
             modified_at = 1 WHERE status = 'WAITING'";
        let copy = || bare::copy(&database);
        let first = || tick(&copy());
        Pairs::measure(2, first, || sql(missing, &copy()))
            .report("first tick, 1,000,000 WAITING / noting what is missing", "2.5");
        tick(&database);
        let count = "SELECT sum(length(first_missing)) FROM coordinator_action WHERE status = 'WAITING'";
        Pairs::measure(5, || tick(&database), || fetched(&database, count))
            .report("next tick, 1,000,000 WAITING / reading them", "3");
        let job = only_job(&database);
        let killed = "UPDATE coordinator_action SET status = 'KILLED', modified_at = 1 WHERE status = 'WAITING'";
        let kill = || run(howdah(&copy()).args(["kill", &job]), &[0]);
        Pairs::measure(2, kill, || sql(killed, &copy())).report("kill JOB, 1,000,000 WAITING / one UPDATE", "2");
        let all = format!("1-{MILLION}");
        let kill_actions = || run(howdah(&copy()).args(["kill", &job, "--action", &all]), &[0]);
        Pairs::measure(2, kill_actions, || sql(killed, &copy()))
            .report("kill JOB --action 1-1000000, all WAITING / one UPDATE", "2");
        let peak = peak_megabytes(howdah(&copy()).args(["kill", &job, "--action", &all]));
        println!("{:<72} {peak:>6} {:>7}", "kill JOB --action 1-1000000: megabytes of memory", "100");
        println!(
            "{:<72} {:>6} {:>7}",
            "the same with --dry-run",
            { peak_megabytes(howdah(&copy()).args(["kill", &job, "--action", &all, "--dry-run"])) },
            "100"
        );
    }

    /// Submits a coordinator with one input that is never there.
    fn submit(&self, database: &Path, (frequency, start): (&str, &str), controls: &str) {
        let application = self.folder.join("minutes");
        fs::create_dir_all(&application).expect("a folder");
        let text = COORDINATOR
            .replace("<concurrency>2</concurrency>", controls)
            .replacen(r#"${coord:hours(1)}" start="2026-01-01T00:00Z""#, &format!(r#"{frequency}" start="{start}""#), 1)
            .replace(
                r#"${coord:hours(1)}" initial-instance="2026-01-01T00:00Z""#,
                r#"1" initial-instance="2000-01-01T00:00Z""#,
            )
            .replace("${HOUR}", "${HOUR}-${MINUTE}");
        fs::write(application.join("coordinator.xml"), text).expect("a file");
        let mut submit = howdah(database);
        submit.arg("submit").arg("-D").arg(format!("oozie.coord.application.path={}", application.display()));
        submit.arg("-D").arg(format!("folder={}", self.folder.display()));
        run(submit.args(["-D", "number=1", "-D", "before=0"]), &[0]);
    }

    fn database(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.db"))
    }

    /// Makes a database.
    fn fill(&self, name: &str, filling: Filling) {
        let application = self.folder.join("app");
        fs::create_dir_all(&application).expect("a folder");
        fs::write(application.join("coordinator.xml"), COORDINATOR).expect("a file");
        fs::write(application.join("workflow.xml"), WORKFLOW).expect("a file");
        let database = self.database(name);
        let mut submit = howdah(&database);
        submit.arg("submit").arg("-D").arg(format!("oozie.coord.application.path={}", application.display()));
        submit.arg("-D").arg(format!("folder={}", self.folder.display()));
        run(submit.args(["-D", "number=1", "-D", "before=0"]), &[0]);
        fill(&database, filling);
    }

    /// The id of the coordinator under a key.
    fn job_id(&self, name: &str, key: u32) -> String {
        let list = howdah(&self.database(name))
            .args(["jobs", "--json", "--len", "1", "--offset"])
            .arg((MANY - key + 1).to_string())
            .stderr(Stdio::inherit())
            .output()
            .expect("the command starts");
        let document: serde_json::Value = serde_json::from_slice(&list.stdout).expect("a document");
        document["coordinatorjobs"][0]["coordJobId"].as_str().expect("an id").to_owned()
    }
}

/// The most memory that a command has had, as far as looking at it all the time shows.
fn peak_megabytes(command: &mut Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command starts");
    let mut peak = 0;
    while child.try_wait().expect("a child").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or_default() / 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// The id of the only coordinator of a database.
fn only_job(database: &Path) -> String {
    let list = howdah(database).args(["jobs", "--json"]).stderr(Stdio::inherit()).output().expect("it starts");
    let document: serde_json::Value = serde_json::from_slice(&list.stdout).expect("a document");
    document["coordinatorjobs"][0]["coordJobId"].as_str().expect("an id").to_owned()
}

fn beside_sqlite(database: &Path, what: &str, arguments: &[&str], sql: &str) {
    let ours = || run(howdah(database).args(arguments), &[0]);
    let theirs = || match program("sqlite3") {
        Some(sqlite) => run(Command::new(sqlite).arg(database).arg(sql), &[0]),
        None => fetched(database, sql),
    };
    Pairs::measure(PAIRS, ours, theirs).report(&format!("{what} / its rows by key"), "1.5");
}

/// The time to open a database and to read rows from it, in this process.
fn fetched(database: &Path, sql: &str) -> Duration {
    timed(|| {
        let connection = rusqlite::Connection::open(database).expect("the database opens");
        for sql in sql.split_terminator(';') {
            let mut statement = connection.prepare(sql).expect("a statement");
            let mut rows = statement.query([]).expect("rows");
            while rows.next().expect("a row").is_some() {}
        }
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn tick(database: &Path) -> Duration {
    run(howdah(database).arg("tick"), &[0])
}

fn howdah(database: &Path) -> Command {
    let mut command = measure::howdah();
    command.arg("--db").arg(database).args(["--now", NOW]);
    command
}
