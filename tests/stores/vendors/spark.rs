//! The `spark` action on Spark itself: within its own JVM, and on a standalone cluster of one master and one worker.

use std::process::Command;

use super::{Job, Vendors, opens};
use howdah_sandbox::engines::Server;
use howdah_sandbox::sandbox::Sandbox;

/// Counts with Spark, then ends as its first argument says.
const PROGRAM: &str = r#"
import java.nio.file.*;
import org.apache.spark.sql.SparkSession;
public class Ends {
  public static void main(String[] args) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    long count = spark.range(10).count();
    Files.write(Paths.get(args[1]), (count + " " + spark.sparkContext().appName() + "\n").getBytes());
    switch (args[0]) {
      case "ok": spark.stop(); return;
      case "throw": throw new IllegalStateException("no such planet");
      case "sleep": Thread.sleep(600000); return;
      default: System.exit(Integer.parseInt(args[0]));
    }
  }
}
"#;

fn body(master: &str, jar: &str, options: &str, arguments: [&str; 2]) -> String {
    let [how, file] = arguments;
    format!(
        "<spark xmlns=\"uri:oozie:spark-action:0.2\"><job-tracker>local</job-tracker><name-node>file:///</name-node>\
         {master}<name>my job</name><class>Ends</class><jar>{jar}</jar><spark-opts>{options}</spark-opts>\
         <arg>{how}</arg><arg>{file}</arg></spark>"
    )
}

#[test]
fn a_program_within_its_own_jvm() {
    let Some(vendors) = Vendors::installed() else { return };
    let sandbox = Sandbox::new();
    let site = vendors.site(&sandbox, &[]);
    let jar = vendors.compile(&sandbox.path(""), "Ends", PROGRAM).display().to_string();
    let submit = |how: &str, file: &str| {
        let options = "--conf spark.ui.enabled=false";
        let body = body("<master>local[1]</master>", &jar, options, [how, &sandbox.text(file)]);
        Job::submit(&sandbox, &site, &body)
    };
    let good = submit("ok", "count");
    let killed = submit("sleep", "begun");
    assert_eq!(good.end(), "OK");
    assert_eq!(sandbox.read("count"), "10 my job\n");
    assert_eq!(good.external_id(), "", "nothing runs elsewhere");
    killed.wait("the program's begin", || !sandbox.read("begun").is_empty());
    assert_eq!(killed.kill(), "KILLED");
    let bad = submit("4", "x");
    let worse = submit("throw", "y");
    assert_eq!(bad.end(), "ERROR 4 Main Class [org.apache.oozie.action.hadoop.SparkMain], exit code [4]");
    assert_eq!(worse.end(), "ERROR JA018 java.lang.IllegalStateException: no such planet");
}

/// A master with its REST server and a worker.
struct Cluster {
    master: Server,
    rest: u16,
    _worker: Server,
}

impl Cluster {
    fn start(vendors: &Vendors, sandbox: &Sandbox) -> Self {
        let rest = howdah_sandbox::ports::free_port();
        let daemon = |class: &str, arguments: &[&str]| {
            let mut command = Command::new(vendors.spark("spark-class"));
            let name = format!("org.apache.spark.deploy.{class}");
            command.arg(name).args(["--host", "127.0.0.1", "--webui-port", "0"]).args(arguments);
            let rest = format!(
                "-Dspark.master.rest.enabled=true -Dspark.master.rest.host=127.0.0.1 -Dspark.master.rest.port={rest}"
            );
            command
                .env("SPARK_DAEMON_JAVA_OPTS", rest)
                .env("SPARK_DAEMON_MEMORY", "256m")
                .env("SPARK_LOCAL_IP", "127.0.0.1");
            command
        };
        let master =
            Server::start(&sandbox.path("master.log"), |port| daemon("master.Master", &["--port", &port.to_string()]));
        let url = format!("spark://127.0.0.1:{}", master.port);
        let worker = Server::start(&sandbox.path("worker.log"), |port| {
            let folder = sandbox.text("worker");
            daemon("worker.Worker", &["--port", &port.to_string(), "-c", "8", "-m", "8g", "-d", &folder, &url])
        });
        Self { master, rest, _worker: worker }
    }

    /// Returns the master's report about a driver.
    fn state(&self, driver: &str) -> String {
        let answer = howdah_sandbox::engines::ask(self.rest, &format!("/v1/submissions/status/{driver}"));
        let (_, rest) = answer.split_once("\"driverState\" : \"").expect("a state");
        rest.split('"').next().expect("a word").to_owned()
    }
}

#[test]
fn a_program_on_a_standalone_cluster() {
    let Some(vendors) = Vendors::installed() else { return };
    let sandbox = Sandbox::new();
    let cluster = Cluster::start(vendors, &sandbox);
    let rest = format!("127.0.0.1:{}", cluster.rest);
    let asking = vendors.site(&sandbox, &[("howdah.spark.rest", &rest)]);
    // A runner has one site file, so a test with another site file needs another database.
    let other = Sandbox::new();
    let site = vendors.site(&other, &[]);
    let jar = vendors.compile(&sandbox.path(""), "Ends", PROGRAM).display().to_string();
    let body_of = |port: u16, more: &str, arguments: [&str; 2]| {
        let options = format!(
            "--driver-memory 512m --executor-memory 512m --conf \"spark.driver.extraJavaOptions={}\" \
             --conf spark.ui.enabled=false --conf spark.cores.max=1 {more}",
            opens()
        );
        let master = format!("<master>spark://127.0.0.1:{port}</master><mode>cluster</mode>");
        let [how, file] = arguments;
        body(&master, &jar, &options, [how, &format!("${{sandbox}}/{file}")])
    };
    let asking = |body: String| Job::submit(&sandbox, &asking, &body);
    let waiting = |body: String| Job::submit(&other, &site, &body);
    let failed = |job: &Job<'_>| format!("ERROR JA018 {} ended as FAILED; see its log on the cluster", driver(job));
    let master = cluster.master.port;
    // Where only spark-submit reports the end, a minute later.
    let bad = waiting(body_of(master, "", ["5", "bad"]));
    // Where the master can be queried.
    let good = asking(body_of(master, "", ["ok", "count"]));
    let killed = asking(body_of(master, "", ["sleep", "begun"]));
    assert_eq!((good.end().as_str(), good.external_id()), ("OK", driver(&good)), "{}", good.file("stderr"));
    assert_eq!(sandbox.read("count"), "10 my job\n");
    check_killed(&cluster, &killed, "begun");
    // Where nothing can be queried, the class that submitted the driver ends it.
    let killed = waiting(body_of(master, "", ["sleep", "waiting"]));
    check_killed(&cluster, &killed, "waiting");
    // Through the master's REST server, for which spark-submit never waits.
    let rest = waiting(body_of(cluster.rest, "--conf spark.master.rest.enabled=true", ["5", "rest"]));
    assert_eq!(rest.end(), failed(&rest), "{}", rest.file("stderr"));
    assert_eq!((bad.end(), bad.external_id()), (failed(&bad), driver(&bad)), "{}", bad.file("stderr"));
}

/// Kills a job whose driver has written `file`: the driver is killed, too.
fn check_killed(cluster: &Cluster, job: &Job<'_>, file: &str) {
    job.wait("the driver's begin", || !job.sandbox.read(file).is_empty());
    let driver = driver(job);
    assert_eq!(job.kill(), "KILLED", "{}", job.file("stderr"));
    // The master needs time, but need not be asked again.
    job.wait("the driver's end", || cluster.state(&driver) == "KILLED");
}

/// The id in the report, which is there while the driver runs.
fn driver(job: &Job<'_>) -> String {
    let report = job.file("report.json");
    let at = report.find("driver-").unwrap_or_else(|| panic!("no driver in [{report}]"));
    report[at..].split('"').next().expect("an id").to_owned()
}
