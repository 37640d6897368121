//! What the runner costs: many small actions beside the same commands without howdah, and a runner that has nothing to
//! do. Ratios of two things measured in turn, printed with the bound they should keep; run with `cargo bench --bench
//! workflows`.
#![allow(clippy::disallowed_methods, reason = "a benchmark meets the machine itself")]

mod measure;

use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use measure::{PAIRS, Pairs, head, program, run, timed};

const FORKED: usize = 200;
const CHAINED: usize = 100;
/// The hours of a month, which a coordinator makes up for.
const CAUGHT_UP: usize = 744;
/// How many of them run at the same time.
const AT_ONCE: usize = 8;
/// Pairs of runs of a month.
const FEW_PAIRS: usize = 5;
/// Workflow jobs that run while nothing changes.
const ACTIVE: usize = 500;
/// How long the idle runner is watched.
const WATCHED: Duration = Duration::from_secs(20);

/// Where the folders of all runs are: `cargo clean` removes them.
const RUNS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/workflows");
/// How old the folder of a run is at least that a later one removes.
const FORGOTTEN: Duration = Duration::from_secs(1800);

/// A file system may be slow in making files for minutes after many were removed (ext4 without a journal passes over
/// what was freed lately). So what makes the most files comes last, and nothing is removed that another run has just
/// made.
fn main() {
    fs::create_dir_all(RUNS).expect("a folder");
    let folder = tempfile::tempdir_in(RUNS).expect("a temporary folder").keep();
    let bench = Bench { folder, runs: Cell::new(0) };
    head();
    bench.idle();
    for neighbours in [Neighbours::none as fn() -> Neighbours, Neighbours::busy] {
        let neighbours = neighbours();
        bench.chained(&neighbours);
        bench.forked(&neighbours);
        bench.caught_up(&neighbours);
    }
    forget_old_runs();
}

fn forget_old_runs() {
    let folders = fs::read_dir(RUNS).expect("the folder of all runs").flatten();
    let is_old = |folder: &fs::DirEntry| {
        let made = folder.metadata().and_then(|metadata| metadata.modified()).ok();
        made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > FORGOTTEN)
    };
    folders.filter(is_old).for_each(|folder| fs::remove_dir_all(folder.path()).expect("a folder of one's own"));
}

/// Other processes that want the processors while something is measured.
struct Neighbours(Vec<Child>);

impl Neighbours {
    fn none() -> Self {
        Self(Vec::new())
    }

    /// Two for each core, which never wait.
    fn busy() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a shell");
        Self((0..2 * cores).map(|_| spin()).collect())
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ", {} busy loops beside", self.0.len()) }
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

struct Bench {
    folder: PathBuf,
    runs: Cell<u32>,
}

impl Bench {
    /// A fork of many actions of `true`, against the same processes started by `xargs`.
    fn forked(&self, neighbours: &Neighbours) {
        let mut nodes = String::from("<fork name=\"split\">");
        (0..FORKED).for_each(|n| write!(nodes, "<path start=\"a{n}\"/>").expect("text"));
        nodes += "</fork>";
        (0..FORKED).for_each(|n| nodes += &action(&format!("a{n}"), "true", "meet"));
        nodes += "<join name=\"meet\" to=\"end\"/>";
        let app = self.workflow("forked", "split", &nodes);
        let Some(xargs) = program("xargs") else {
            println!("{FORKED} forked shell actions: no xargs to compare with");
            return;
        };
        let line = format!("seq {FORKED} | {} -P 8 -I{{}} true {{}}", xargs.display());
        let theirs = || run(Command::new("sh").args(["-c", &line]), &[0]);
        let pairs = Pairs::measure(PAIRS, || self.through(&app), theirs);
        pairs.report(&format!("{FORKED} forked shell actions{neighbours} / xargs -P 8 starts them"), 1.5);
    }

    /// A chain of actions, against a loop that starts the same command and syncs what it notes after each, and against
    /// `make`, which syncs nothing.
    fn chained(&self, neighbours: &Neighbours) {
        let mut nodes = String::new();
        let mut rules = String::new();
        for n in 0..CHAINED {
            let to = if n + 1 < CHAINED { format!("a{}", n + 1) } else { "end".to_owned() };
            nodes += &action(&format!("a{n}"), "true", &to);
            let before = n.checked_sub(1).map(|before| format!("t{before}")).unwrap_or_default();
            write!(rules, "t{n}: {before}\n\t@/bin/true\n").expect("text");
        }
        let app = self.workflow("chained", "a0", &nodes);
        let notes = self.folder.join("notes");
        let synced = || {
            timed(|| {
                let mut notes = File::options().create(true).append(true).open(&notes).expect("a file");
                for _ in 0..CHAINED {
                    run(&mut Command::new("/bin/true"), &[0]);
                    notes.write_all(&[b'x'; 200]).and_then(|()| notes.sync_data()).expect("it is on the disk");
                }
            })
        };
        let what = format!("chain of {CHAINED} shell actions{neighbours}");
        let bound = if neighbours.0.is_empty() { 2.5 } else { 3.0 };
        Pairs::measure(PAIRS, || self.through(&app), synced)
            .report(&format!("{what} / spawn, and one sync per change"), bound);
        let Some(make) = program("make") else {
            println!("{what}: no make to compare with");
            return;
        };
        let makefile = self.folder.join("Makefile");
        fs::write(&makefile, rules).expect("a file");
        let last = format!("t{}", CHAINED - 1);
        let made = || run(Command::new(&make).arg("-s").arg("-f").arg(&makefile).arg(&last), &[0]);
        Pairs::measure(PAIRS, || self.through(&app), made).report(&format!("{what} / make"), 3);
    }

    /// A coordinator that is a month late, with a workflow of one action, against a loop that starts the same command
    /// and writes and syncs a file for each hour.
    fn caught_up(&self, neighbours: &Neighbours) {
        let app = self.workflow("hour", "a", &action("a", "true", "end"));
        let definition = format!(
            r#"<coordinator-app name="month" frequency="${{coord:hours(1)}}" start="2026-01-01T00:00Z"
            end="2026-02-01T00:00Z" timezone="UTC" xmlns="uri:oozie:coordinator:0.4"><controls>
            <concurrency>{AT_ONCE}</concurrency><throttle>{CAUGHT_UP}</throttle></controls><action><workflow>
            <app-path>{}</app-path></workflow></action></coordinator-app>"#,
            app.display()
        );
        let file = self.folder.join("month.xml");
        fs::write(&file, definition).expect("a file");
        let property = format!("oozie.coord.application.path={}", file.display());
        let synced = || {
            let folder = self.folder.join(format!("month{}", self.next_run()));
            fs::create_dir(&folder).expect("a folder");
            timed(|| {
                for hour in 0..CAUGHT_UP {
                    run(&mut Command::new("/bin/true"), &[0]);
                    let mut file = File::create_new(folder.join(hour.to_string())).expect("a file");
                    file.write_all(&[b'x'; 200]).and_then(|()| file.sync_data()).expect("it is on the disk");
                }
            })
        };
        let what = format!("catch-up of {CAUGHT_UP} runs{neighbours} / spawn, and one synced file each");
        Pairs::measure(FEW_PAIRS, || self.run_through(&property), synced).report(&what, 2);
    }

    /// The runner of many jobs whose commands sleep: memory, and processor time while nothing changes.
    fn idle(&self) {
        let app = self.workflow(
            "idle",
            "a",
            &action("a", "sleep", "end").replace("</exec>", "</exec><argument>600</argument>"),
        );
        let database = self.folder.join("idle.db");
        let site = self.folder.join("site.properties");
        fs::write(&site, format!("howdah.commands={ACTIVE}\n")).expect("a file");
        for _ in 0..ACTIVE {
            let mut submit = howdah(&database, "submit");
            submit.arg("-D").arg(format!("oozie.wf.application.path={}", app.display()));
            run(submit.arg("--site").arg(&site), &[0]);
        }
        let runner = || processes(&database, "howdah runner").into_iter().next();
        let deadline = Instant::now() + Duration::from_secs(120);
        while processes(&database, "sleep 600").len() < ACTIVE && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(100));
        }
        let pid = runner().expect("a runner");
        std::thread::sleep(Duration::from_secs(2));
        let before = ticks(pid);
        std::thread::sleep(WATCHED);
        let percent = (ticks(pid) - before) / WATCHED.as_secs_f64();
        let memory = peak_memory(pid);
        println!(
            "{:<72} {percent:>5.2}% {:>7}",
            format!("runner of {} active jobs, of a core", processes(&database, "sleep 600").len()),
            "1%"
        );
        println!("{:<72} {memory:>3.0} MB {:>7}", "  its largest memory", "50 MB");
        for pid in processes(&database, "howdah runner")
            .into_iter()
            .chain(processes(&database, "howdah attempt"))
            .chain(processes(&database, "sleep 600"))
        {
            run(Command::new("kill").args(["-9", &pid.to_string()]), &[0, 1]);
        }
    }

    /// Runs a workflow to its end in the foreground, in a database of its own.
    fn through(&self, app: &Path) -> Duration {
        self.run_through(&format!("oozie.wf.application.path={}", app.display()))
    }

    /// The same for the application that a property names.
    fn run_through(&self, property: &str) -> Duration {
        let database = self.folder.join(format!("through{}.db", self.next_run()));
        timed(|| {
            run(howdah(&database, "run").arg("-D").arg(property), &[0]);
        })
    }

    fn next_run(&self) -> u32 {
        self.runs.set(self.runs.get() + 1);
        self.runs.get()
    }

    fn workflow(&self, name: &str, start: &str, nodes: &str) -> PathBuf {
        let app = self.folder.join(name);
        fs::create_dir_all(&app).expect("a folder");
        let text = format!(
            "<workflow-app name=\"{name}\" xmlns=\"uri:oozie:workflow:1.0\"><start to=\"{start}\"/>{nodes}\
             <kill name=\"fail\"><message>failed</message></kill><end name=\"end\"/></workflow-app>"
        );
        fs::write(app.join("workflow.xml"), text).expect("a file");
        app
    }
}

fn howdah(database: &Path, verb: &str) -> Command {
    let mut command = measure::howdah();
    command.arg("--db").arg(database).arg(verb);
    command
}

fn action(name: &str, exec: &str, to: &str) -> String {
    format!(
        "<action name=\"{name}\"><shell xmlns=\"uri:oozie:shell-action:1.0\"><exec>{exec}</exec></shell>\
         <ok to=\"{to}\"/><error to=\"fail\"/></action>"
    )
}

/// The processes of the database whose command line begins so: those that name it, and those that work in the folder of
/// an attempt. All others on this machine are left alone.
fn processes(database: &Path, words: &str) -> Vec<i32> {
    let runs = database.with_extension("runs");
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let is_ours = |pid: &i32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ");
        let works_there = || fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|folder| folder.starts_with(&runs));
        line.starts_with(words) && (line.contains(&database.display().to_string()) || works_there())
    };
    pids.filter(is_ours).collect()
}

/// Processor time of a process, in hundredths of a second.
fn ticks(pid: i32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the runner is alive");
    let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ').collect();
    fields[11].parse::<f64>().expect("a number") + fields[12].parse::<f64>().expect("a number")
}

/// The largest memory that a process has held, in MB.
fn peak_memory(pid: i32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the runner is alive");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok()).expect("a number") / 1024.0
}
