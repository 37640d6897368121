//! Partitions of HCatalog, queried from a real Hive metastore (coordinator specification 6.8).
#![cfg(feature = "hcat")]

use std::path::Path;
use std::process::Command;

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::engines::{self, BRIEF_JAVA, Server, run};
use howdah_sandbox::one_action;
use howdah_sandbox::sandbox::Sandbox;
use howdah_tier as tier;

const NOW: &str = "2026-03-01T03:00Z";

/// Packages that Hive uses and that Java keeps closed since version 17.
const OPENED: &[&str] = &[
    "java.lang",
    "java.lang.reflect",
    "java.lang.invoke",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.net",
    "java.nio",
    "java.io",
    "java.text",
    "java.time",
    "java.util.regex",
    "sun.nio.ch",
];

const LOGGING: &str = "status = error\nappender.console.type = Console\nappender.console.name = console\n\
    appender.console.target = SYSTEM_ERR\nappender.console.layout.type = PatternLayout\n\
    rootLogger.level = warn\nrootLogger.appenderRef.console.ref = console\n";

fn configuration(properties: &[(&str, &str)]) -> String {
    let property =
        |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
    format!("<configuration>{}</configuration>", properties.iter().map(property).collect::<String>())
}

/// Hive on a database of the sandbox.
struct Hive<'a> {
    sandbox: &'a Sandbox,
    classes: &'a Path,
    metastore: Server,
}

impl<'a> Hive<'a> {
    /// Starts the metastore, in the full tier; elsewhere `None`, with the reason printed.
    fn start(sandbox: &'a Sandbox) -> Option<Self> {
        if !tier::full("it fetches a Hive metastore and starts it") {
            return None;
        }
        let classes = engines::classes().unwrap_or_else(|why| panic!("a Hive metastore: {why}"));
        let derby = format!("jdbc:derby:;databaseName={};create=true", sandbox.text("metastore/db"));
        let site = configuration(&[
            ("javax.jdo.option.ConnectionURL", &derby),
            ("javax.jdo.option.ConnectionDriverName", "org.apache.derby.jdbc.EmbeddedDriver"),
            ("datanucleus.schema.autoCreateAll", "true"),
            ("hive.metastore.schema.verification", "false"),
            ("hive.metastore.warehouse.dir", &sandbox.text("warehouse")),
            ("hive.async.log.enabled", "false"),
        ]);
        sandbox.write("metastore/conf/hive-site.xml", &site);
        sandbox.write("metastore/conf/hive-log4j2.properties", LOGGING);
        let metastore = Server::start(&sandbox.path("metastore.log"), |port| {
            let path = format!("{}:{}/*", sandbox.text("metastore/conf"), classes.display());
            let mut java = Command::new("java");
            java.args(BRIEF_JAVA).args([
                "-Xmx512m",
                "-cp",
                &path,
                "org.apache.hadoop.hive.metastore.HiveMetaStore",
                "-p",
            ]);
            java.arg(port.to_string()).current_dir(sandbox.path("metastore"));
            java
        });
        let site = configuration(&[
            ("hive.metastore.uris", &format!("thrift://127.0.0.1:{}", metastore.port)),
            ("hive.metastore.warehouse.dir", &sandbox.text("warehouse")),
            ("hive.exec.scratchdir", &sandbox.text("scratch")),
            ("hive.execution.engine", "mr"),
            ("hive.cbo.enable", "false"),
            ("hive.async.log.enabled", "false"),
        ]);
        sandbox.write("client/hive-site.xml", &site);
        sandbox.write("client/hive-log4j2.properties", LOGGING);
        Some(Self { sandbox, classes, metastore })
    }

    /// Executes statements with Hive's own client.
    fn execute(&self, statements: &str) {
        let script = self.sandbox.write("client/script.hql", statements);
        let path = format!("{}:{}/*", self.sandbox.text("client"), self.classes.display());
        let mut java = Command::new("java");
        java.args(BRIEF_JAVA);
        java.args(OPENED.iter().map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")));
        java.args(["-cp", &path, "org.apache.hadoop.hive.cli.CliDriver", "-f"]).arg(script);
        run(java.current_dir(self.sandbox.path("client"))).expect("Hive executes it");
    }
}

const FILTER: &[(&str, &str)] = &[("filter", "${coord:dataInPartitionFilter('in', 'hive')}")];

/// Submits a coordinator of one hour that waits for the partitions of `table`, and writes their filter to `said`.
fn submit(sandbox: &Sandbox, server: &str, table: &str) -> String {
    let data = format!(
        r#"<datasets><dataset name="clicks" frequency="60" initial-instance="2026-01-01T00:00Z" timezone="UTC">
    <uri-template>hcat://{server}/{table}</uri-template></dataset></datasets>
  <input-events><data-in name="in" dataset="clicks"><instance>${{coord:current(0)}}</instance></data-in></input-events>"#
    );
    let hour = ("2026-03-01T01:00Z", "2026-03-01T02:00Z");
    Coordinator { start: hour.0, end: hour.1, data, properties: FILTER, ..Coordinator::default() }.write(sandbox);
    sandbox.submit(NOW, &[])
}

fn status(sandbox: &Sandbox, job: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT coordinator_action.status FROM coordinator_action JOIN coordinator_job USING (job) WHERE id = '{job}'"
    ))
}

fn explained(sandbox: &Sandbox, job: &str) -> String {
    sandbox.howdah(["explain", &format!("{job}@1")]).at(NOW).succeed().stdout
}

#[test]
fn an_action_waits_for_a_partition_of_a_real_metastore() {
    let sandbox = Sandbox::new();
    let Some(hive) = Hive::start(&sandbox) else { return };
    hive.execute(
        "create database web; create table web.plain (line string);
         create table web.clicks (line string) partitioned by (dt string, region string, hour int);
         alter table web.clicks add partition (dt='2026-03-01', region='us', hour=1);
         alter table web.clicks add partition (dt='2026-03-01', region='a.b', hour=2);",
    );
    workflow(&sandbox, "app", "say", &[shell("say", "printf %s \"${filter}\" > ${sandbox}/said", "end")]);
    let server = format!("127.0.0.1:{}", hive.metastore.port);
    let day = "${YEAR}-${MONTH}-${DAY}";
    for (table, expect) in [
        (format!("web/clicks/dt={day};region=us;hour=${{HOUR}}"), "SUCCEEDED"),
        (format!("web/clicks/dt={day};region=us"), "SUCCEEDED"),
        ("web/clicks/region=a.b".to_owned(), "SUCCEEDED"),
        ("web/clicks".to_owned(), "SUCCEEDED"),
        ("web/plain".to_owned(), "SUCCEEDED"),
        (format!("web/clicks/dt={day};region=us;hour=2"), "WAITING"),
        ("web/clicks/region=axb".to_owned(), "WAITING"),
    ] {
        let job = submit(&sandbox, &server, &table);
        sandbox.tick_through(NOW);
        assert_eq!(status(&sandbox, &job), expect, "{table}: {}", explained(&sandbox, &job));
    }
    for (table, reason) in [
        ("web/clicks/day=1", "the table web.clicks has no partition key [day]; it has [dt, region, hour]"),
        ("web/nothing/dt=1", "the metastore has no table web.nothing"),
    ] {
        let job = submit(&sandbox, &server, table);
        sandbox.tick_through(NOW);
        let told = explained(&sandbox, &job).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(reason), "{told}");
    }

    let job = submit(&sandbox, &server, &format!("web/clicks/dt={day};region=eu;hour=${{HOUR}}"));
    sandbox.tick_through(NOW);
    assert_eq!(status(&sandbox, &job), "WAITING");
    hive.execute("alter table web.clicks add partition (dt='2026-03-01', region='eu', hour=1);");
    sandbox.tick_through(NOW);
    assert_eq!(status(&sandbox, &job), "SUCCEEDED");
    assert_eq!(sandbox.read("said"), "(dt='2026-03-01' AND region='eu' AND hour='01')");
}

#[test]
fn partitions_and_tables_of_a_real_metastore_are_dropped() {
    let sandbox = Sandbox::new();
    let Some(hive) = Hive::start(&sandbox) else { return };
    hive.execute(
        "create database web; create table web.plain (line string);
         create table web.clicks (line string) partitioned by (dt string, hour int);
         alter table web.clicks add partition (dt='1', hour=1);
         alter table web.clicks add partition (dt='1', hour=2);
         alter table web.clicks add partition (dt='2', hour=1);
         alter table web.clicks add partition (dt='2', hour=2);",
    );
    let server = format!("127.0.0.1:{}", hive.metastore.port);
    let exists = |data: &str| {
        let question = format!("${{hcat:exists('hcat://{server}/web/{data}')}}");
        sandbox.howdah(["eval", "--phase", "workflow"]).with(question).succeed().stdout
    };
    let delete = |data: &str| format!("<delete path='hcat://{server}/web/{data}'/>");
    let operations =
        ["clicks/dt=1;hour=01", "clicks/dt=1;hour=7", "clicks/dt=2", "nothing", "nothing/dt=1"].map(delete);
    assert_eq!(one_action::run(&sandbox, "", &format!("<fs>{}</fs>", operations.concat())), "SUCCEEDED, OK");
    for (data, expect) in [("clicks/dt=1;hour=1", "false"), ("clicks/dt=1;hour=2", "true"), ("clicks/dt=2", "false")] {
        assert_eq!(exists(data).lines().next(), Some(format!("Value: {expect}").as_str()), "{data}");
    }
    let prepare = format!("<prepare>{}</prepare>", delete("plain"));
    let body = format!(
        "<shell xmlns='uri:oozie:shell-action:0.3'><job-tracker>rm</job-tracker><name-node>hdfs://nn</name-node>\
         {prepare}<exec>true</exec></shell>"
    );
    assert_eq!(one_action::run(&sandbox, "", &body), "SUCCEEDED, OK");
    let gone = sandbox.howdah(["eval", "--phase", "workflow"]);
    let told = gone.with(format!("${{hcat:exists('hcat://{server}/web/plain')}}")).run().stderr;
    assert!(told.contains("the metastore has no table web.plain"), "{told}");
    let unknown = one_action::run(&sandbox, "", &format!("<fs>{}</fs>", delete("clicks/day=1")));
    assert!(unknown.contains("FS005") && unknown.contains("has no partition key [day]"), "{unknown}");
}

#[test]
fn without_a_metastore_nothing_is_dropped() {
    let sandbox = Sandbox::new();
    let dropped = one_action::run(&sandbox, "", "<fs><delete path='hcat://127.0.0.1:1/web/clicks'/></fs>");
    assert!(dropped.contains("FS005: delete, path [hcat://127.0.0.1:1/web/clicks]"), "{dropped}");
    assert!(dropped.contains("no metastore answers (127.0.0.1:1: "), "{dropped}");
}

#[test]
fn without_a_metastore_the_action_waits_and_says_why() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "say", &[shell("say", "true", "end")]);
    let job = submit(&sandbox, "127.0.0.1:1", "web/clicks/dt=1");
    let ticked = sandbox.howdah(["tick"]).at(NOW).run();
    assert!(ticked.status == Some(1) && ticked.stderr.starts_with(&format!("{job}: H0113: ")), "{ticked:?}");
    assert_eq!(status(&sandbox, &job), "WAITING");
    let told = explained(&sandbox, &job);
    assert!(told.contains("no metastore answers (127.0.0.1:1: "), "{told}");
}
