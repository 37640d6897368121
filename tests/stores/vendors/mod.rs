//! Actions of vendors' programs on the real engines: each type runs to OK, to ERROR with its code, and is killed while
//! it runs. The programs are those of Spark's package, and scripts that start Hadoop's and Hive's main classes from it,
//! as the vendors' own scripts do.

mod hadoop;
mod hdfs;
mod hive;
mod spark;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{action, workflow};
use howdah_sandbox::engines::{self, BRIEF_JAVA, run};
use howdah_sandbox::sandbox::{PATIENCE, Sandbox};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";

/// Packages that Hive and Spark use and that Java keeps closed since version 17.
const OPENED: [&str; 16] = [
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.text",
    "java.time",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.util.regex",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
];

/// The libraries of the folder that Hadoop's client needs.
const HADOOP: [&str; 8] = [
    "hadoop-client-api-3.3.4",
    "hadoop-client-runtime-3.3.4",
    "slf4j-api-2.0.7",
    "log4j-slf4j2-impl-2.20.0",
    "log4j-api-2.20.0",
    "log4j-core-2.20.0",
    "log4j-1.2-api-2.20.0",
    "commons-logging-1.1.3",
];

/// Logs to standard error, with the ids of jobs.
const LOGGING: &str = "rootLogger.level = info\nrootLogger.appenderRef.err.ref = err\n\
    appender.err.type = Console\nappender.err.name = err\nappender.err.target = SYSTEM_ERR\n\
    appender.err.layout.type = PatternLayout\nappender.err.layout.pattern = %p %c{2}: %m%n\n";

fn opens() -> String {
    OPENED.map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")).join(" ")
}

/// The installed programs.
pub(crate) struct Vendors {
    /// Spark's folder.
    home: PathBuf,
    /// The folder with `hadoop`, `mapred` and `hive`.
    bin: PathBuf,
}

impl Vendors {
    /// Returns the programs, built once, in the full tier; elsewhere `None`, with the reason printed.
    pub(crate) fn installed() -> Option<&'static Self> {
        static VENDORS: OnceLock<Result<Vendors, String>> = OnceLock::new();
        if !tier::full("it fetches the vendors' programs and starts them") {
            return None;
        }
        let vendors =
            VENDORS.get_or_init(|| engines::spark().map_err(str::to_owned).and_then(|home| Self::make(&home)));
        Some(vendors.as_ref().unwrap_or_else(|why| panic!("the vendors' programs: {why}")))
    }

    fn make(home: &Path) -> Result<Self, String> {
        run(Command::new("javac").arg("-version"))?;
        let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendors");
        let conf = bin.join("conf");
        fs::create_dir_all(&conf).map_err(|error| error.to_string())?;
        for part in ["core", "mapred", "hdfs", "yarn"] {
            write(&conf.join(format!("{part}-site.xml")), "<configuration/>");
        }
        write(&conf.join("log4j2.properties"), LOGGING);
        let jars = HADOOP.map(|jar| format!("{}/jars/{jar}.jar", home.display())).join(":");
        let class_path = format!("{}:{jars}", conf.display());
        let brief = BRIEF_JAVA.join(" ");
        let java = format!("exec java {brief} -Xmx512m -cp \"${{HADOOP_CLASSPATH:+$HADOOP_CLASSPATH:}}{class_path}\"");
        program(
            &bin.join("hadoop"),
            &format!(
                "case $1 in fs) shift; {java} org.apache.hadoop.fs.FsShell \"$@\";; \
                 jar) shift; {java} org.apache.hadoop.util.RunJar \"$@\";; esac; exit 64"
            ),
        );
        program(
            &bin.join("mapred"),
            &format!(
                "case $1 in pipes) shift; {java} org.apache.hadoop.mapred.pipes.Submitter \"$@\";; \
                 job) shift; {java} org.apache.hadoop.mapred.JobClient \"$@\";; esac; exit 64"
            ),
        );
        let hive = format!("exec java {brief} -Xmx512m {} -cp \"$HIVE_CONF_DIR:{}/jars/*\"", opens(), home.display());
        program(&bin.join("hive"), &format!("{hive} org.apache.hadoop.hive.cli.CliDriver \"$@\""));
        Ok(Self { home: home.to_owned(), bin })
    }

    /// One of the scripts: `hadoop`, `mapred` or `hive`.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// One of Spark's own programs.
    fn spark(&self, name: &str) -> String {
        self.home.join("bin").join(name).display().to_string()
    }

    /// Compiles a class against the libraries and packs it into `<folder>/<name>.jar`.
    fn compile(&self, folder: &Path, name: &str, source: &str) -> PathBuf {
        let classes = folder.join(format!("{name}-classes"));
        fs::create_dir_all(&classes).expect("a folder");
        let file = classes.join(format!("{name}.java"));
        write(&file, source);
        let jar = folder.join(format!("{name}.jar"));
        let libraries = format!("{}/jars/*", self.home.display());
        run(Command::new("javac").args(["-cp", &libraries, "-d"]).arg(&classes).arg(&file)).expect("it compiles");
        run(Command::new("jar").arg("cf").arg(&jar).arg("-C").arg(&classes).arg(".")).expect("it is packed");
        jar
    }

    /// A site file that names the programs, with more properties.
    fn site(&self, sandbox: &Sandbox, more: &[(&str, &str)]) -> String {
        let bin = |name: &str| self.program(name).display().to_string();
        let programs = [
            ("howdah.command.hadoop", bin("hadoop")),
            ("howdah.command.hive", bin("hive")),
            ("howdah.command.beeline", self.spark("beeline")),
            ("howdah.command.spark-submit", self.spark("spark-submit")),
        ];
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let lines = programs.into_iter().chain(more).map(|(name, value)| format!("{name}={value}\n"));
        sandbox.write("site.properties", &lines.collect::<Vec<_>>().concat()).display().to_string()
    }
}

fn write(path: &Path, content: &str) {
    fs::write(path, content).expect("a file");
}

/// Writes a script under another name and renames it: another run of the tests may be starting the present one.
fn program(path: &Path, script: &str) {
    let aside = path.with_extension(std::process::id().to_string());
    write(&aside, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&aside, fs::Permissions::from_mode(0o755)).expect("a file of ours");
    fs::rename(aside, path).expect("a file of ours");
}

/// A job of one action.
struct Job<'a> {
    sandbox: &'a Sandbox,
    site: &'a str,
    id: String,
}

impl<'a> Job<'a> {
    /// Submits a workflow of one action in a folder of its own.
    fn submit(sandbox: &'a Sandbox, site: &'a str, body: &str) -> Self {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let folder = format!("app{}", NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        workflow(sandbox, &folder, "it", &[action("it", body, "end", "")]);
        let submit = sandbox.howdah(["submit", "--site", site]).at(NOW).define("sandbox", &sandbox.text(""));
        let id = submit.define("oozie.wf.application.path", &sandbox.text(&folder)).succeed().job();
        Self { sandbox, site, id }
    }

    /// A column of the node's row; empty before there is one.
    fn value(&self, column: &str) -> String {
        let rows = self.sandbox.database().rows(&format!(
            "SELECT coalesce({column}, '') FROM workflow_node n JOIN workflow_job w USING (job) \
             WHERE w.id = '{}' AND n.name = 'it'",
            self.id
        ));
        rows.into_iter().next().unwrap_or_default()
    }

    /// Waits for the node's end; its status, error code and message.
    fn end(&self) -> String {
        let open = |status: &str| matches!(status, "" | "PREP" | "RUNNING");
        self.wait("the end of the node", || !open(&self.value("n.status")));
        let end =
            format!("{} {} {}", self.value("n.status"), self.value("n.error_code"), self.value("n.error_message"));
        end.trim().to_owned()
    }

    fn external_id(&self) -> String {
        self.value("n.external_id")
    }

    /// Returns a file in the folder of the node's attempt.
    fn file(&self, name: &str) -> String {
        let runs = self.sandbox.path("howdah.runs");
        fs::read_to_string(runs.join(&self.id).join("it").join("0-1").join(name)).unwrap_or_default()
    }

    fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            let told = || format!("stdout:\n{}\nstderr:\n{}", self.file("stdout"), self.file("stderr"));
            assert!(Instant::now() < deadline, "waited without result for {what}\n{}", told());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Kills the job and waits until nothing of the attempt is left.
    fn kill(&self) -> String {
        self.sandbox.howdah(["kill", &self.id, "--site", self.site]).at(NOW).succeed();
        self.wait("the attempt's end", || !self.file("exit").is_empty());
        self.end()
    }
}
