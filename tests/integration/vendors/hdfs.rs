//! A `map-reduce` action whose data are in HDFS: one real name node and one data node, of the last package with the
//! servers (Hadoop 2.7.3), with their dependencies from Debian.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::{Job, PATIENCE, Vendors, hadoop, write};
use crate::engines::{self, Server, ask, free_port, run};
use crate::sandbox::Sandbox;

const PYSPARK: &str = "pyspark==2.4.8";
const PACKAGES: [&str; 5] = [
    "libjersey1-server-java",
    "libjersey1-servlet-java",
    "libjersey1-core-java",
    "libjersey1-json-java",
    "libcommons-daemon-java",
];
/// The prefixes of the library names that the servers need.
const NEEDED: [&str; 42] = [
    "hadoop-",
    "commons-",
    "guava-14",
    "htrace-core",
    "protobuf-java-2.5",
    "jackson-core-asl",
    "jackson-mapper-asl",
    "jackson-jaxrs",
    "jackson-xc",
    "jetty-",
    "jsp-api",
    "javax.servlet-api",
    "log4j-1.2",
    "slf4j-",
    "xmlenc",
    "netty-3",
    "netty-all",
    "leveldbjni",
    "snappy-java",
    "paranamer",
    "avro-1.8",
    "apacheds",
    "api-",
    "curator-",
    "zookeeper",
    "guice-",
    "aopalliance",
    "javax.inject",
    "httpclient",
    "httpcore",
    "jaxb-api",
    "activation",
    "jersey1-core",
    "jersey1-server",
    "jersey1-servlet",
    "jersey1-json",
    "jsr311-api",
    "asm.jar",
    "commons-daemon",
    "jetty6",
    "servlet-api",
    "jul-to-slf4j",
];

/// The folder with the libraries of the servers, or why this machine cannot have it.
fn libraries() -> Result<PathBuf, String> {
    let engines = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines").join("hadoop-2.7");
    let jars = engines.join("jars");
    if !jars.is_dir() {
        fs::create_dir_all(&engines).map_err(|error| error.to_string())?;
        engines::unpack(PYSPARK, &["*/deps/jars/*"], &engines, std::slice::from_ref(&jars))?;
    }
    engines::apt(&PACKAGES)?;
    Ok(jars)
}

/// HDFS, with its data in the sandbox.
struct Hdfs {
    name_node: Server,
    _data_node: Server,
}

impl Hdfs {
    fn start(sandbox: &Sandbox, libraries: &Path) -> Self {
        let web = free_port();
        for part in ["hdfs", "datanode"] {
            sandbox.write(&format!("hdfs/web/webapps/{part}/WEB-INF/web.xml"), "<web-app/>");
        }
        let jars = [libraries, Path::new("/usr/share/java")]
            .into_iter()
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
        let mut class_path = vec![sandbox.text("hdfs/conf"), sandbox.text("hdfs/web")];
        for jar in jars.flatten().map(|entry| entry.path()) {
            let name = jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_needed = NEEDED.iter().any(|start| name.starts_with(start)) && !name.starts_with("commons-lang3");
            if is_needed && jar.extension().is_some_and(|extension| extension == "jar") {
                class_path.push(jar.display().to_string());
            }
        }
        let java = |class: &str| {
            let mut command = Command::new("java");
            command.args(["--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-cp", &class_path.join(":")]);
            command.arg(format!("org.apache.hadoop.hdfs.server.{class}")).current_dir(sandbox.path("hdfs"));
            command
        };
        let configure = |port: u16| {
            let site = |properties: &[(&str, String)]| {
                let property = |(name, value): &(&str, String)| {
                    format!("<property><name>{name}</name><value>{value}</value></property>")
                };
                format!("<configuration>{}</configuration>", properties.iter().map(property).collect::<String>())
            };
            let local = |port: u16| format!("127.0.0.1:{port}");
            let folder = |name: &str| format!("file://{}", sandbox.text(&format!("hdfs/{name}")));
            let core = site(&[
                ("fs.defaultFS", format!("hdfs://{}", local(port))),
                ("hadoop.tmp.dir", sandbox.text("hdfs/tmp")),
            ]);
            let hdfs = site(&[
                ("dfs.replication", "1".to_owned()),
                ("dfs.namenode.name.dir", folder("name")),
                ("dfs.datanode.data.dir", folder("data")),
                ("dfs.namenode.http-address", local(web)),
                ("dfs.datanode.address", local(free_port())),
                ("dfs.datanode.http.address", local(free_port())),
                ("dfs.permissions.enabled", "false".to_owned()),
                ("dfs.namenode.safemode.extension", "0".to_owned()),
            ]);
            sandbox.write("hdfs/conf/core-site.xml", &core);
            sandbox.write("hdfs/conf/hdfs-site.xml", &hdfs);
        };
        let name_node = Server::start(&sandbox.path("name-node.log"), |port| {
            configure(port);
            run(java("namenode.NameNode").args(["-format", "-nonInteractive"])).expect("an empty folder is formatted");
            java("namenode.NameNode")
        });
        let data_node = Server::start(&sandbox.path("data-node.log"), |port| {
            let mut command = java("datanode.DataNode");
            command.arg(format!("-Ddfs.datanode.ipc.address=127.0.0.1:{port}"));
            command
        });
        let deadline = Instant::now() + PATIENCE;
        let state = "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState";
        while !ask(web, state).contains("\"NumLiveDataNodes\" : 1") {
            assert!(Instant::now() < deadline, "the data node is not alive:\n{}", sandbox.read("data-node.log"));
            std::thread::sleep(Duration::from_millis(200));
        }
        Self { name_node, _data_node: data_node }
    }
}

#[test]
fn data_in_hdfs() {
    let Some(vendors) = Vendors::installed() else { return };
    let libraries = libraries().unwrap_or_else(|why| panic!("HDFS: {why}"));
    let sandbox = Sandbox::new();
    let hdfs = Hdfs::start(&sandbox, &libraries);
    let site = vendors.site(&sandbox, &[]);
    let name_node = format!("hdfs://127.0.0.1:{}", hdfs.name_node.port);
    let jar = vendors.compile(&sandbox.path(""), "Words", hadoop::PROGRAM);
    write(&sandbox.path("lines"), "a b a\n");
    let shell = |arguments: &[&str]| {
        let mut hadoop = Command::new(vendors.bin.join("hadoop"));
        run(hadoop.arg("fs").arg("-fs").arg(&name_node).args(arguments)).expect("Hadoop's file system shell does it")
    };
    shell(&["-mkdir", "-p", "/in"]);
    shell(&["-put", &sandbox.text("lines"), "/in/lines"]);
    let properties = [&hadoop::WORDS[..], &[("mapred.input.dir", "/in"), ("mapred.output.dir", "/out")]].concat();
    let job = Job::submit(&sandbox, &site, &hadoop::map_reduce(&name_node, &jar, &properties));
    assert_eq!(job.end(), "OK", "{}", job.file("stderr"));
    assert_eq!(shell(&["-cat", "/out/part-r-00000"]), "a\t2\nb\t1\n");
    assert!(job.file("report.json").contains("\"HDFS_BYTES_WRITTEN\":8"), "{}", job.file("report.json"));
}
