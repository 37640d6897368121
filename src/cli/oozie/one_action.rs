//! `oozie pig`, `hive`, `sqoop` and `mapreduce`: a workflow job of one action, made from the options.
//!
//! As on Oozie's server, the definition is generated. The action reads the script where it is when it starts.

use std::path::Path;
use std::sync::Arc;

use crate::cli::oozie::call::{Call, Done, Refusal};
use crate::cli::{session, submit};
use howdah_engine::definition_file::ApplicationFile;
use howdah_engine::submit::request::Submission;
use howdah_engine::submit::submission::{Begin, Prepared};
use howdah_engine::submit::warnings::DataCheck;
use howdah_engine::submit::workflow;
use howdah_host::files;
use howdah_oozie::configuration::{ParsedProperties, resolve_parsed};
use howdah_words::error::{Error, SourceText};
use howdah_words::model::Properties;
use howdah_xml::escape_text;

/// The names of a property: those of Oozie 5 first, then those of Oozie 4 and of Hadoop.
const RESOURCE_MANAGER: &[&str] =
    &["yarn.resourcemanager.address", "mapred.job.tracker", "mapreduce.jobtracker.address"];
const NAME_NODE: &[&str] = &["fs.default.name", "fs.defaultFS"];

/// What is particular about a sub-command.
struct Form {
    /// The element of the action, its namespace and the name of its node.
    element: &'static str,
    namespace: Option<&'static str>,
    node: &'static str,
}

fn form(sub_command: &str) -> Form {
    match sub_command {
        "pig" => Form { element: "pig", namespace: None, node: "pig1" },
        "hive" => Form { element: "hive", namespace: Some("uri:oozie:hive-action:0.5"), node: "hive1" },
        "sqoop" => Form { element: "sqoop", namespace: Some("uri:oozie:sqoop-action:0.2"), node: "sqoop1" },
        _ => Form { element: "map-reduce", namespace: None, node: "hadoop1" },
    }
}

/// Submits the action of a sub-command and prints the id of its workflow job.
pub(super) fn submit(call: &Call<'_>) -> Done {
    let name = call.line.sub_command.name;
    if !call.line.has("config") {
        return Err(Refusal::Client("Need to specify -config <configfile>".to_owned()));
    }
    let given = call.properties()?;
    let settings = session::settings(call.global)?;
    let mounts = session::mounts(call.global, &settings)?;
    let properties = session::job_properties(given.config.as_deref(), &given.definitions)?;
    let text = definition(call, name, &properties)?;
    let folder = files::absolute(Path::new(".")).map_err(|error| Refusal::Plain(error.to_string()))?;
    let file =
        ApplicationFile { app_path: format!("file://{}", folder.display()), source: source(name, text), folder: None };
    let submission =
        Submission { mounts: &mounts, settings: &settings, properties: &properties, data: DataCheck::Check };
    let (prepared, mut problems) = workflow::examine_file(submission, file);
    problems.extend(prepared.iter().flat_map(workflow::PreparedWorkflow::check_expressions));
    let prepared = prepared.filter(|_| problems.iter().all(Error::is_warning));
    let prepared = prepared.ok_or_else(|| Refusal::Failure(problems.into()))?;
    submit::submit_prepared(call.global, &Prepared::Workflow(Box::new(prepared)), Begin::AtOnce)?;
    Ok(())
}

fn source(name: &str, text: String) -> Arc<SourceText> {
    SourceText::new(format!("oozie {name}"), text)
}

/// Returns the workflow with the action.
fn definition(call: &Call<'_>, name: &str, properties: &ParsedProperties) -> Result<String, Refusal> {
    let values = resolve_parsed(properties)?;
    let Form { element, namespace, node } = form(name);
    let required = |names: &[&str], what: &str| {
        let found = names.iter().find_map(|name| values.get(*name));
        found.ok_or_else(|| Refusal::Plain(format!("{what} is not specified in conf")))
    };
    let manager = required(RESOURCE_MANAGER, "Resource manager")?;
    let name_node = required(NAME_NODE, "namenode")?;
    let body = body(call, name)?;
    let namespace = namespace.map(|uri| format!(" xmlns=\"{uri}\"")).unwrap_or_default();
    Ok(format!(
        "<workflow-app name=\"oozie-{name}\" xmlns=\"uri:oozie:workflow:0.2\">\n  <start to=\"{node}\"/>\n  \
         <action name=\"{node}\">\n    <{element}{namespace}>\n      {}{}{}\n{body}{}    </{element}>\n    \
         <ok to=\"end\"/>\n    <error to=\"fail\"/>\n  </action>\n  <kill name=\"fail\"><message>{name} failed, error \
         message[${{wf:errorMessage(wf:lastErrorNode())}}]</message></kill>\n  <end name=\"end\"/>\n</workflow-app>\n",
        tag("job-tracker", manager),
        tag("name-node", name_node),
        configuration(&values),
        shipped(&values),
    ))
}

fn tag(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape_text(&literal(text)))
}

/// Returns the expression whose value is a text: what is given is no expression.
fn literal(text: &str) -> String {
    let mut pieces: Vec<&str> = text.split("${").collect();
    let last = pieces.pop().unwrap_or_default();
    let mut expression = String::new();
    for piece in pieces {
        let plain = piece.trim_end_matches('\\');
        expression.push_str(plain);
        // A backslash before an expression would make the expression text.
        let backslashes = piece.len() - plain.len();
        if backslashes > 0 {
            expression.extend(["${'", &"\\\\".repeat(backslashes), "'}"]);
        }
        expression.push_str("${'$'}{");
    }
    expression + last
}

/// Returns the elements after the configuration: the script with its parameters, or the command.
fn body(call: &Call<'_>, name: &str) -> Result<String, Refusal> {
    let arguments = arguments(call)?;
    match name {
        "mapreduce" => return Ok(String::new()),
        "sqoop" => {
            let command = call.line.values("command");
            if command.is_empty() {
                return Err(Refusal::Client("Need to specify -command".to_owned()));
            }
            return Ok(lines(command.iter().chain(&arguments).map(|word| tag("arg", word))));
        }
        _ => {}
    }
    let Some(script) = call.line.value("file") else {
        return Err(Refusal::Client("Need to specify -file <scriptfile>".to_owned()));
    };
    let path = files::absolute(Path::new(script)).map_err(|error| Refusal::Plain(error.to_string()))?;
    if files::look(&path)?.is_none() {
        return Err(Refusal::Client(format!("File does not exist : {}", path.display())));
    }
    let mut tags = vec![tag("script", &path.display().to_string())];
    for parameter in call.line.pairs("P") {
        match name {
            "pig" => tags.extend([tag("argument", "-param"), tag("argument", &parameter)]),
            _ => tags.push(tag("param", &parameter)),
        }
    }
    tags.extend(arguments.iter().map(|word| tag("argument", word)));
    Ok(lines(tags.into_iter()))
}

/// Returns elements, each on a line.
fn lines(elements: impl Iterator<Item = String>) -> String {
    elements.fold(String::new(), |text, element| text + "      " + &element + "\n")
}

/// Returns the words after `-X`, which are for the program.
fn arguments(call: &Call<'_>) -> Result<Vec<String>, Refusal> {
    match call.line.arguments.split_first() {
        None => Ok(Vec::new()),
        Some((first, rest)) if first == "-X" => Ok(rest.to_vec()),
        Some((first, _)) => Err(Refusal::Client(format!("Unrecognized option: {first} Expecting -X"))),
    }
}

/// Returns the properties for the program: what Oozie itself reads is left out.
fn configuration(values: &Properties) -> String {
    let own = |name: &str| {
        RESOURCE_MANAGER.contains(&name)
            || NAME_NODE.contains(&name)
            || name.starts_with("oozie.")
            || name == "user.name"
    };
    let property = |(name, value): (&String, &String)| {
        format!("<property>{}{}</property>", tag("name", name), tag("value", value))
    };
    let list: String = values.iter().filter(|(name, _)| !own(name)).map(property).collect();
    if list.is_empty() { String::new() } else { format!("<configuration>{list}</configuration>") }
}

/// Returns the files and archives that are shipped.
fn shipped(values: &Properties) -> String {
    let of = |property: &str, element: &str| -> String {
        let list = values.get(property).map(String::as_str).unwrap_or_default();
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        lines(names.map(|name| tag(element, name)))
    };
    of("oozie.files", "file") + &of("oozie.archives", "archive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_no_expression() {
        for (text, expect) in [
            ("", ""),
            ("plain \\ text $ {x}", "plain \\ text $ {x}"),
            ("a ${x}", "a ${'$'}{x}"),
            ("\\${x}", "${'\\\\'}${'$'}{x}"),
            ("a\\\\${x} ${y}\\", "a${'\\\\\\\\'}${'$'}{x} ${'$'}{y}\\"),
        ] {
            assert_eq!(literal(text), expect, "{text}");
        }
    }
}
