//! `howdah explain`: why something is in its current state, and which command to try next; what a code means.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::cli::targets::Targets;
use crate::output::codes::CodeView;
use crate::output::form::Form;
use crate::output::screen::Screen;
use crate::output::{codes, explain, json};
use howdah_answers::query::explain::explanation::Explanation;
use howdah_answers::query::{self, Query};
use howdah_words::error::{CodeMeaning, Error, ErrorCode, Result, looks_like_code, meaning_of, near_codes};
use howdah_words::model::id::{JobKind, Target};

/// Say why a job or an action waits, is held back or failed, and what a code means
///
/// Checks everything at the moment of the call: which inputs exist, are missing, unreadable or not mounted, which job
/// writes them and what that job waits for; which instances `latest` and `future` tried; the tree of an input logic;
/// what the throttle, the concurrency, the order, a pause or a suspension delay and since when; the earliest start of
/// the action and its timeout; which node of its workflow failed with which error and where its log is. The output ends
/// with the commands to try next. It also explains an action that is not created yet, and a node that is not reached
/// yet.
///
/// For a code, such as E0803, W0116 or JA018: what it means, what to do, and an example. This needs no database; a job
/// with exactly this name comes first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah explain 0000000-261120093000123-oozie-oozi-C\n\
\x20 howdah explain 0000000-261120093000123-oozie-oozi-C@3\n\
\x20 howdah explain 0000001-261120093000123-oozie-oozi-W\n\
\x20 howdah explain --json 0000001-261120093000123-oozie-oozi-W@add-up\n\
\x20 howdah explain E0803 JA018")]
pub(crate) struct ExplainArgs {
    /// Coordinator jobs, actions of them (JOB@3), workflow jobs, nodes of them (WF@node), bundles or codes
    #[arg(required = true, value_name = "JOB[@PART]|CODE")]
    jobs: Vec<String>,
}

impl ExplainArgs {
    /// Returns whether every argument has the form of a code, so that no database needs to be there.
    pub(crate) fn has_only_codes(&self) -> bool {
        self.jobs.iter().all(|text| is_code(text))
    }
}

/// What an argument names.
enum Subject {
    Code(CodeMeaning),
    Target(Target),
}

/// Explains jobs, actions, nodes and codes.
pub(crate) fn explain(global: &GlobalArgs, arguments: &ExplainArgs) -> Result<Status, Failure> {
    let mut targets = Targets::new(global);
    let subjects = arguments.jobs.iter().map(|text| subject(global, &mut targets, text));
    let subjects = subjects.collect::<Result<Vec<Subject>, Failure>>()?;
    let jobs: Vec<&Target> = subjects.iter().filter_map(Subject::target).collect();
    let mut explanations = explanations(global, &jobs)?.into_iter();
    let mut screen = Screen::open();
    let layout = screen.layout();
    let form = global.form();
    let text = |subject: &Subject| match (subject, form) {
        (Subject::Code(meaning), Form::Json) => Some(json::text(&CodeView::of(meaning))),
        (Subject::Code(meaning), Form::Text | Form::Quiet) => Some(codes::render(meaning, layout)),
        (Subject::Target(_), Form::Json) => Some(json::text(&explanations.next()?)),
        (Subject::Target(_), Form::Text | Form::Quiet) => Some(explain::render(&explanations.next()?, layout)),
    };
    let texts: Vec<String> = subjects.iter().filter_map(text).collect();
    screen.write(if global.is_json() { json::together(&texts) } else { texts.join("\n") })?;
    Ok(Status::Done)
}

impl Subject {
    fn target(&self) -> Option<&Target> {
        match self {
            Self::Target(target) => Some(target),
            Self::Code(_) => None,
        }
    }
}

fn subject(global: &GlobalArgs, targets: &mut Targets<'_>, text: &str) -> Result<Subject, Failure> {
    if !is_code(text) || session::is_name_of_job(global, text) {
        return Ok(Subject::Target(targets.target(text)?));
    }
    meaning_of(text).map(Subject::Code).ok_or_else(|| {
        let error = Error::new(ErrorCode::H0002, format!("[{text}] is not a code of howdah, and no job has this name"));
        let near = near_codes(text).join(", ");
        error.help(format!("codes like it are {near}; docs/codes.md lists all")).into()
    })
}

/// Returns whether a text has the form of a code.
fn is_code(text: &str) -> bool {
    meaning_of(text).is_some() || looks_like_code(text)
}

/// Returns the explanations of jobs, actions and nodes; opens no database when there are none.
fn explanations(global: &GlobalArgs, targets: &[&Target]) -> Result<Vec<Explanation>, Failure> {
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    let now = session::clock(global)?.now();
    let mut engine = session::query_engine(global)?;
    let mut explanations = query::run(&mut engine, now, |query| {
        targets.iter().map(|target| explanation(query, target)).collect::<Result<Vec<Explanation>>>()
    })?;
    let options = session::repeated_options(global);
    for command in explanations.iter_mut().flat_map(|explanation| &mut explanation.next) {
        command.add_options(&options);
    }
    Ok(explanations)
}

/// Returns the explanation of a job, an action or a node.
///
/// # Errors
/// E0604, E0605 when there is no such job, action or node.
pub(crate) fn explanation(query: &mut Query<'_>, target: &Target) -> Result<Explanation> {
    match target {
        Target::Job(id) if id.kind() == JobKind::Coordinator => query.explain_job(id),
        Target::Job(id) if id.kind() == JobKind::Bundle => query.explain_bundle(id),
        Target::Job(id) => query.explain_workflow(id),
        Target::CoordinatorAction(id, number) => query.explain_action(id, *number),
        Target::Node(id, name) => query.explain_node(id, name),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::is_accepted;
    use howdah_words::error::meanings;

    /// Splits a line as a shell does, with single quotes only; a comment ends it.
    fn words(line: &str) -> Vec<String> {
        let line = line.split("  #").next().unwrap_or_default();
        let pieces = line.split('\'').enumerate();
        // Pieces of odd numbers are in quotes: their blanks separate nothing.
        let joined: String =
            pieces.map(|(n, piece)| if n % 2 == 1 { piece.replace(' ', "\u{1}") } else { piece.to_owned() }).collect();
        joined.split_whitespace().map(|word| word.replace('\u{1}', " ")).collect()
    }

    #[test]
    fn the_examples_are_commands_that_howdah_accepts() {
        let examples = meanings().flat_map(|meaning| meaning.example().map(move |line| (meaning.code, line)));
        let lines = examples.flat_map(|(code, line)| line.split(" && ").map(move |line| (code, line)));
        let commands: Vec<_> = lines.filter_map(|(code, line)| Some((code, line.strip_prefix("howdah ")?))).collect();
        let refused: Vec<_> = commands.iter().filter(|(_, line)| !is_accepted(&words(line))).collect();
        assert!(refused.is_empty(), "{refused:?}");
        assert!(commands.len() > 50, "{}", commands.len());
    }
}
