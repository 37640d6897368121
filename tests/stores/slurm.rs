//! Commands on a Slurm cluster: a controller and one node on loopback, installed and started once.
//!
//! The node looks like another machine where it matters: its shims see another boot id. Tests that only use the cluster
//! run in parallel; the one that stops its controller runs alone. Where Slurm cannot be installed the tests print that
//! and are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, RwLock, RwLockReadGuard, mpsc};
use std::thread;
use std::time::Duration;

use howdah_sandbox::application::{effect, shell, until_gate, workflow};
use howdah_sandbox::engines::{apt, run};
use howdah_sandbox::ports::free_port;
use howdah_sandbox::sandbox::{Howdah, Sandbox, is_alive, wait_for};
use howdah_sandbox::second_user::{SecondUser, set_mode};
use howdah_tier as tier;

/// The point between the response of `sbatch` and its record.
pub(crate) const FAULT_POINT: &str = "after-submission";
const NOW: &str = "2010-01-01T00:00Z";
/// Shared by all users of the cluster; exclusive for a test that stops its controller.
static USED: RwLock<()> = RwLock::new(());

/// The cluster of this test program.
struct Cluster {
    configuration: PathBuf,
}

/// The cluster and the right to use it, in the full tier; elsewhere `None`, and why is printed.
fn cluster() -> Option<(&'static Cluster, RwLockReadGuard<'static, ()>)> {
    static CLUSTER: OnceLock<Result<Cluster, String>> = OnceLock::new();
    if !tier::full("it installs a Slurm cluster and starts it") {
        return None;
    }
    let cluster = CLUSTER.get_or_init(Cluster::start).as_ref().unwrap_or_else(|why| panic!("a Slurm cluster: {why}"));
    Some((cluster, USED.read().unwrap_or_else(std::sync::PoisonError::into_inner)))
}

impl Cluster {
    fn start() -> Result<Self, String> {
        apt(&["slurm-wlm", "slurmctld", "slurmd", "slurm-client"])?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines/slurm");
        // Left by the previous run: there is no moment at which it could be removed.
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        for name in ["state", "spool"] {
            fs::create_dir_all(folder.join(name)).map_err(|error| error.to_string())?;
        }
        let configuration = folder.join("slurm.conf");
        let text = SLURM_CONF.replace("[folder]", &folder.display().to_string());
        let text = text.replace("[controller]", &free_port().to_string()).replace("[node]", &free_port().to_string());
        fs::write(&configuration, text).map_err(|error| error.to_string())?;
        let cluster = Self { configuration };
        cluster.daemon("slurmctld", &[]);
        cluster.daemon("slurmd", &["-N", "localhost"]);
        wait_for("the node to be idle", || cluster.ask("sinfo", &["-h", "-o", "%T"]).contains("idle").then_some(()));
        Ok(cluster)
    }

    /// Starts a daemon that ends with this program; returns its process id.
    fn daemon(&self, program: &str, arguments: &[&str]) -> i32 {
        let (sender, receiver) = mpsc::channel();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", program, "-D", "-f"]).arg(&self.configuration).args(arguments);
        command.env("SLURM_CONF", &self.configuration);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The signal is sent when the thread that started the daemon ends: this one only waits.
        thread::spawn(move || {
            let mut child = command.spawn().expect("util-linux has setpriv");
            sender.send(i32::try_from(child.id()).expect("a process number")).expect("the caller waits");
            let _ = child.wait();
        });
        receiver.recv().expect("the thread sends")
    }

    /// Returns the output of a program of Slurm's; empty when it fails.
    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        run(Command::new(program).args(arguments).env("SLURM_CONF", &self.configuration)).unwrap_or_default()
    }

    /// The states of the jobs that were sent for the attempts of a sandbox, once the cluster has completed those that
    /// ended: until its nodes have reported the end, such a job is COMPLETING.
    fn states(&self, sandbox: &Sandbox) -> Vec<String> {
        let tokens = sandbox.database().rows("SELECT token FROM attempt");
        wait_for("the cluster to complete its jobs", || {
            let listing = self.ask("squeue", &["-h", "-t", "all", "-o", "%k %T"]);
            let own = listing.lines().filter_map(|line| line.trim().split_once(' '));
            let own = own.filter(|(token, _)| tokens.iter().any(|own| own == token));
            let states: Vec<String> = own.map(|(_, state)| state.to_owned()).collect();
            Some(states).filter(|states| states.iter().all(|state| state != "COMPLETING"))
        })
    }

    /// A command of howdah's whose site sends shell actions to the cluster.
    fn howdah<'a>(&self, sandbox: &Sandbox, arguments: impl IntoIterator<Item = &'a str>) -> Howdah {
        let howdah = sandbox.howdah(arguments).at(NOW);
        howdah.env("SLURM_CONF", &self.configuration).env("HOWDAH_SITE", sandbox.path("site.xml"))
    }

    /// Submits the workflow in `app/`; `fault` is where the runner dies.
    fn submit(&self, sandbox: &Sandbox, options: &str, fault: &str) -> String {
        let submit = self.howdah(sandbox, ["submit"]).env("HOWDAH_FAULT", fault);
        let submit = submit.define("oozie.wf.application.path", &sandbox.text("app"));
        let submit = submit.define("howdah.slurm.options", options).define("sandbox", &sandbox.text(""));
        submit.succeed().job()
    }
}

const SLURM_CONF: &str = "ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MinJobAge=300
KillWait=20
SlurmdParameters=config_overrides
SlurmctldPort=[controller]
SlurmdPort=[node]
StateSaveLocation=[folder]/state
SlurmdSpoolDir=[folder]/spool
SlurmctldPidFile=[folder]/slurmctld.pid
SlurmdPidFile=[folder]/slurmd.pid
SlurmctldLogFile=[folder]/slurmctld.log
SlurmdLogFile=[folder]/slurmd.log
NodeName=localhost NodeAddr=127.0.0.1 CPUs=64 RealMemory=4096 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
";

/// The machine on which the shims of a sandbox believe they run.
#[derive(Clone, Copy)]
enum Node {
    /// The machine of the runner, which a cluster may contain.
    Same,
    /// Another machine.
    Another,
}

/// A sandbox whose shell actions are sent to the cluster, with a workflow of these nodes.
fn sandbox(node: Node, start: &str, nodes: &[String]) -> Sandbox {
    let sandbox = Sandbox::new().with_database("it's a place/howdah.db");
    fs::create_dir(sandbox.path("it's a place")).expect("a folder");
    let boot = match node {
        Node::Same => "",
        Node::Another => "HOWDAH_TEST_BOOT_ID=another ",
    };
    let shim = format!("#!/bin/sh\n{boot}exec {} \"$@\"\n", env!("CARGO_BIN_EXE_howdah"));
    let shim = sandbox.write("bin/the shim", &shim);
    set_mode(&shim, 0o755);
    site(&sandbox, &shim);
    workflow(&sandbox, "app", start, nodes);
    sandbox
}

fn site(sandbox: &Sandbox, shim: &Path) {
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let of_site =
        property("howdah.executor.shell", "slurm") + &property("howdah.slurm.command", &shim.to_string_lossy());
    sandbox.write("site.xml", &format!("<configuration>{of_site}</configuration>"));
}

/// Returns the results of the attempts: state, exit status, signal, detail.
fn attempts(sandbox: &Sandbox) -> Vec<String> {
    sandbox.database().rows("SELECT state, exit_code, signal, detail FROM attempt ORDER BY attempt")
}

/// Returns the number of the node's job and its place; empty before they are known.
fn external(sandbox: &Sandbox) -> (String, String) {
    let value = |column: &str| {
        let query = format!("SELECT ifnull({column}, '') FROM workflow_node WHERE name = 'one'");
        sandbox.database().rows(&query).pop().unwrap_or_default()
    };
    (value("external_id"), value("external_status"))
}

fn at_the_gate(node: Node) -> Sandbox {
    sandbox(node, "one", &[shell("one", &format!("{}; {}", effect("ran"), until_gate("pid")), "end")])
}

#[test]
fn commands_run_as_jobs_and_their_ends_are_those_of_the_nodes() {
    let Some((cluster, _used)) = cluster() else { return };
    for node in [Node::Same, Node::Another] {
        let one = "echo $SLURM_JOB_ID > ${sandbox}/number";
        let nodes =
            [shell("one", one, "two"), shell("two", "echo not at ${wf:actionTrackerUri('one')} >&2; exit 3", "end")];
        let sandbox = sandbox(node, "one", &nodes);
        let job = cluster.submit(&sandbox, "--time=5 '--partition=main'", "");
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.nodes(), ":start: OK, one OK, two ERROR, fail OK", "{:?}", attempts(&sandbox));
        assert_eq!(external(&sandbox), (sandbox.await_file("number"), "SUCCEEDED".to_owned()));
        let error = database.value("SELECT error_code || error_message FROM workflow_node WHERE name = 'two'");
        assert_eq!(error, "1Main Class [org.apache.oozie.action.hadoop.ShellMain], exit code [1]");
        assert_eq!(database.rows("SELECT state, exit_code FROM attempt"), ["ENDED 0", "ENDED 3"]);
        assert!(sandbox.howdah(["log", &job]).succeed().stdout.contains("not at slurm"));
        let folder = database.value("SELECT directory FROM attempt WHERE node = 'one'");
        let (names, bytes) = howdah_sandbox::attempt_folder::kept_in(Path::new(&folder));
        assert!(names == ["attempt.json", "claim", "exit"] && bytes < 8 << 10, "{names:?}, {bytes} bytes");
    }
}

#[test]
fn a_job_that_runs_is_killed() {
    let Some((cluster, _used)) = cluster() else { return };
    let sandbox = at_the_gate(Node::Another);
    let job = cluster.submit(&sandbox, "", "");
    let pid = sandbox.await_file("pid").parse().expect("the number of a process");
    wait_for("the number of the job", || (external(&sandbox).1 == "RUNNING").then_some(()));
    cluster.howdah(&sandbox, ["kill", &job]).succeed();
    wait_for("the command to end", || (!is_alive(pid)).then_some(()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
    assert_eq!(sandbox.database().rows("SELECT state, signal FROM attempt"), ["ENDED 15"]);
    assert_eq!(cluster.states(&sandbox), ["CANCELLED"]);
}

#[test]
fn a_job_that_slurm_ends_kills_its_jobs_on_other_clusters() {
    let Some((cluster, _used)) = cluster() else { return };
    for how in ["kill", "scancel"] {
        let pig = "<pig><job-tracker>rm</job-tracker><name-node>hdfs://nn</name-node><script>a.pig</script></pig>";
        let node = format!("<action name=\"one\">{pig}<ok to=\"end\"/><error to=\"fail\"/></action>");
        let sandbox = sandbox(Node::Another, "one", &[node]);
        sandbox.write("app/a.pig", "dump x;");
        // Scripts in place of a launcher, which ignores SIGTERM, and of YARN's program.
        let program = |name: &str, script: &str| {
            let path = sandbox.write(name, &format!("#!/bin/sh\n{script}\n"));
            set_mode(&path, 0o755);
            path.display().to_string()
        };
        let wait = "trap '' TERM; echo Submitted application application_1_2; while sleep 0.1; do :; done";
        let pid = format!("echo $$ > {0}.new; mv {0}.new {0}", sandbox.text("pid"));
        let launcher = program("pig", &format!("{pid}; {wait}"));
        let yarn = program("yarn", &format!("echo \"$@\" >> {}", sandbox.text("asked")));
        let site = fs::read_to_string(sandbox.path("site.xml")).expect("a site file");
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let own = property("howdah.executor.pig", "slurm")
            + &property("howdah.command.pig", &launcher)
            + &property("howdah.command.yarn", &yarn);
        sandbox.write("site.xml", &site.replace("<configuration>", &format!("<configuration>{own}")));
        let job = cluster.submit(&sandbox, "", "");
        let pid = sandbox.await_file("pid").parse().expect("the number of a process");
        let number = wait_for("the number", || Some(external(&sandbox).0).filter(|id| !id.is_empty()));
        match how {
            "kill" => drop(cluster.howdah(&sandbox, ["kill", &job]).succeed()),
            _ => drop(cluster.ask("scancel", &[&number])),
        }
        sandbox.await_quiet();
        assert!(!is_alive(pid), "{how}");
        assert_eq!(sandbox.read("asked"), "application -kill application_1_2\n", "{how}: {:?}", attempts(&sandbox));
        let state = if how == "kill" { "KILLED" } else { "FAILED" };
        assert_eq!(sandbox.database().job(&job), state, "{how}");
    }
}

#[test]
fn a_waiting_job_is_killed_and_never_starts() {
    let Some((cluster, _used)) = cluster() else { return };
    let sandbox = at_the_gate(Node::Another);
    let job = cluster.submit(&sandbox, "--hold", "");
    wait_for("the reason of the wait", || (external(&sandbox).1 == "PENDING (JobHeldUser)").then_some(()));
    let why = sandbox.howdah(["explain", &format!("{job}@one")]).at(NOW).succeed().stdout;
    assert!(why.contains(&format!("as Slurm job {}, PENDING (JobHeldUser)", external(&sandbox).0)), "{why}");
    cluster.howdah(&sandbox, ["kill", &job]).succeed();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().rows("SELECT state FROM attempt"), ["KILLED"]);
    assert_eq!(cluster.states(&sandbox), ["CANCELLED"]);
    assert_eq!(sandbox.read("effects"), "");
}

#[test]
fn one_node_is_killed_and_its_job_continues() {
    let Some((cluster, _used)) = cluster() else { return };
    for (options, state) in [("--hold", "KILLED -"), ("", "ENDED 15")] {
        let sandbox = at_the_gate(Node::Another);
        let job = cluster.submit(&sandbox, options, "");
        let status = if options.is_empty() { "RUNNING" } else { "PENDING (JobHeldUser)" };
        wait_for("the job", || (external(&sandbox).1 == status).then_some(()));
        if options.is_empty() {
            sandbox.await_file("pid");
        }
        cluster.howdah(&sandbox, ["kill", &format!("{job}@one")]).succeed();
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.nodes(), ":start: OK, one ERROR, fail OK", "{options}");
        assert_eq!(external(&sandbox).1, "KILLED", "{options}");
        assert_eq!(database.rows("SELECT state, signal FROM attempt"), [state], "{options}");
        assert_eq!(cluster.states(&sandbox), ["CANCELLED"], "{options}");
    }
}

#[test]
fn a_job_whose_runner_dies_before_it_is_recorded_is_found_again() {
    let Some((cluster, _used)) = cluster() else { return };
    let sandbox = at_the_gate(Node::Another);
    let job = cluster.submit(&sandbox, "--hold", FAULT_POINT);
    wait_for("the runner to die", || sandbox.process("howdah runner").is_none().then_some(()));
    let number = wait_for("the job", || {
        let token = sandbox.database().rows("SELECT token FROM attempt").pop()?;
        let listing = cluster.ask("squeue", &["-h", "-o", "%k %i"]);
        listing.lines().find_map(|line| Some(line.trim().strip_prefix(&token)?.trim().to_owned()))
    });
    assert_eq!(external(&sandbox).0, "", "the number was recorded");
    cluster.howdah(&sandbox, ["tick"]).succeed();
    wait_for("the job to be found", || (external(&sandbox).0 == number).then_some(()));
    cluster.ask("scontrol", &["release", &number]);
    sandbox.await_file("pid");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{:?}", attempts(&sandbox));
    assert_eq!((sandbox.read("effects").as_str(), cluster.states(&sandbox).len()), ("ran\n", 1));
}

#[test]
fn a_job_that_is_cancelled_outside_of_howdah_fails() {
    let Some((cluster, _used)) = cluster() else { return };
    let began = "JA017: Slurm job [N] was ended by the cluster (cancelled, preempted or out of time: [scontrol show job [N]] \
                 says which)";
    for (options, state, words) in [
        ("", "ENDED", began),
        ("--hold", "LOST", "Slurm job [N] is CANCELLED (JobHeldUser) and its supervisor did not start"),
    ] {
        let sandbox = at_the_gate(Node::Another);
        let job = cluster.submit(&sandbox, options, "");
        if options.is_empty() {
            sandbox.await_file("pid");
        }
        let number = wait_for("the number", || Some(external(&sandbox).0).filter(|id| !id.is_empty()));
        cluster.ask("scancel", &[&number]);
        sandbox.await_quiet();
        let detail = sandbox.database().value("SELECT detail FROM attempt");
        assert_eq!(detail, words.replace("[N]", &number));
        assert_eq!(sandbox.database().rows("SELECT state FROM attempt"), [state]);
        assert_eq!(sandbox.database().value("SELECT error_code FROM workflow_node WHERE name = 'one'"), "JA017");
        assert_eq!(sandbox.database().job(&job), "FAILED");
    }
}

/// A driver that stops in order, and a script that goes on behind the program that was ended.
#[test]
fn a_command_that_ends_well_because_slurm_ended_it_fails() {
    let Some((cluster, _used)) = cluster() else { return };
    for line in [
        "trap 'exit 0' TERM; echo ready > ${sandbox}/ready; sleep 300 & wait",
        "trap : TERM; echo ready > ${sandbox}/ready; sleep 300 & wait; kill $!; echo half",
    ] {
        let sandbox = sandbox(Node::Another, "one", &[shell("one", line, "end")]);
        let job = cluster.submit(&sandbox, "", "");
        sandbox.await_file("ready");
        let number = wait_for("the number", || Some(external(&sandbox).0).filter(|id| !id.is_empty()));
        cluster.ask("scancel", &[&number]);
        sandbox.await_quiet();
        assert_eq!(sandbox.database().value("SELECT error_code FROM workflow_node WHERE name = 'one'"), "JA017");
        assert_eq!(sandbox.database().job(&job), "FAILED", "{line}");
    }
}

#[test]
fn what_slurm_refuses_is_an_error_of_the_node() {
    let Some((cluster, _used)) = cluster() else { return };
    for (options, words) in [
        ("--partition=nowhere", "Slurm does not take the job: sbatch: error: invalid partition specified: nowhere"),
        ("-p main", "howdah.slurm.options = [-p main]: [-p] is not of the form --name or --name=value"),
    ] {
        let sandbox = at_the_gate(Node::Same);
        cluster.submit(&sandbox, options, "");
        sandbox.await_quiet();
        assert_eq!(sandbox.database().nodes(), ":start: OK, one ERROR, fail OK");
        let message = sandbox.database().value("SELECT error_message FROM workflow_node WHERE name = 'one'");
        assert!(message.starts_with(words), "{message}");
    }
}

#[test]
fn a_cluster_whose_nodes_lack_howdah_is_given_up() {
    let Some((cluster, _used)) = cluster() else { return };
    let sandbox = at_the_gate(Node::Another);
    site(&sandbox, Path::new("/nonexistent/howdah"));
    cluster.submit(&sandbox, "", "");
    for sent in 1..=3 {
        wait_for("the job to be sent again", || (cluster.states(&sandbox).len() == sent).then_some(()));
    }
    sandbox.await_quiet();
    let detail = sandbox.database().value("SELECT detail FROM attempt");
    let words =
        "is FAILED (NonZeroExitCode) and its supervisor did not start, 3 times; the nodes of the cluster must find";
    assert!(detail.contains(words), "{detail}");
    assert_eq!(cluster.states(&sandbox), ["FAILED"; 3]);
}

#[test]
fn a_controller_that_is_away_loses_nothing() {
    let Some((cluster, used)) = cluster() else { return };
    drop(used);
    let _alone = USED.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    let running = at_the_gate(Node::Another);
    let first = cluster.submit(&running, "", "");
    running.await_file("pid");
    let pid = fs::read_to_string(cluster.configuration.with_file_name("slurmctld.pid")).expect("the controller runs");
    let controller = pid.trim().parse().expect("the number of a process");
    // In order: Slurm itself would forget what it has not saved.
    run(Command::new("kill").arg(pid.trim())).expect("a process of this test");
    wait_for("the controller to die", || (!is_alive(controller)).then_some(()));
    let late = sandbox(Node::Another, "one", &[shell("one", &effect("late"), "end")]);
    let second = cluster.submit(&late, "", "");
    let log = late.beside_database(".runner.log");
    let told = || fs::read_to_string(&log).unwrap_or_default();
    wait_for("the complaint", || told().contains("H0141: Slurm failed: ").then_some(()));
    assert_eq!(running.database().job(&first), "RUNNING");
    cluster.daemon("slurmctld", &[]);
    running.write("gate", "");
    for (sandbox, job, effects) in [(&running, &first, "ran\n"), (&late, &second, "late\n")] {
        // The node reports only after a while that it is available again.
        for _ in 0..3 {
            if sandbox.process("howdah runner").is_some() {
                thread::sleep(Duration::from_secs(10));
            }
        }
        sandbox.await_quiet();
        assert_eq!(sandbox.database().job(job), "SUCCEEDED", "{:?}", attempts(sandbox));
        assert_eq!((sandbox.read("effects").as_str(), cluster.states(sandbox).len()), (effects, 1));
    }
}

#[test]
fn a_job_of_another_user_is_theirs_on_the_cluster_too() {
    let Some((cluster, _used)) = cluster() else { return };
    let Some(user) = SecondUser::new("slurm") else { return };
    let line = "id -un > ${sandbox}/open/user; echo $HOME >> ${sandbox}/open/user";
    let sandbox = sandbox(Node::Another, "one", &[shell("one", line, "end")]);
    for folder in ["", "it's a place", "bin"] {
        set_mode(sandbox.path(folder), 0o711);
    }
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    let program = Path::new(env!("CARGO_BIN_EXE_howdah"));
    let is_open = |above: &Path| mode_of(above) & 0o001 != 0;
    assert!(program.ancestors().skip(1).all(is_open), "other users cannot reach {}", program.display());
    let submit = cluster.howdah(&sandbox, ["submit"]).define("user.name", &user.name);
    let submit = submit.define("oozie.wf.application.path", &sandbox.text("app"));
    let job = submit.define("sandbox", &sandbox.text("")).succeed().job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{:?}", attempts(&sandbox));
    assert_eq!(sandbox.read("open/user"), format!("{0}\n/home/{0}\n", user.name));
    let shown = cluster.ask("scontrol", &["-o", "show", "job", &external(&sandbox).0]);
    assert!(shown.contains(&format!("UserId={}(", user.name)), "{shown}");
}

fn mode_of(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode())
}
