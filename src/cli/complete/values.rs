//! What may be written for the values of arguments: each argument says by the name of its value what it takes.

use std::ffi::OsStr;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::Failure;
use crate::cli::session;
use howdah_answers::query::completion::{self, Offer};
use howdah_answers::query::filter::{ActionsFilter, JobsFilter, LogFilter};
use howdah_answers::query::sla;
use howdah_calendar::Zone;
use howdah_host::ownership::work_as_owner;
use howdah_words::error::{CodeMeaning, ErrorCode, meanings};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::{ActionStatus, WorkflowStatus};

/// Returns the command line, in which the arguments offer what may be written for them.
pub(super) fn offered(command: Command, global: &GlobalArgs) -> Command {
    let verbs: Vec<Command> = command.get_subcommands().map(|verb| offered(verb.clone(), global)).collect();
    let name = command.get_name().to_owned();
    let mut command = command.mut_args(|argument| with_values(argument, &name, global));
    for verb in verbs {
        let name = verb.get_name().to_owned();
        command = command.mut_subcommand(name, |_| verb);
    }
    command
}

/// Returns an argument of a verb with its values.
fn with_values(argument: Arg, verb: &str, global: &GlobalArgs) -> Arg {
    let Some(name) = argument.get_value_names().and_then(<[_]>::first).map(ToString::to_string) else {
        return argument;
    };
    let (db, site) = (global.db.clone(), global.site.clone());
    let jobs = move |beginning: &OsStr| {
        jobs(&GlobalArgs { db: db.clone(), site: site.clone(), quiet: true, ..GlobalArgs::default() }, beginning)
    };
    let is_log = verb == "log";
    match (name.as_str(), verb) {
        ("JOB[@PART]|CODE", _) => argument.add(ArgValueCompleter::new(move |beginning: &OsStr| {
            let mut offers = jobs(beginning);
            offers.extend(among(codes(), beginning));
            offers
        })),
        ("JOB" | "JOB[@PART]" | "JOB[@ACTION]" | "PATTERN", verb) if verb != "zones" => {
            argument.add(ArgValueCompleter::new(jobs))
        }
        ("ZONE" | "ZONE|TIME", _) => {
            argument.add(ArgValueCompleter::new(|beginning: &OsStr| among(zones(), beginning)))
        }
        ("STATUS", _) => {
            argument.add(ArgValueCompleter::new(|beginning: &OsStr| among(plain(["RUNNING", "IGNORED"]), beginning)))
        }
        ("STATUSES", _) => argument.add(ArgValueCompleter::new(|beginning: &OsStr| among(statuses(), beginning))),
        ("FILTER", verb) => {
            let keys: &[&str] = match verb {
                "info" => ActionsFilter::NAMES,
                _ if is_log => LogFilter::NAMES,
                "list" => &sla::filter::TEXTS,
                _ => JobsFilter::NAMES,
            };
            argument.add(ArgValueCompleter::new(move |beginning: &OsStr| filter(keys, is_log, beginning)))
        }
        _ => argument,
    }
}

fn candidate(offer: Offer) -> CompletionCandidate {
    CompletionCandidate::new(offer.word).help(offer.about.map(Into::into))
}

fn plain<'a>(words: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Offer> {
    words.into_iter().map(|word| Offer { word: word.to_owned(), about: None })
}

/// Returns the offers that continue what is written.
fn among(offers: impl IntoIterator<Item = Offer>, beginning: &OsStr) -> Vec<CompletionCandidate> {
    let beginning = beginning.to_string_lossy();
    offers.into_iter().filter(|offer| offer.word.starts_with(&*beginning)).map(candidate).collect()
}

/// Returns the jobs that continue what is written; none where the database cannot be read.
fn jobs(global: &GlobalArgs, beginning: &OsStr) -> Vec<CompletionCandidate> {
    let Some(beginning) = beginning.to_str() else { return Vec::new() };
    let owned = session::database(global).map_err(Failure::from).and_then(|database| Ok(work_as_owner(&database)?));
    let Ok(engine) = owned.and_then(|()| session::query_engine(global)) else { return Vec::new() };
    let offers = engine.store.read(|snapshot| completion::jobs_and_parts(snapshot, beginning));
    offers.unwrap_or_default().into_iter().map(candidate).collect()
}

fn zones() -> impl Iterator<Item = Offer> {
    plain(Zone::ids())
}

fn statuses() -> impl Iterator<Item = Offer> {
    plain(ActionStatus::ALL.iter().map(|status| status.as_str()))
}

fn codes() -> impl Iterator<Item = Offer> {
    let summary = |code: &CodeMeaning| code.known.map_or_else(|| code.message().to_owned(), ErrorCode::summary);
    meanings().map(move |code| Offer { word: code.code.to_owned(), about: Some(summary(&code)) })
}

/// Returns what continues a filter: a key behind the last `;`, or a value of the key `status`.
fn filter(keys: &[&str], is_log: bool, beginning: &OsStr) -> Vec<CompletionCandidate> {
    let Some(text) = beginning.to_str() else { return Vec::new() };
    let at = text.rfind(';').map_or(0, |at| at + 1);
    let (before, last) = text.split_at(at);
    let written: Vec<String> = match last.split_once('=') {
        Some(("status", _)) if !is_log => job_statuses().map(|status| format!("{before}status={status}")).collect(),
        Some(_) => Vec::new(),
        None => keys.iter().map(|key| format!("{before}{key}=")).collect(),
    };
    among(plain(written.iter().map(String::as_str)), beginning)
}

/// Returns the statuses of jobs of all kinds, each once.
fn job_statuses() -> impl Iterator<Item = &'static str> {
    let workflow = WorkflowStatus::ALL.iter().map(|status| status.as_str());
    let only = workflow.filter(|word| JobStatus::from_word(word).is_none());
    JobStatus::ALL.iter().map(|status| status.as_str()).chain(only)
}
