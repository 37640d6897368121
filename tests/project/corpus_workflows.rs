//! Every published workflow that the schemas accept (`HOWDAH_CORPUS`) has a graph and a plan, with an invented value
//! for each variable, or is refused with a code; the refusals are one snapshot, and each was compared with the file by
//! hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use howdah_sandbox::corpus::{corpus, on_all_processors, verdicts};
use howdah_sandbox::sandbox::user_name;

/// Names that no job may define, because every workflow has them.
const CONSTANTS: [&str; 14] = [
    "KB",
    "MB",
    "GB",
    "TB",
    "PB",
    "RECORDS",
    "MAP_IN",
    "MAP_OUT",
    "REDUCE_IN",
    "REDUCE_OUT",
    "GROUPS",
    "MINUTES",
    "HOURS",
    "DAYS",
];
/// Words of the expression language.
const WORDS: [&str; 14] =
    ["eq", "ne", "lt", "gt", "le", "ge", "and", "or", "not", "div", "mod", "empty", "true", "false"];

/// A value for every variable and parameter of a definition: a number, which is valid everywhere.
fn invented(text: &str) -> BTreeMap<String, String> {
    let mut names: BTreeSet<String> = text.split("${").skip(1).flat_map(variables).collect();
    let parameters = text.split_once("<parameters>").and_then(|(_, rest)| rest.split_once("</parameters>"));
    let declared = parameters.into_iter().flat_map(|(inside, _)| inside.split("<name>").skip(1));
    names.extend(declared.filter_map(|rest| Some(rest.split_once("</name>")?.0.trim().to_owned())));
    names.retain(|name| !CONSTANTS.contains(&name.as_str()) && !WORDS.contains(&name.as_str()) && name != "null");
    names.into_iter().map(|name| (name, "1".to_owned())).collect()
}

/// Returns the variables of an expression at the start of the text: words that are not a call, a prefix or a member and
/// not in quotes.
fn variables(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = expression;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        match first {
            '}' => break,
            '\'' | '"' => rest = rest[1..].split_once(first).map_or("", |(_, behind)| behind),
            _ if word.is_empty() => rest = &rest[first.len_utf8()..],
            _ => {
                rest = &rest[word.len()..];
                let behind = rest.trim_start();
                let is_call = behind.starts_with('(')
                    || (rest.starts_with(':') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()));
                if !is_call && before != '.' && !first.is_ascii_digit() {
                    found.push(word);
                }
            }
        }
        before = first;
    }
    found
}

/// The plan that the program prints, or the codes that refuse it.
fn dryrun(corpus: &Path, path: &str, values: &BTreeMap<String, String>) -> Result<usize, Vec<String>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_howdah"));
    command.env_clear().env("HOWDAH_ZONE_DATA", "built-in").env("HOME", "/nonexistent").args([
        "dryrun",
        "--json",
        "--check-data=no",
    ]);
    let application = format!("oozie.wf.application.path={}", corpus.join(path).display());
    command.args(["-D", &format!("user.name={}", user_name()), "-D", &application]);
    for (name, value) in values {
        command.arg("-D").arg(format!("{name}={value}"));
    }
    let output = command.output().expect("it runs");
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{path}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    match output.status.code() {
        Some(0) => Ok(answer["workflow"]["nodes"].as_array().expect("a list").len()),
        Some(1) => {
            let problems = answer["problems"].as_array().expect("a list").iter();
            let errors = problems.filter(|problem| problem["severity"] == "error");
            Err(errors.filter_map(|problem| problem["code"].as_str().map(str::to_owned)).collect())
        }
        status => panic!("{path}: exit status {status:?}"),
    }
}

/// Returns whether submission accepts a definition, and the codes of its errors: `validate` checks a job with the rules
/// of submission, which do not refuse an expression of a node.
fn refusals_at_submission(corpus: &Path, path: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&fs::read(corpus.join(path)).expect("a definition")).into_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_howdah"));
    command.env_clear().env("HOWDAH_ZONE_DATA", "built-in").env("HOME", "/nonexistent").args(["validate", "--json"]);
    let application = format!("oozie.wf.application.path={}", corpus.join(path).display());
    command.args(["-D", &format!("user.name={}", user_name()), "-D", &application]);
    for (name, value) in invented(&text) {
        command.arg("-D").arg(format!("{name}={value}"));
    }
    let output = command.output().expect("it runs");
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{path}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    let files = answer["files"].as_array().expect("a list").iter();
    let problems = files.flat_map(|file| file["problems"].as_array().expect("a list"));
    let errors = problems.filter(|problem| problem["severity"] == "error");
    errors.filter_map(|problem| problem["code"].as_str().map(str::to_owned)).collect()
}

/// The codes with which Oozie's submission refuses a graph (`LiteWorkflowAppParser`), and E1007, for an SLA element
/// whose times are the invented numbers.
const OF_SUBMISSION: [&str; 9] = ["E0705", "E0706", "E0707", "E0708", "E0724", "E0730", "E0742", "E0743", "E1007"];

/// The paths of the workflows that the schemas accept.
fn valid_workflows(folder: &Path) -> Vec<String> {
    let index = fs::read_to_string(folder.join("INDEX.tsv")).expect("the index lies beside the definitions");
    let workflows: BTreeSet<&str> = index
        .lines()
        .filter_map(|line| line.split_once('\t').filter(|(_, rest)| rest.starts_with("workflow\t")))
        .map(|(path, _)| path)
        .collect();
    let valid =
        verdicts(folder).into_iter().filter(|(path, verdict)| verdict == "valid" && workflows.contains(&**path));
    valid.map(|(path, _)| path).collect()
}

#[test]
fn submission_accepts_every_published_workflow_that_oozie_accepts() {
    let Some(folder) = corpus() else { return };
    let folder = folder.canonicalize().expect("it is there");
    let valid = valid_workflows(&folder);
    let judged = on_all_processors(&valid, |path| (path.to_owned(), refusals_at_submission(&folder, path)));
    let refused: Vec<_> = judged.into_iter().filter(|(_, codes)| !codes.is_empty()).collect();
    let wrongly: Vec<_> =
        refused.iter().filter(|(_, codes)| !codes.iter().all(|code| OF_SUBMISSION.contains(&&**code))).collect();
    assert!(wrongly.is_empty(), "{wrongly:#?}");
    let of_graphs = refused.iter().filter(|(_, codes)| codes.iter().any(|code| code != "E1007")).count();
    println!("{} workflows: {of_graphs} refused for their graph: {refused:#?}", valid.len());
    assert_eq!(of_graphs, 14, "those of the dry run but for the one with a variable that has no value: {refused:#?}");
}

/// Returns what is wrong with the program's result for a definition.
fn judge(corpus: &Path, path: &str) -> (String, Option<String>) {
    let bytes = fs::read(corpus.join(path)).expect("a definition");
    let text = String::from_utf8_lossy(&bytes);
    let values = invented(&text);
    let refused = howdah_internals::workflow_refusals(&text, &values);
    let fault = match (dryrun(corpus, path, &values), refused.is_empty()) {
        (Ok(nodes), true) if nodes >= 2 => None,
        // Invented values are no times, which an SLA element needs; the SLA elements are checked with the whole job.
        (Err(codes), true) if !codes.is_empty() && codes.iter().all(|code| code == "E1007") => None,
        (Err(codes), false) if !codes.is_empty() => None,
        (told, _) => Some(format!("{path}: {told:?} by the program, {refused:?} by itself")),
    };
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for code in refused {
        *codes.entry(code).or_default() += 1;
    }
    let line = codes.iter().fold(String::new(), |mut line, (code, count)| {
        // Writing to a String cannot fail.
        let _ = write!(line, "  {code} ({count})");
        line
    });
    (if line.is_empty() { line } else { format!("{path}{line}\n") }, fault)
}

#[test]
fn published_workflows_have_a_plan_or_are_refused_for_a_reason() {
    let Some(folder) = corpus() else { return };
    let folder = folder.canonicalize().expect("it is there");
    let valid = valid_workflows(&folder);
    let judged: Vec<(String, Option<String>)> = on_all_processors(&valid, |path| judge(&folder, path));
    let faults: Vec<&String> = judged.iter().filter_map(|(_, fault)| fault.as_ref()).collect();
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), valid.len());
    let refusals: String = judged.iter().map(|(refusal, _)| refusal.as_str()).collect();
    let refused = refusals.lines().count();
    let summary = format!("{} workflows: {} have a plan, {refused} are refused", valid.len(), valid.len() - refused);
    println!("{summary}");
    insta::assert_snapshot!("refusals_of_published_workflows", format!("{refusals}\n{summary}"));
}
