//! A sandbox for the tests of this module: folders, a mount, and elements from text.
#![expect(clippy::disallowed_methods, reason = "a test creates the files that it works on")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::work::Task;
use crate::command_work::CommandWork;
use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_host::located::{Base, Located};
use howdah_host::mounts::Mounts;
use howdah_words::error::SourceText;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, Element};

/// `hdfs://nn` is mounted on `store`; the application is in `app`, the attempt works in `attempt/work`.
pub(super) struct Sandbox {
    folder: tempfile::TempDir,
    pub(super) store: PathBuf,
    pub(super) attempt: PathBuf,
    pub(super) application: Base,
    work: PathBuf,
    home: PathBuf,
    mounts: Mounts,
    pub(super) library: Vec<Located>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) configuration: Properties,
    pub(super) cluster: Properties,
    pub(super) site: Properties,
    pub(super) job_configuration: Properties,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["store", "app/lib", "home", "attempt"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let mounts = Mounts::parse([format!("hdfs://nn={}", at("store").display()).as_str()]).unwrap();
        Self {
            store: at("store"),
            attempt: at("attempt"),
            application: Base::of_application("/app", here(&at("app").to_string_lossy())),
            work: at("attempt/work"),
            home: at("home"),
            mounts,
            library: Vec::new(),
            environment: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
            configuration: Properties::new(),
            cluster: Properties::new(),
            site: Properties::new(),
            job_configuration: Properties::new(),
            folder,
        }
    }

    pub(super) fn context(&self) -> ActionContext<'_> {
        ActionContext {
            mounts: &self.mounts,
            application: &self.application,
            library: &self.library,
            directory: &self.work,
            home: &self.home,
            site: &self.site,
            job_id: "0000000-260101000000000-oozie-oozi-W",
            node: "node",
            run: 0,
            token: "0123456789abcdef0123456789abcdef",
            user: "ann",
            job_configuration: &self.job_configuration,
            environment: &self.environment,
            configuration: &self.configuration,
            cluster: &self.cluster,
            glob_max: 10,
            output_max: 20,
            depth_max: 50,
            now: Timestamp::from_seconds(1_262_304_000),
        }
    }

    /// Writes a file below the sandbox, with its folders.
    pub(super) fn write(&self, path: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

/// Compares the command line that was planned, with `WORK` for the working folder and `APP` for the application's, or
/// the start of the code and the message of the failure.
pub(super) fn check_line(planned: Result<Task, Failure>, expect: Result<&[&str], &str>) {
    match (planned, expect) {
        (Ok(task), Ok(expect)) => assert_eq!(line(&task), expect),
        (Err(failure), Err(expect)) => {
            let got = format!("{} {}", failure.code, failure.message);
            assert!(got.starts_with(expect), "{got}");
        }
        (got, expect) => panic!("{got:?} is not {expect:?}"),
    }
}

/// Returns the planned command.
pub(super) fn command(task: &Task) -> &CommandWork {
    match task {
        Task::Command(work) => work,
        other => panic!("no command is planned but {other:?}"),
    }
}

fn line(task: &Task) -> Vec<String> {
    let line = &command(task).line;
    let attempt = line.directory.parent().unwrap();
    let sandbox = attempt.parent().unwrap().display().to_string();
    let shown = |word: &String| {
        let word = word.replace(&line.directory.display().to_string(), "WORK");
        word.replace(&format!("{sandbox}/app"), "APP").replace(&format!("{sandbox}/store"), "STORE")
    };
    std::iter::once(&line.program).chain(&line.arguments).map(shown).collect()
}

/// Returns a path of this machine.
pub(super) fn here(path: &str) -> Located {
    Mounts::default().locate(path, &Base::this_machine()).unwrap()
}

/// Returns the root element of a text.
pub(super) fn element(text: &str) -> Element {
    xml::read(&SourceText::new("action.xml", text)).unwrap().root
}
