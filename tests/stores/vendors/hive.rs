//! The `hive` action on Hive's own command line, and the `hive2` action on beeline and a server that speaks its
//! protocol.

use std::process::Command;

use super::{Job, Vendors};
use howdah_sandbox::engines::Server;
use howdah_sandbox::sandbox::Sandbox;

fn property(name: &str, value: &str) -> String {
    format!("<property><name>{name}</name><value>{value}</value></property>")
}

/// A `hive` action on a metastore of its own in `folder` of the sandbox.
fn body(sandbox: &Sandbox, folder: &str, statements: &str) -> String {
    let at = |name: &str| sandbox.text(&format!("{folder}/{name}"));
    let configuration: String = [
        ("javax.jdo.option.ConnectionURL", format!("jdbc:derby:;databaseName={};create=true", at("db"))),
        ("javax.jdo.option.ConnectionDriverName", "org.apache.derby.jdbc.EmbeddedDriver".to_owned()),
        ("datanucleus.schema.autoCreateAll", "true".to_owned()),
        ("hive.metastore.schema.verification", "false".to_owned()),
        ("hive.metastore.warehouse.dir", at("warehouse")),
        ("hive.exec.scratchdir", at("scratch")),
        ("hive.execution.engine", "mr".to_owned()),
        ("hive.cbo.enable", "false".to_owned()),
        ("hive.async.log.enabled", "false".to_owned()),
    ]
    .iter()
    .map(|(name, value)| property(name, value))
    .collect();
    format!(
        "<hive xmlns=\"uri:oozie:hive-action:0.6\"><job-tracker>local</job-tracker><name-node>file:///</name-node>\
         <configuration>{configuration}</configuration>{statements}</hive>"
    )
}

#[test]
fn hive_s_own_command_line() {
    let Some(vendors) = Vendors::installed() else { return };
    let sandbox = Sandbox::new();
    let site = vendors.site(&sandbox, &[]);
    let script = sandbox.write(
        "load.hql",
        "create table ${hivevar:NAME} (line string);\nload data local inpath '${hivevar:FROM}' into table \
         ${hivevar:NAME};\n\
         select concat('[', line, ']') from ${hivevar:NAME};\n",
    );
    sandbox.write("lines", "a b\n");
    let params = format!("<param>NAME=words</param><param>FROM={}</param>", sandbox.text("lines"));
    let good = body(&sandbox, "one", &format!("<script>{}</script>{params}", script.display()));
    let killed = body(&sandbox, "two", "<query>create database begun; !sleep 600;</query>");
    let [good, killed] = [good, killed].map(|body| Job::submit(&sandbox, &site, &body));
    assert_eq!(good.end(), "OK", "{}", good.file("stderr"));
    assert_eq!(good.file("stdout"), "[a b]\n");
    killed.wait("the query's begin", || sandbox.path("two/warehouse/begun.db").exists());
    assert_eq!(killed.kill(), "KILLED");
    let bad = body(&sandbox, "one", "<query>select * from nothing</query>");
    let bad = Job::submit(&sandbox, &site, &bad);
    assert_eq!(bad.end(), "ERROR 17 Main Class [org.apache.oozie.action.hadoop.HiveMain], exit code [17]");
}

#[test]
fn beeline_and_a_server() {
    let Some(vendors) = Vendors::installed() else { return };
    let sandbox = Sandbox::new();
    let site = vendors.site(&sandbox, &[]);
    let server = Server::start(&sandbox.path("server.log"), |port| {
        let mut command = Command::new(vendors.spark("spark-submit"));
        command.args(["--master", "local[1]", "--driver-memory", "600m", "--conf", "spark.ui.enabled=false"]);
        command.args(["--conf", &format!("spark.sql.warehouse.dir={}", sandbox.text("warehouse"))]);
        command.args(["--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "spark-internal"]);
        command.args(["--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1"]);
        command.args(["--hiveconf", &format!("hive.server2.thrift.port={port}")]).current_dir(sandbox.path(""));
        command
    });
    let submit = |statements: &str| {
        let url = format!("<jdbc-url>jdbc:hive2://127.0.0.1:{}/default</jdbc-url>", server.port);
        let body = format!("<hive2 xmlns=\"uri:oozie:hive2-action:0.2\">{url}{statements}</hive2>");
        Job::submit(&sandbox, &site, &body)
    };
    let good = submit(
        "<query>select concat('[', '\\${hivevar:WORD}', ']')</query><param>WORD=a b</param>\
         <argument>--outputformat=csv2</argument><argument>--showHeader=false</argument>",
    );
    assert_eq!(good.end(), "OK", "{}", good.file("stderr"));
    assert!(good.file("stdout").contains("[a b]"), "{}", good.file("stdout"));
    let bad = submit("<query>select nothing from nowhere;</query>");
    assert_eq!(bad.end(), "ERROR JA018 Beeline exited with status: 2", "{}", bad.file("stderr"));
    let killed = submit("<query>select java_method('java.lang.Thread', 'sleep', 600000L);</query>");
    killed.wait("the query's begin", || sandbox.read("server.log").contains("java_method"));
    assert_eq!(killed.kill(), "KILLED");
}
