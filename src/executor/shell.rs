//! The `shell` action: a command with its files, arguments and environment.
//!
//! 0, and decision W25: the program is a file shipped with the action first, then an
//! absolute path, then what `PATH` finds. Touches no file; the working folder is filled by the shim.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::work::{CommandWork, FileWork, Work};
use super::{ActionContext, Failure, fs};
use crate::configuration::write_configuration;
use crate::host::command::CommandLine;
use crate::host::mounts::Resolved;
use crate::xml::Element;

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const CONFIGURATION_FILE: &str = "action.xml";
const OUTPUT_MAX: &str = "oozie.action.max.output.data";

/// The work of a `shell` action. JA010 (the job fails) for an `env-var` without a value.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Work, Failure> {
    if let Some(archive) = element.child("archive") {
        let message = format!("archive [{}]: unpacking archives is not supported", archive.text().value);
        return Err(Failure::error("UnsupportedOperationException", message));
    }
    let links = links(element, context)?;
    let exec = element.child("exec").map(|exec| exec.text().value).unwrap_or_default();
    let (program, shipped_program) = program(&exec, &links, context.directory);
    let line = CommandLine {
        program,
        arguments: element.children_named("argument").map(|argument| argument.text().value).collect(),
        environment: environment(element, context)?,
        directory: context.directory.to_owned(),
    };
    Ok(Work::Command(Box::new(CommandWork {
        prepare: FileWork { operations: fs::prepare(element.child("prepare"), context)?, limits: context.into() },
        links,
        files: [(CONFIGURATION_FILE.to_owned(), write_configuration(context.configuration))].into(),
        line,
        shipped_program,
        capture: element.child("capture-output").map(|_| output_max(context)),
    })))
}

/// The program to start, and the link it is when it was shipped. Only the last step of `exec` names a shipped file.
fn program(exec: &str, links: &BTreeMap<String, PathBuf>, directory: &Path) -> (String, Option<String>) {
    let name = exec.rsplit('/').next().unwrap_or(exec);
    if links.contains_key(name) {
        (directory.join(name).to_string_lossy().into_owned(), Some(name.to_owned()))
    } else if exec.starts_with('/') {
        (exec.to_owned(), None)
    } else {
        (name.to_owned(), None)
    }
}

/// The names in the working folder: `lib/` first, so that the action's own `file` entries win.
fn links(element: &Element, context: &ActionContext<'_>) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut links = BTreeMap::new();
    for path in context.library {
        if let Some(name) = path.file_name() {
            links.insert(name.to_string_lossy().into_owned(), path.clone());
        }
    }
    for file in element.children_named("file") {
        let text = file.text().value;
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, target) = link(item, context)?;
            links.insert(name, target);
        }
    }
    Ok(links)
}

/// One entry `path[#name]`; without `#` the last step of the path is the name.
fn link(item: &str, context: &ActionContext<'_>) -> Result<(String, PathBuf), Failure> {
    let refuse = |why: &str| Failure::error("IllegalArgumentException", format!("file [{item}]: {why}"));
    let (path, name) = item.split_once('#').map_or((item, None), |(path, name)| (path, Some(name)));
    let is_plain = !path.starts_with('/') && !path.contains(':');
    let target = match context.mounts.resolve(path) {
        Resolved::Local(local) => local.into_owned(),
        _ if is_plain && !path.is_empty() => context.application_directory.join(path),
        Resolved::Unmapped(store) => return Err(refuse(&format!("no mount for [{store}]"))),
        Resolved::Invalid(why) => return Err(refuse(why)),
    };
    let name = name.map_or_else(
        || target.file_name().map(|name| name.to_string_lossy().into_owned()),
        |name| Some(name.to_owned()),
    );
    match name {
        Some(name) if !matches!(name.as_str(), "" | "." | ".." | CONFIGURATION_FILE) && !name.contains('/') => {
            Ok((name, target))
        }
        _ => Err(refuse("it has no name for the link")),
    }
}

/// What is inherited, the action's `env-var` entries over it, and what the shell action adds.
fn environment(element: &Element, context: &ActionContext<'_>) -> Result<BTreeMap<String, String>, Failure> {
    let mut environment = context.environment.clone();
    for entry in element.children_named("env-var") {
        let text = entry.text().value;
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                environment.insert(name.to_owned(), value.to_owned());
            }
            _ => return Err(Failure::failed("JA010", format!("env-var [{text}] is not of the form NAME=VALUE"))),
        }
    }
    let path = environment.get("PATH").map_or(DEFAULT_PATH, String::as_str);
    environment.insert("PATH".to_owned(), format!(".:{path}"));
    let file = context.directory.join(CONFIGURATION_FILE);
    environment.insert("OOZIE_ACTION_CONF_XML".to_owned(), file.to_string_lossy().into_owned());
    Ok(environment)
}

/// The action's own limit, else the site's.
fn output_max(context: &ActionContext<'_>) -> usize {
    context.configuration.get(OUTPUT_MAX).and_then(|text| text.trim().parse().ok()).unwrap_or(context.output_max)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::FailureKind;
    use super::super::testing::{Sandbox, element};
    use super::*;

    fn planned(body: &str) -> Result<CommandWork, Failure> {
        let mut sandbox = Sandbox::new();
        sandbox.library = vec![PathBuf::from("/app/lib/tool.sh"), PathBuf::from("/app/lib/data.txt")];
        match plan(&element(&format!("<shell>{body}</shell>")), &sandbox.context())? {
            Work::Command(work) => Ok(*work),
            Work::Files(_) => unreachable!("shell plans a command"),
        }
    }

    fn check_program(body: &str, expect: &str) {
        let work = planned(body).unwrap();
        let directory = format!("{}/", work.line.directory.display());
        assert_eq!(work.line.program.replace(&directory, "WORK/"), expect, "{body}");
    }

    #[test]
    fn the_program_is_shipped_then_absolute_then_on_the_path() {
        check_program("<exec>run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>run.sh</exec><file>scripts/v2.sh#run.sh</file>", "WORK/run.sh");
        check_program("<exec>/opt/x/run.sh</exec><file>run.sh</file>", "WORK/run.sh");
        check_program("<exec>tool.sh</exec>", "WORK/tool.sh");
        check_program("<exec>/opt/x/run.sh</exec>", "/opt/x/run.sh");
        check_program("<exec>bin/date</exec>", "date");
        check_program("<exec> date </exec>", "date");
    }

    #[test]
    fn arguments_keep_their_number_and_blanks_inside() {
        let work = planned("<exec>x</exec><argument> a  b </argument><argument/><argument>$c;d</argument>").unwrap();
        assert_eq!(work.line.arguments, ["a  b", "", "$c;d"]);
        assert_eq!(work.capture, None);
        assert_eq!(planned("<exec>x</exec><capture-output/>").unwrap().capture, Some(20));
    }

    #[test]
    fn files_are_linked_under_their_names() {
        let work =
            planned("<exec>x</exec><file>/a/b, lib/c#d</file><file>hdfs://nn/e</file><file>data.txt</file>").unwrap();
        let names: Vec<&str> = work.links.keys().map(String::as_str).collect();
        assert_eq!(names, ["b", "d", "data.txt", "e", "tool.sh"]);
        assert!(work.links["d"].ends_with("app/lib/c") && work.links["e"].ends_with("store/e"));
        assert!(work.links["data.txt"].ends_with("app/data.txt"));
    }

    #[test]
    fn the_environment_is_inherited_overridden_and_completed() {
        let work = planned("<exec>x</exec><env-var>A=b=c</env-var><env-var>PATH=/x</env-var>").unwrap();
        assert_eq!(work.line.environment["A"], "b=c");
        assert_eq!(work.line.environment["PATH"], ".:/x");
        assert!(work.line.environment["OOZIE_ACTION_CONF_XML"].ends_with("/work/action.xml"));
        assert_eq!(planned("<exec>x</exec>").unwrap().line.environment["PATH"], ".:/usr/bin:/bin");
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (body, kind, code) in [
            ("<env-var>A</env-var>", FailureKind::Failed, "JA010"),
            ("<env-var>A=</env-var>", FailureKind::Failed, "JA010"),
            ("<archive>a.zip</archive>", FailureKind::Error, "UnsupportedOperationException"),
            ("<file>a#../b</file>", FailureKind::Error, "IllegalArgumentException"),
            ("<file>s3a://b/c</file>", FailureKind::Error, "IllegalArgumentException"),
            ("<prepare><delete path='s3a://b/c'/></prepare>", FailureKind::Error, "HadoopAccessorException"),
        ] {
            let failure = planned(&format!("<exec>x</exec>{body}")).unwrap_err();
            assert_eq!((failure.kind, failure.code.as_str()), (kind, code), "{body}");
        }
    }
}
