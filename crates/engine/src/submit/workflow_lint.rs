//! Finds errors in a workflow application that Oozie accepts: missing files (W0151), retries that never happen (W0152),
//! and actions that always fail (W0150).
//!
//! All may be corrected before the node starts, so nothing is refused. Reads the application's own files and changes
//! nothing; a file that cannot be checked has no warning.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::action_defaults;
use crate::settings::Settings;
use howdah_executor::context::ActionContext;
use howdah_executor::failure::FailureKind;
use howdah_executor::{self as executor};
use howdah_host::command_environment::CommandVariables;
use howdah_host::files;
use howdah_host::found::Found;
use howdah_host::located::{Base, Located};
use howdah_host::mounts::Mounts;
use howdah_oozie::workflow::action_configuration::{is_expression, known_configuration};
use howdah_oozie::workflow::definition::{Action, ActionKind, Node, NodeKind, Workflow};
use howdah_oozie::workflow::global::with_global;
use howdah_oozie::workflow::lint::{self, KnownJob};
use howdah_oozie::workflow::same_output;
use howdah_oozie::workflow::submission::{element_over_properties, evaluate_over_properties};
use howdah_oozie::workflow::user_retry::RetrySettings;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{Document, Element, Text};

/// The property that lets an action's command find programs elsewhere.
const LIBRARY_PATH: &str = "oozie.libpath";
/// The types of action whose failures have a code of their own, what fails, and the code.
const OWN_CODES: [(&str, &str, &str); 3] = [
    ("shell", "a command that ends with an error", "1"),
    ("ssh", "a command that ends with an error", "E1111"),
    ("email", "a mail that is not taken", "EM007"),
];
/// Allows a retry for every code.
const EVERY_CODE: &str = "ALL";

/// W0151 for each `file`, `archive` and `job-xml` below the application that is missing, and for each `exec` that is
/// neither shipped nor a program of this machine. Texts without a known value are ignored.
pub fn missing_files(
    document: &Document,
    folder: &Located,
    configuration: &Properties,
    programs: &Programs,
) -> Vec<Error> {
    let look = Files { document, folder, configuration, programs, library: OnceCell::new() };
    bodies(document).flat_map(|body| look.missing(body)).collect()
}

/// Returns what is wrong with a definition that Oozie accepts, whatever files there are: W0150 for actions that always
/// fail, W0152 to W0156. `defaults` are the properties of `config-default.xml` beside it.
pub fn accepted(
    document: &Document,
    graph: &Workflow,
    (configuration, defaults): (&Properties, &Properties),
    (mounts, settings): (&Mounts, &Settings),
) -> Vec<Error> {
    let effective = |action: &Action| {
        let mut known = known_configuration(action, graph, (configuration, defaults))?;
        if action.kind.is_launched() {
            let merged = with_global(action.kind, &action.body, graph.global.as_ref());
            let body = element_over_properties(&merged, configuration).unwrap_or(merged);
            for (name, value) in action_defaults::known(mounts, settings, &body)? {
                known.entry(name).or_insert(value);
            }
        }
        Some(known)
    };
    let job = KnownJob { properties: configuration, site: &settings.properties, effective: &effective };
    let mut warnings = lint::warnings(document, graph, &job);
    warnings.extend(failing_bodies(document, graph, &job, mounts));
    warnings.extend(ineffective_retries(document, configuration, &settings.retry));
    warnings.extend(same_output::warnings(document, configuration));
    warnings
}

/// W0152 for each `retry-max` that the site's codes exclude when the work of the action fails.
fn ineffective_retries(document: &Document, configuration: &Properties, settings: &RetrySettings) -> Vec<Error> {
    let warn = |action: &Element| {
        let most = action.attribute("retry-max")?;
        let body = action.elements().next()?;
        let (_, what, code) = OWN_CODES.iter().find(|(kind, _, _)| *kind == body.name)?;
        let number = evaluate_over_properties(&most.value, configuration).ok()?.trim().parse::<u32>().ok()?;
        let codes = &settings.error_codes;
        if number == 0 || codes.contains(EVERY_CODE) || codes.contains(*code) {
            return None;
        }
        let name = action.attribute("name").map_or("", |name| name.value.as_str());
        let warning = Error::with(ErrorCode::W0152, &[&name, what, code]);
        Some(warning.at(document.locate(most.span)).help(format!(
            "set oozie.service.LiteWorkflowStoreService.user.retry.error.code.ext={code} in the site file to have it \
             tried again"
        )))
    };
    document.root.children_named("action").filter_map(warn).collect()
}

/// W0150 for each action whose text alone makes it fail whenever the job reaches it. Texts without a known value are
/// ignored.
fn failing_bodies(document: &Document, graph: &Workflow, job: &KnownJob<'_>, mounts: &Mounts) -> Vec<Error> {
    let KnownJob { properties, site, effective } = job;
    let (application, none, environment) = (Base::this_machine(), Properties::new(), BTreeMap::new());
    let fails = |node: &Node| {
        let NodeKind::Action(action) = &node.kind else { return None };
        let merged = with_global(action.kind, &action.body, graph.global.as_ref());
        let body = element_over_properties(&merged, properties)?;
        // Of the texts that are judged, only the paths of `fs` depend on the configuration.
        let configuration = match action.kind {
            ActionKind::Fs => effective(action).filter(|known| !known.values().any(|value| is_expression(value)))?,
            _ => Properties::new(),
        };
        let context = ActionContext {
            mounts,
            application: &application,
            library: &[],
            directory: Path::new("/"),
            home: Path::new("/"),
            site,
            job_id: "",
            node: &node.name,
            run: 0,
            token: "",
            user: "",
            job_configuration: properties,
            environment: &environment,
            configuration: &configuration,
            cluster: &none,
            glob_max: 0,
            output_max: 0,
            depth_max: 0,
            now: Timestamp::EPOCH,
        };
        let failure = executor::failure_of_text(&body, &context)?;
        let why = if failure.message.starts_with(&failure.code) {
            failure.message
        } else {
            format!("{}: {}", failure.code, failure.message)
        };
        let warning = Error::new(ErrorCode::W0150, why).at(document.locate(action.body.tag));
        Some(match failure.kind {
            FailureKind::Failed => warning.help("correct it: the job fails there, without the error transition"),
            _ => warning.help("correct it: the node ends with its error transition"),
        })
    };
    graph.nodes().iter().filter_map(fails).collect()
}

/// Returns the elements that name the types of the actions.
fn bodies(document: &Document) -> impl Iterator<Item = &Element> {
    document.root.children_named("action").filter_map(|action| action.elements().next())
}

/// Returns the names in a folder, which may be missing; `None` when it cannot be listed.
fn names_in(folder: &Located) -> Option<BTreeSet<String>> {
    let entries = folder.entries().ok()?;
    Some(entries.iter().filter_map(|path| path.name().map(str::to_owned)).collect())
}

/// The files that the actions of a workflow are started with.
struct Files<'a> {
    document: &'a Document,
    folder: &'a Located,
    configuration: &'a Properties,
    programs: &'a Programs,
    /// The names in `lib/`; `None` where it cannot be listed. Only a program that is found nowhere else needs them.
    library: OnceCell<Option<BTreeSet<String>>>,
}

impl Files<'_> {
    fn missing(&self, body: &Element) -> Vec<Error> {
        let mut warnings = Vec::new();
        let mut is_all_known = true;
        let mut shipped = BTreeSet::new();
        for child in body.elements().filter(|child| matches!(child.name.as_str(), "file" | "archive" | "job-xml")) {
            let text = child.text();
            let Some(value) = self.value(&text) else {
                is_all_known = false;
                continue;
            };
            let items: Vec<&str> = if child.name == "job-xml" { vec![&value] } else { value.split(',').collect() };
            for item in items.into_iter().map(str::trim).filter(|item| !item.is_empty()) {
                let (path, name) = item.split_once('#').unwrap_or((item, item));
                shipped.extend(name.rsplit('/').next().map(str::to_owned));
                if self.is_missing(path) {
                    let file = self.folder.join(path);
                    let warning = Error::with(ErrorCode::W0151, &[&child.name, &item]);
                    let help = format!("put it at {}, or correct the path", file.place());
                    warnings.push(warning.at(self.document.locate(text.span)).help(help));
                }
            }
        }
        if is_all_known {
            warnings.extend(self.missing_program(body, &shipped));
        }
        warnings
    }

    /// Returns the program of a shell action, if only its name is given, nothing of that name is shipped and this
    /// machine has none.
    fn missing_program(&self, body: &Element, shipped: &BTreeSet<String>) -> Option<Error> {
        let text = body.child("exec").filter(|_| body.name == "shell")?.text();
        let program = self.value(&text)?;
        let name = program.trim().rsplit('/').next()?.to_owned();
        let sets_path = |variable: &Element| variable.text().value.trim_start().starts_with("PATH=");
        let is_found_elsewhere = name.is_empty()
            || program.starts_with('/')
            || shipped.contains(&name)
            || body.child("archive").is_some()
            || self.configuration.contains_key(LIBRARY_PATH)
            || body.children_named("env-var").any(sets_path);
        if is_found_elsewhere || self.programs.has(&name) || !self.is_known_to_lack(&name) {
            return None;
        }
        let help = if program.trim().contains(char::is_whitespace) {
            "<exec> is the name of one program: write each further word into an <argument> of its own".to_owned()
        } else {
            let program = program.trim();
            format!("ship it: <file>{program}</file>; only what is shipped, or in lib/, is in the working folder")
        };
        Some(Error::with(ErrorCode::W0151, &[&"exec", &name]).at(self.document.locate(text.span)).help(help))
    }

    /// Returns whether `lib/` has nothing of this name; `false` where it cannot be listed.
    fn is_known_to_lack(&self, name: &str) -> bool {
        let library = self.library.get_or_init(|| names_in(&self.folder.join("lib")));
        library.as_ref().is_some_and(|names| !names.contains(name))
    }

    /// Checks whether a path below the application does not exist. Other paths are not checked.
    fn is_missing(&self, path: &str) -> bool {
        let is_below = !path.is_empty() && !path.starts_with('/') && !path.contains(':');
        is_below && matches!(self.folder.join(path).look(), Ok(None))
    }

    /// Returns the value of a text, if the job's properties define it.
    fn value(&self, text: &Text) -> Option<String> {
        evaluate_over_properties(&text.value, self.configuration).ok()
    }
}

/// The programs of this machine that commands find. Each is looked for once, because most workflows start the same few.
#[derive(Debug)]
pub struct Programs {
    /// Where commands find programs.
    path: String,
    known: Mutex<BTreeMap<String, bool>>,
}

impl Programs {
    /// Returns the programs in the `PATH` of the site's commands.
    pub fn of(variables: &CommandVariables) -> Self {
        Self { path: variables.path(), known: Mutex::default() }
    }

    /// Returns whether `PATH` has a file of this name.
    fn has(&self, name: &str) -> bool {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_here) = known().get(name) {
            return *is_here;
        }
        let is_there = |folder: &str| !matches!(files::find(&PathBuf::from(folder).join(name)), Found::Absent);
        let is_here = self.path.split(':').filter(|folder| !folder.is_empty()).any(is_there);
        known().insert(name.to_owned(), is_here);
        is_here
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]
mod tests {
    use std::fs;

    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn document(actions: &str) -> Document {
        read(&SourceText::new("w.xml", format!("<workflow-app>{actions}</workflow-app>"))).unwrap()
    }

    /// Returns the code and the text at the place of each warning.
    fn shown(warnings: &[Error]) -> Vec<String> {
        let at = |warning: &Error| {
            let place = warning.location().expect("a place");
            format!("{} {}", warning.code(), &place.source.text[place.span.start..place.span.end])
        };
        warnings.iter().map(at).collect()
    }

    fn check_files(body: &str, expect: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for file in ["run.sh", "sub/data.txt", "lib/tool.sh"] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let document = document(&format!("<action name='a'>{body}</action>"));
        let configuration = Properties::from([("here".to_owned(), "run.sh".to_owned())]);
        assert_eq!(
            shown(&missing_files(
                &document,
                &Located::named_here(folder.path()),
                &configuration,
                &Programs::of(&CommandVariables::default())
            )),
            expect,
            "{body}"
        );
    }

    #[test]
    fn missing_files_are_reported() {
        check_files("<java><file>run.sh</file><file>sub/data.txt#x</file><archive>lib/tool.sh</archive></java>", &[]);
        check_files("<java><file>none.sh</file></java>", &["W0151 none.sh"]);
        check_files(
            "<pig><file>run.sh, none#run</file><job-xml>conf.xml</job-xml></pig>",
            &["W0151 run.sh, none#run", "W0151 conf.xml"],
        );
        check_files("<java><file>${here}</file><file>${wf:id()}</file><file>${there}</file></java>", &[]);
        check_files("<java><file>${here}x</file></java>", &["W0151 ${here}x"]);
        check_files("<java><file>/none</file><file>hdfs://nn/none</file></java>", &[]);
    }

    #[test]
    fn programs_that_are_not_installed_are_reported() {
        let none = "<exec>no-such-program-here</exec>";
        check_files(&format!("<shell>{none}</shell>"), &["W0151 no-such-program-here"]);
        check_files("<shell><exec>bin/no-such-program-here</exec></shell>", &["W0151 bin/no-such-program-here"]);
        check_files("<shell><exec>run.sh</exec></shell>", &["W0151 run.sh"]);
        check_files("<shell><exec>run.sh</exec><file>run.sh</file></shell>", &[]);
        check_files("<shell><exec>go</exec><file>run.sh#go</file></shell>", &[]);
        check_files("<shell><exec>tool.sh</exec></shell>", &[]);
        check_files("<shell><exec>sh</exec></shell>", &[]);
        check_files("<shell><exec>/opt/no-such-program-here</exec></shell>", &[]);
        check_files("<shell><exec>${name}</exec></shell>", &[]);
        check_files(&format!("<shell>{none}<file>${{f}}</file></shell>"), &[]);
        check_files(&format!("<shell>{none}<env-var>PATH=/x</env-var></shell>"), &[]);
    }

    fn check_retries(attributes: &str, body: &str, code: &str, expect: &[&str]) {
        let document = document(&format!("<action name='a' {attributes}>{body}</action>"));
        let mut settings = RetrySettings::default();
        settings.error_codes.insert(code.to_owned());
        let configuration = Properties::from([("n".to_owned(), "3".to_owned())]);
        assert_eq!(
            shown(&ineffective_retries(&document, &configuration, &settings)),
            expect,
            "{attributes} {body} {code}"
        );
    }

    #[test]
    fn retries_that_never_happen_are_reported() {
        check_retries("retry-max='2'", "<shell/>", "JA018", &["W0152 2"]);
        check_retries("retry-max='${n}'", "<ssh/>", "1", &["W0152 ${n}"]);
        check_retries("retry-max='1'", "<email/>", "1", &["W0152 1"]);
        for (attributes, body, code) in [
            ("retry-max='2'", "<shell/>", "1"),
            ("retry-max='2'", "<shell/>", "ALL"),
            ("retry-max='0'", "<shell/>", "JA018"),
            ("retry-max='${none}'", "<shell/>", "JA018"),
            ("", "<shell/>", "JA018"),
            ("retry-max='2'", "<java/>", "JA018"),
            ("retry-max='2'", "<fs/>", "JA018"),
        ] {
            check_retries(attributes, body, code, &[]);
        }
    }
}
