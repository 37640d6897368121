//! Warnings about a workflow that Oozie accepts and runs, and that does not do what it looks like.
//!
//! Works on the definition and the job's properties. Must not refuse anything.

use super::action_configuration::{is_split_as_shell, skips_credentials};
use super::credentials::{self, CredentialError};
use super::definition::{Action, Node, NodeKind, Workflow};
use super::expressions::Expressions;
use howdah_el::{Part, Template};
use howdah_words::error::{Error, ErrorCode, did_you_mean};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element};

/// The types of action whose output is captured only where the node asks for it.
const CAPTURING: [&str; 3] = ["java", "shell", "ssh"];

/// What is known of a job before it runs.
pub struct KnownJob<'a> {
    /// The job's properties.
    pub properties: &'a Properties,
    /// The site's properties.
    pub site: &'a Properties,
    /// Returns the configuration of an action, as
    /// [`known_configuration`](super::action_configuration::known_configuration) does.
    pub effective: &'a dyn Fn(&Action) -> Option<Properties>,
}

/// Returns W0154 to W0156, and W0150 for credentials that are not defined, each at its place.
pub fn warnings(document: &Document, graph: &Workflow, job: &KnownJob<'_>) -> Vec<Error> {
    let mut warnings = uncaptured(document, &Expressions::of(document));
    for node in graph.nodes() {
        let NodeKind::Action(action) = &node.kind else { continue };
        warnings.extend(error_to_end(document, graph, (node, action)));
        warnings.extend(undefined_credential(document, graph, (node, action), job));
        warnings.extend(quoted_command(document, (node, action), job));
    }
    warnings
}

/// Returns W0154 for each read of the output of a node that captures none.
fn uncaptured(document: &Document, expressions: &Expressions<'_>) -> Vec<Error> {
    let captures_none = |name: &str| {
        let is_meant = |action: &&Element| action.attribute("name").is_some_and(|text| text.value.trim() == name);
        let action = document.root.children_named("action").find(is_meant);
        let body = action.and_then(|action| action.elements().next());
        body.is_some_and(|body| CAPTURING.contains(&body.name.as_str()) && body.child("capture-output").is_none())
    };
    let reads = expressions.first_arguments("actionData").into_iter();
    let reads = reads.filter(|(name, _)| captures_none(name));
    reads.map(|(name, place)| Error::new(ErrorCode::W0154, &name).at(place)).collect()
}

/// Returns W0155 for an error transition to an end node.
fn error_to_end(document: &Document, graph: &Workflow, (node, action): (&Node, &Action)) -> Option<Error> {
    let target = &action.error;
    let is_end = matches!(graph.node(&target.name)?.kind, NodeKind::End);
    let warning = Error::with(ErrorCode::W0155, &[&node.name, &target.name]);
    is_end.then(|| warning.at(document.locate(target.span)))
}

/// Returns W0150 for an action that names a credential which the section does not have.
fn undefined_credential(
    document: &Document,
    graph: &Workflow,
    (node, action): (&Node, &Action),
    job: &KnownJob<'_>,
) -> Option<Error> {
    let named = action.cred.as_deref().filter(|_| action.kind.is_launched())?;
    let section = graph.credentials.as_ref()?;
    let Err(CredentialError::Unknown { name }) = credentials::properties(Some(section), named, job.properties) else {
        return None;
    };
    if skips_credentials(&(job.effective)(action)?, job.properties, job.site) != Some(false) {
        return None;
    }
    let defined = section.children_named("credential").filter_map(|credential| credential.attribute("name"));
    let help = match did_you_mean(&name, defined.map(|name| name.value.as_str())) {
        Some(near) => format!("did you mean {near}?"),
        None => "define it in <credentials>, or remove it from the action".to_owned(),
    };
    let why = format!("JA021, the workflow has no credential named [{name}]");
    Some(Error::new(ErrorCode::W0150, why).at(document.locate(node.span)).help(help))
}

/// Returns W0156 for a command of Sqoop with quotes.
fn quoted_command(document: &Document, (node, action): (&Node, &Action), job: &KnownJob<'_>) -> Option<Error> {
    let command = action.body.child("command").filter(|_| action.body.name == "sqoop")?.text();
    // Quotes inside an expression are of its language.
    let template = Template::parse(&command.value).ok()?;
    let literal = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Expression(_) => "${...}".into(),
    };
    let text: String = template.parts().iter().map(literal).collect();
    let word = text.split_whitespace().find(|word| word.contains(['"', '\'']))?;
    if is_split_as_shell(&(job.effective)(action)?, job.site) != Some(false) {
        return None;
    }
    let why = format!("[{word}] is one word, quotes included");
    Some(Error::with(ErrorCode::W0156, &[&node.name, &why]).at(document.locate(command.span)))
}

#[cfg(test)]
mod tests {
    use super::super::action_configuration::{SHELL_SPLITTER, SKIP_CREDENTIALS, known_configuration};
    use super::super::parse::parse;
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    /// Names and values.
    type Pairs<'a> = &'a [(&'a str, &'a str)];

    /// `expect`: the code and a part of the message of each warning.
    fn check(nodes: &str, properties: &[(&str, &str)], expect: &[(&str, &str)]) {
        check_site(nodes, (properties, &[]), expect);
    }

    /// As [`check`], with properties of the job and of the site.
    fn check_site(nodes: &str, (job, site): (Pairs<'_>, Pairs<'_>), expect: Pairs<'_>) {
        let (global, nodes) = match nodes.split_once("</global>") {
            Some((global, nodes)) => (format!("{global}</global>"), nodes),
            None => (String::new(), nodes),
        };
        let xml = format!(
            "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'><credentials><credential name='hive' type='hcat'/>\
             </credentials>{global}<start to='a'/>{nodes}<kill name='k'><message>m</message></kill><end name='end'/>\
             </workflow-app>"
        );
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        let owned = |pairs: &[(&str, &str)]| -> Properties {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let (properties, site) = (owned(job), owned(site));
        let graph = parse(&document, &properties).0.expect("a graph");
        let effective = |action: &Action| known_configuration(action, &graph, (&properties, &Properties::new()));
        let known = KnownJob { properties: &properties, site: &site, effective: &effective };
        let found = warnings(&document, &graph, &known);
        let shown: Vec<_> = found.iter().map(|warning| (warning.code().as_str(), warning.message())).collect();
        let is_expected = shown.len() == expect.len()
            && shown
                .iter()
                .zip(expect)
                .all(|((code, message), (expected, part))| code == expected && message.contains(part));
        assert!(is_expected && found.iter().all(|warning| warning.location().is_some()), "{nodes}: {shown:?}");
    }

    fn action(attributes: &str, body: &str, error: &str) -> String {
        format!("<action name='a'{attributes}>{body}<ok to='d'/><error to='{error}'/></action>")
    }

    fn decision(predicate: &str) -> String {
        format!("<decision name='d'><switch><case to='k'>{predicate}</case><default to='end'/></switch></decision>")
    }

    const GLOBAL: &str = "<global><configuration><property><name>NAME</name><value>true</value></property>\
                          </configuration></global>";
    const SHELL: &str = "<shell xmlns='uri:oozie:shell-action:0.3'><exec>x</exec></shell>";

    #[test]
    fn output_that_is_not_captured_is_empty() {
        let reads = decision("${wf:actionData('a')['n'] eq '1'}");
        check(&(action("", SHELL, "k") + &reads), &[], &[("W0154", "node [a]")]);
        let captures = SHELL.replace("</shell>", "<capture-output/></shell>");
        check(&(action("", &captures, "k") + &reads), &[], &[]);
        let java = "<java><main-class>M</main-class></java>";
        check(&(action("", java, "k") + &reads), &[], &[("W0154", "node [a]")]);
        // These types write data of their own.
        check(&(action("", "<pig><script>s</script></pig>", "k") + &reads), &[], &[]);
        check(&(action("", SHELL, "k") + &decision("${wf:actionData(name)['n'] eq '1'}")), &[], &[]);
    }

    #[test]
    fn an_error_that_leads_to_the_end_is_no_error() {
        let next = decision("${1 eq 1}");
        check(&(action("", SHELL, "end") + &next), &[], &[("W0155", "node [a] leads to the end [end]")]);
        check(&(action("", SHELL, "d") + &next), &[], &[]);
    }

    #[test]
    fn credentials_are_defined() {
        let next = decision("${1 eq 1}");
        let java = "<java><main-class>M</main-class></java>";
        check(&(action(" cred='hiv'", java, "k") + &next), &[], &[("W0150", "JA021")]);
        check(&(action(" cred='HIVE'", java, "k") + &next), &[], &[]);
        let skips = [(SKIP_CREDENTIALS, "true")];
        check_site(&(action(" cred='hiv'", java, "k") + &next), (&skips, &[]), &[]);
        check_site(&(action(" cred='hiv'", java, "k") + &next), (&[], &skips), &[]);
        let keeps = [(SKIP_CREDENTIALS, "false")];
        check_site(&(action(" cred='hiv'", java, "k") + &next), (&keeps, &skips), &[("W0150", "JA021")]);
        let global = GLOBAL.replace("NAME", SKIP_CREDENTIALS);
        check(&(global.clone() + &action(" cred='hiv'", java, "k") + &next), &[], &[]);
        check(&(action(" cred='hiv'", "<fs><mkdir path='/a'/></fs>", "k") + &next), &[], &[]);
    }

    #[test]
    fn a_command_of_sqoop_has_no_quotes() {
        let next = decision("${1 eq 1}");
        let sqoop = |command: &str| {
            let body = format!("<sqoop xmlns='uri:oozie:sqoop-action:0.4'><command>{command}</command></sqoop>");
            action("", &body, "k") + &next
        };
        let quoted = "import --query \"select * from t\"";
        check(&sqoop(quoted), &[], &[("W0156", "[\"select] is one word")]);
        check(&sqoop("import --table ${wf:conf('t')}"), &[], &[]);
        let splits = [(SHELL_SPLITTER, "true")];
        check_site(&sqoop(quoted), (&[], &splits), &[]);
        // The run does not ask the job's properties.
        check_site(&sqoop(quoted), (&splits, &[]), &[("W0156", "[\"select] is one word")]);
        check(&(GLOBAL.replace("NAME", SHELL_SPLITTER) + &sqoop(quoted)), &[], &[]);
    }
}
