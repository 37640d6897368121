//! The parts that every action with a command has: prepared paths, a working folder with shipped files, its
//! configuration as a file, an environment.
//!
//! Follows the workflow specification, sections 3.2.2 and 3.2.2.1. Must not depend on a type of action: each type
//! creates a [`Launch`], adds its own parts and the command. Accesses no file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fs;
use super::shipping::{self, CONFIGURATION_FILE, Shipped};
use super::work::Task;
use crate::command_work::{CommandWork, FileWork};
use crate::context::ActionContext;
use crate::end_rule::{Capture, CaptureSource, Ending};
use crate::failure::Failure;
use crate::remote_jobs::cluster::Elsewhere;
use howdah_host::command::CommandLine;
use howdah_host::command_environment::DEFAULT_PATH;
use howdah_host::located::Located;
use howdah_oozie::configuration::write_configuration;
use howdah_words::model::Properties;
use howdah_xml::Element;

const OUTPUT_MAX: &str = "oozie.action.max.output.data";
/// The prefix of the site's properties with the paths of installed programs.
const COMMAND_PREFIX: &str = "howdah.command.";
const LAUNCHER_ENVIRONMENT: &str = "oozie.launcher.env";
/// Where the system searches native libraries; a JVM takes its `java.library.path` from it.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// A command that is being put together.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) context: &'a ActionContext<'a>,
    prepare: FileWork,
    pub(super) shipped: Shipped,
    /// Files written into the working folder: name, or path in it, to content.
    pub(super) files: BTreeMap<String, String>,
    /// Files of the working folder that are written from several files, in their order.
    pub(super) joined: BTreeMap<String, Vec<Located>>,
    /// The complete environment of the command.
    pub(super) environment: BTreeMap<String, String>,
    /// What ends the command's work on other machines when it is killed; each is bounded in time.
    pub(super) on_kill: Vec<CommandLine>,
    /// Where the jobs that the command starts run; `None` when it does its work itself.
    pub(super) elsewhere: Option<Elsewhere>,
}

/// The program that is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// A path, or a name that is searched in `PATH`.
    pub(super) path: String,
    /// Its link in the working folder, if it is shipped; it is made executable.
    pub(super) shipped: Option<String>,
    /// Help for the message when it cannot be started.
    pub(super) advice: Option<String>,
}

impl Program {
    /// Returns a program that must be installed on the machine: at the path in the site's property
    /// `howdah.command.<name>`, otherwise from `PATH`.
    pub(super) fn installed(name: &str, context: &ActionContext<'_>) -> Self {
        let property = format!("{COMMAND_PREFIX}{name}");
        let path = context.site.get(&property).map(|path| path.trim()).filter(|path| !path.is_empty());
        let advice = format!("install {name} on this machine, or set {property} in the site file to its path");
        Self { path: path.unwrap_or(name).to_owned(), shipped: None, advice: Some(advice) }
    }

    /// Returns a program that comes with another one: in the same folder when the site names only the other one.
    pub(super) fn beside(name: &str, other: &str, context: &ActionContext<'_>) -> Self {
        let own = Self::installed(name, context);
        let other = Self::installed(other, context).path;
        match other.rsplit_once('/') {
            Some((folder, _)) if own.path == name => Self { path: format!("{folder}/{name}"), ..own },
            _ => own,
        }
    }
}

/// Checks whether the file is a native library: `.so`, or `.so.` with a version.
fn is_native(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.extension().is_some_and(|extension| extension == "so") || name.contains(".so.")
}

impl<'a> Launch<'a> {
    /// Returns the parts that all types of action write in the same way. JA010 (the job fails) for an
    /// `oozie.launcher.env` that is not a list of `NAME=VALUE`.
    pub(super) fn of(element: &Element, context: &'a ActionContext<'a>) -> Result<Self, Failure> {
        let mut launch = Self {
            context,
            prepare: FileWork { operations: fs::prepare(element, context)?, limits: context.into() },
            shipped: Shipped::of(element, context)?,
            files: [(CONFIGURATION_FILE.to_owned(), write_configuration(context.configuration))].into(),
            joined: BTreeMap::new(),
            environment: context.environment.clone(),
            on_kill: Vec::new(),
            elsewhere: None,
        };
        let entries = context.configuration.get(LAUNCHER_ENVIRONMENT).map(String::as_str).unwrap_or_default();
        for entry in entries.split(':').filter(|entry| !entry.trim().is_empty()) {
            launch.set_variable(LAUNCHER_ENVIRONMENT, entry)?;
        }
        Ok(launch)
    }

    /// As [`Self::of`], of a command that finds native libraries and starts jobs on YARN.
    pub(super) fn on_yarn(element: &Element, context: &'a ActionContext<'a>) -> Result<Self, Failure> {
        let mut launch = Self::of(element, context)?;
        launch.search_native_libraries();
        launch.elsewhere = Some(Elsewhere::on_yarn(context));
        Ok(launch)
    }

    /// Adds the variable `NAME=VALUE` from `what`. JA010 when it has no name or no value.
    pub(super) fn set_variable(&mut self, what: &str, entry: &str) -> Result<(), Failure> {
        match entry.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                self.environment.insert(name.to_owned(), value.to_owned());
                Ok(())
            }
            Some((name, _)) if !name.is_empty() => {
                Err(Failure::failed("JA010", format!("{what} [{entry}] has an empty value, which Oozie refuses")))
            }
            _ => Err(Failure::failed("JA010", format!("{what} [{entry}] is not of the form NAME=VALUE"))),
        }
    }

    /// Lets the command find programs in its working folder before all others.
    pub(super) fn search_working_folder_first(&mut self) {
        let path = self.environment.get("PATH").map_or(DEFAULT_PATH, String::as_str);
        self.environment.insert("PATH".to_owned(), format!(".:{path}"));
    }

    /// Lets the command find the native libraries that come with the action, before those of its own environment: in
    /// the working folder, where they are linked, and in the folders of `lib/` and `oozie.libpath` with native
    /// libraries (specification 3.2.2.1 and 7).
    pub(super) fn search_native_libraries(&mut self) {
        let native = self.context.library.iter().filter_map(|path| path.here()).filter(|path| is_native(path));
        let mut folders = vec![self.context.directory.to_owned()];
        for folder in native.filter_map(Path::parent) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
        let own = self.environment.get(LIBRARY_PATH).cloned().filter(|path| !path.is_empty());
        let folders = folders.iter().map(|folder| folder.to_string_lossy().into_owned());
        let path = folders.chain(own).collect::<Vec<_>>().join(":");
        self.environment.insert(LIBRARY_PATH.to_owned(), path);
    }

    /// Returns the path of a name in the working folder.
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.context.directory.join(name)
    }

    /// Returns the path of a name in the attempt's folder, to which nothing is shipped.
    pub(super) fn in_attempt(&self, name: &str) -> PathBuf {
        self.context.directory.parent().unwrap_or(self.context.directory).join(name)
    }

    /// Returns the path of the action's configuration.
    pub(super) fn configuration_file(&self) -> PathBuf {
        self.at(CONFIGURATION_FILE)
    }

    /// Returns the same as an argument.
    pub(super) fn configuration_argument(&self) -> String {
        self.configuration_file().to_string_lossy().into_owned()
    }

    /// Replaces the action's own configuration.
    pub(super) fn configure(&mut self, configuration: &Properties) {
        self.files.insert(CONFIGURATION_FILE.to_owned(), write_configuration(configuration));
    }

    /// Ships a file that the action names outside of `file`, such as a script, and returns its name in the working
    /// folder. An entry of `file` or `lib/` with that name is used unchanged.
    pub(super) fn ship(&mut self, path: &str) -> Result<String, Failure> {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let refuse = |why: &str| Failure::error("IllegalArgumentException", format!("script [{path}]: {why}"));
        let name = name.ok_or_else(|| refuse("it has no name"))?;
        if name == CONFIGURATION_FILE {
            return Err(refuse("the action's configuration has this name; rename the script"));
        }
        if !self.shipped.has(&name) {
            let target = shipping::place(path, self.context).map_err(|why| refuse(&why.to_string()))?;
            self.shipped.links.insert(name.clone(), target);
        }
        Ok(name)
    }

    /// Returns the captured output of `element`, if it captures any. The limit of bytes is the action's own, else the
    /// site's.
    pub(super) fn capture(&self, element: &Element, from: CaptureSource) -> Option<Capture> {
        element.child("capture-output").map(|_| self.limited(from))
    }

    /// Returns captured output within the action's limit, even if the element does not have `capture-output`.
    pub(super) fn limited(&self, from: CaptureSource) -> Capture {
        let own = self.context.configuration.get(OUTPUT_MAX).and_then(|text| text.trim().parse().ok());
        Capture { from, limit: own.unwrap_or(self.context.output_max) }
    }

    /// Returns the finished work.
    pub(super) fn command(self, program: Program, arguments: Vec<String>, ending: Ending) -> Task {
        Task::Command(Box::new(self.command_work(program, arguments, ending)))
    }

    /// Returns the finished work of a task that is more than a command. A shipped file replaces a written file of the
    /// same name, as in Oozie.
    pub(super) fn command_work(mut self, program: Program, arguments: Vec<String>, ending: Ending) -> CommandWork {
        self.files.retain(|name, _| !self.shipped.has(name));
        CommandWork {
            prepare: self.prepare,
            links: self.shipped.links,
            archives: self.shipped.archives,
            files: self.files,
            joined: self.joined,
            line: CommandLine {
                program: program.path,
                arguments,
                environment: self.environment,
                directory: self.context.directory.to_owned(),
            },
            shipped_programs: program.shipped.into_iter().collect(),
            advice: program.advice,
            on_kill: self.on_kill,
            elsewhere: self.elsewhere,
            ending,
        }
    }
}
