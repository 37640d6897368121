//! HDFS for the tests: one real name node and one data node, of the last package with the servers (Hadoop 2.7.3), with
//! their dependencies from Debian; and what Hadoop's own client and plain `WebHDFS` see in it.

mod faults;
mod file_operations;
#[cfg(feature = "hdfs")]
mod kerberos;
#[cfg(feature = "hdfs")]
mod login;
mod pair;
mod pipeline;
#[cfg(feature = "hdfs")]
mod rpc;
#[cfg(feature = "hdfs")]
mod rpc_proxy;
mod seen;
mod viewfs;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::vendors::Vendors;
use howdah_sandbox::engines::{self, BRIEF_JAVA, Server, ask, run};
use howdah_sandbox::http_message::Message;
use howdah_sandbox::ports::free_ports;
use howdah_sandbox::sandbox::{PATIENCE, Sandbox};
use howdah_sandbox::store_proxy::{Fault, StoreProxy};

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

const NAME_NODE: &str = "server.namenode.NameNode";
const DATA_NODE: &str = "server.datanode.DataNode";

/// What fails is on standard error.
const LOGGING: &str = "log4j.rootLogger=WARN, err\nlog4j.appender.err=org.apache.log4j.ConsoleAppender\n\
    log4j.appender.err.target=System.err\nlog4j.appender.err.layout=org.apache.log4j.PatternLayout\n\
    log4j.appender.err.layout.ConversionPattern=%d %p %c{2}: %m%n\n";

/// The folder with the libraries of the servers, or why this machine cannot have it.
fn libraries() -> Result<&'static Path, &'static str> {
    static LIBRARIES: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    LIBRARIES.get_or_init(fetch).as_deref().map_err(String::as_str)
}

fn fetch() -> Result<PathBuf, String> {
    let engines = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines").join("hadoop-2.7");
    let jars = engines.join("jars");
    if !jars.is_dir() {
        fs::create_dir_all(&engines).map_err(|error| error.to_string())?;
        engines::unpack(PYSPARK, &["*/deps/jars/*"], &engines, std::slice::from_ref(&jars))?;
    }
    engines::apt(&PACKAGES).map(|()| jars)
}

/// The servers, with their data in a folder of their own. Who starts them is the superuser and may act for every user;
/// permissions count for all others. What is moved to the trash stays there for an hour.
pub(crate) struct Hdfs {
    folder: tempfile::TempDir,
    class_path: OsString,
    vendors: &'static Vendors,
    /// The port of the name node's own protocol.
    rpc: u16,
    /// The ports of `WebHDFS`.
    pub(crate) web: u16,
    pub(crate) data_web: u16,
    name_node: Option<Server>,
    _data_node: Server,
}

impl Hdfs {
    /// The servers that all tests share, in the full tier; elsewhere `None`, with the reason printed. They run as long
    /// as a test has them, so a test has a folder of its own there.
    pub(crate) fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Hdfs>> = Mutex::new(Weak::new());
        let vendors = Vendors::installed()?;
        // A test that could not start them has panicked.
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let running = shared.upgrade().unwrap_or_else(|| Arc::new(Self::started(vendors)));
        *shared = Arc::downgrade(&running);
        Some(running)
    }

    /// Servers of one test, which may stop them.
    pub(crate) fn start() -> Option<Self> {
        Vendors::installed().map(Self::started)
    }

    fn started(vendors: &'static Vendors) -> Self {
        let libraries = libraries().unwrap_or_else(|why| panic!("HDFS: {why}"));
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        let [rpc, web, data_web, data, ipc] = free_ports();
        let name_node = [
            ("dfs.namenode.name.dir".to_owned(), below(folder.path(), "name")),
            ("dfs.namenode.http-address".to_owned(), local(web)),
        ];
        write_settings(folder.path(), &local(rpc), [data_web, data], &name_node);
        let class_path = class_path(folder.path(), libraries);
        let java = |class: &str| java(folder.path(), &class_path, class);
        run(java(NAME_NODE).args(["-format", "-nonInteractive"])).expect("an empty folder is formatted");
        let name_node = Server::start_on(rpc, &folder.path().join("name-node.log"), java(NAME_NODE));
        let mut command = java(DATA_NODE);
        command.arg(format!("-Ddfs.datanode.ipc.address=127.0.0.1:{ipc}"));
        let data_node = Server::start_on(ipc, &folder.path().join("data-node.log"), command);
        let name_node = Some(name_node);
        let hdfs = Self { folder, class_path, vendors, rpc, web, data_web, name_node, _data_node: data_node };
        hdfs.await_servers();
        hdfs
    }

    /// Ends the name node.
    pub(crate) fn stop(&mut self) {
        self.name_node = None;
    }

    /// Starts the name node again.
    pub(crate) fn start_again(&mut self) {
        let log = self.folder.path().join("name-node-again.log");
        let command = java(self.folder.path(), &self.class_path, NAME_NODE);
        self.name_node = Some(Server::start_on(self.rpc, &log, command));
        self.await_servers();
    }

    /// Lets the name node accept connections and answer nothing.
    pub(crate) fn pause(&self) {
        self.name_node.as_ref().expect("it runs").send(Signal::STOP);
    }

    /// Ends the pause.
    pub(crate) fn resume(&self) {
        self.name_node.as_ref().expect("it runs").send(Signal::CONT);
    }

    /// Waits until the name node works and has its data node.
    fn await_servers(&self) {
        let deadline = Instant::now() + PATIENCE;
        let state = "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState";
        let is_ready = |answer: &str| {
            answer.contains("\"NumLiveDataNodes\" : 1") && answer.contains("\"FSState\" : \"Operational\"")
        };
        while !is_ready(&ask(self.web, state)) {
            let log = || fs::read_to_string(self.folder.path().join("data-node.log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "the data node is not alive:\n{}", log());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The store by the name node's own protocol: `hdfs://host:port`.
    pub(crate) fn name(&self) -> String {
        format!("hdfs://127.0.0.1:{}", self.rpc)
    }

    /// Runs Hadoop's own file system shell; it must succeed. It takes about two seconds.
    pub(crate) fn shell(&self, arguments: &[&str]) -> String {
        let mut hadoop = Command::new(self.vendors.program("hadoop"));
        let shell = hadoop.arg("fs").arg("-fs").arg(self.name()).args(["-D", "dfs.replication=1"]).args(arguments);
        run(shell).unwrap_or_else(|why| panic!("{arguments:?}: {why}"))
    }
}

/// A place on this machine.
fn local(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// The URI of a folder of the servers.
fn below(folder: &Path, name: &str) -> String {
    format!("file://{}", folder.join(name).display())
}

/// The text of a site file.
fn site<'a>(properties: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let properties = properties.into_iter();
    let lines =
        properties.map(|(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>"));
    format!("<configuration>{}</configuration>", lines.collect::<Vec<_>>().concat())
}

/// Writes the site files, and the folders without which the web servers do not start. `authority` is that of the store.
fn write_settings(folder: &Path, authority: &str, [data_web, data]: [u16; 2], name_nodes: &[(String, String)]) {
    let write = |path: &str, content: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("folders");
        fs::write(path, content).expect("a file");
    };
    let core = site([
        ("fs.defaultFS", format!("hdfs://{authority}").as_str()),
        ("hadoop.tmp.dir", &folder.join("tmp").display().to_string()),
        ("hadoop.proxyuser.root.hosts", "*"),
        ("hadoop.proxyuser.root.groups", "*"),
        ("fs.trash.interval", "60"),
    ]);
    let (data, data_web, blocks) = (local(data), local(data_web), below(folder, "data"));
    let of_all = [
        ("dfs.replication", "1"),
        ("dfs.datanode.data.dir", &blocks),
        ("dfs.datanode.hostname", "127.0.0.1"),
        ("dfs.datanode.address", &data),
        ("dfs.datanode.http.address", &data_web),
        ("dfs.permissions.enabled", "true"),
        ("dfs.namenode.safemode.extension", "0"),
        // A listing of a folder with more entries comes in several answers.
        ("dfs.ls.limit", "100"),
    ];
    let name_nodes = name_nodes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let hdfs = site(of_all.into_iter().chain(name_nodes));
    write("conf/log4j.properties", LOGGING);
    write("conf/core-site.xml", &core);
    write("conf/hdfs-site.xml", &hdfs);
    for part in ["hdfs", "datanode"] {
        write(&format!("web/webapps/{part}/WEB-INF/web.xml"), "<web-app/>");
    }
}

/// The settings, the web folders and the libraries, as Java wants them.
fn class_path(folder: &Path, libraries: &Path) -> OsString {
    let jars = [libraries, Path::new("/usr/share/java")]
        .into_iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let mut class_path = vec![folder.join("conf"), folder.join("web")];
    for jar in jars.flatten().map(|entry| entry.path()) {
        let name = jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_needed = NEEDED.iter().any(|start| name.starts_with(start)) && !name.starts_with("commons-lang3");
        if is_needed && jar.extension().is_some_and(|extension| extension == "jar") {
            class_path.push(jar);
        }
    }
    std::env::join_paths(class_path).expect("no colon in a path")
}

/// The command of a server or of a tool, by its class.
fn java(folder: &Path, class_path: &OsStr, class: &str) -> Command {
    let mut command = Command::new("java");
    command.args(BRIEF_JAVA).args(["--add-opens=java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-cp"]).arg(class_path);
    command.arg(format!("org.apache.hadoop.hdfs.{class}")).current_dir(folder);
    command
}

/// The name of a store whose `WebHDFS`, or the proxy before it, is on this port.
fn store_name(port: u16) -> String {
    format!("webhdfs://127.0.0.1:{port}")
}

/// How howdah asks the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By `WebHDFS`.
    Http,
    /// By the name node's own protocol.
    #[cfg(feature = "hdfs")]
    Rpc,
}

impl Way {
    const ALL: &[Self] = &[
        Self::Http,
        #[cfg(feature = "hdfs")]
        Self::Rpc,
    ];

    /// The name of the store.
    fn store(self, hdfs: &Hdfs) -> String {
        match self {
            Self::Http => store_name(hdfs.web),
            #[cfg(feature = "hdfs")]
            Self::Rpc => hdfs.name(),
        }
    }
}

/// Lets each howdah of a sandbox use this mount, and retry for longer than any fault lasts.
fn allow(sandbox: &Sandbox, mount: &str) {
    allow_with(sandbox, mount, &[]);
}

/// As [`allow`], with more settings.
fn allow_with(sandbox: &Sandbox, mount: &str, more: &[(&str, &str)]) {
    let settings =
        [("howdah.mounts", mount), ("oozie.action.retries.max", "1000"), ("oozie.action.retry.interval", "1")];
    sandbox.write("home/.config/howdah/site.xml", &site(settings.into_iter().chain(more.iter().copied())));
}

/// Both witnesses see what the other one wrote.
#[test]
fn hadoop_s_client_and_webhdfs_see_the_same() {
    let Some(hdfs) = Hdfs::shared() else { return };
    // Without `%` and `+`: this data node decodes a path twice.
    let folder = "/seen by both/100 é?#;&";
    hdfs.write(&format!("{folder}/from web"), "written\n");
    hdfs.set_mode(&format!("{folder}/from web"), 0o640);
    let local = tempfile::NamedTempFile::new().expect("the system has room for a file");
    fs::write(local.path(), "from the shell").expect("a file");
    let file = local.path().display().to_string();
    hdfs.shell(&["-put", &file, "/seen by both/from shell"]);
    let tree = hdfs.tree("/seen by both");
    let names: Vec<&str> = tree.keys().map(String::as_str).collect();
    assert_eq!(names, ["100 é?#;&", "100 é?#;&/from web", "from shell"]);
    let seen = &tree["100 é?#;&/from web"];
    assert_eq!((seen.is_folder, seen.length, seen.mode, seen.replication), (false, 8, 0o640, 1), "{seen:?}");
    assert_eq!(hdfs.read("/seen by both/from shell").as_deref(), Some("from the shell"));
    assert_eq!(hdfs.read("/seen by both/none"), None);
    let listed = hdfs.listed("/seen by both");
    assert_eq!(listed.keys().collect::<Vec<_>>(), tree.keys().collect::<Vec<_>>());
    assert_eq!(listed["100 é?#;&/from web"], "-rw-r----- 1 root supergroup 8");
    assert!(hdfs.stat("/seen by both").is_some_and(|seen| seen.is_folder && seen.owner == "root"));
}

#[test]
fn a_name_node_pauses_stops_and_starts_again() {
    let Some(mut hdfs) = Hdfs::start() else { return };
    hdfs.write("/kept", "content");
    hdfs.pause();
    let before = Instant::now();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| hdfs.read("/kept"));
        std::thread::sleep(Duration::from_secs(1));
        assert!(!asked.is_finished(), "a paused name node answers nothing");
        hdfs.resume();
        assert_eq!(asked.join().expect("it reads").as_deref(), Some("content"));
    });
    assert!(before.elapsed() >= Duration::from_secs(1));
    hdfs.stop();
    assert!(ask(hdfs.web, "/jmx").is_empty(), "no process listens");
    hdfs.start_again();
    assert_eq!(hdfs.read("/kept").as_deref(), Some("content"));
}

#[test]
fn webhdfs_passes_through_the_proxy() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = StoreProxy::start(&[hdfs.web, hdfs.data_web]);
    let put =
        |port: u16, target: &str, body: &str| Message::new(&format!("PUT {target} HTTP/1.1"), body).exchange(port);
    let create = "/webhdfs/v1/proxied/file?user.name=root&op=CREATE";
    let answer = put(proxy.port, create, "").expect("an answer");
    let location = answer.header("Location").and_then(|location| location.strip_prefix("http://127.0.0.1:"));
    let (port, target) = location.and_then(|location| location.split_once('/')).expect("a place on loopback");
    assert!(answer.status() == 307 && port != hdfs.data_web.to_string(), "{answer:?}");
    let answer = put(port.parse().expect("a port"), &format!("/{target}"), "content").expect("an answer");
    assert_eq!((answer.status(), hdfs.read("/proxied/file").as_deref()), (201, Some("content")), "{answer:?}");
    assert_eq!(proxy.received("CREATE").len(), 2);
    proxy.plan(|_, _| Some(Fault::LosesAnswer));
    let create = "/webhdfs/v1/proxied/folder?user.name=root&op=MKDIRS";
    assert!(put(proxy.port, create, "").is_err(), "the answer is lost");
    assert!(hdfs.stat("/proxied/folder").is_some_and(|seen| seen.is_folder), "but the folder was created");
}
