//! Map-reduce streaming on one machine, without Hadoop.
//!
//! Follows the workflow specification, sections 3.2.2 and 3.2.2.3, and what Hadoop's own streaming does: how commands
//! are split into words, which file is whose input, how lines become keys and values, which reducer a key belongs to,
//! how the output is written. What needs Java classes is refused with help. This module only plans the work; `job`
//! performs it in the shim.

mod counters;
mod environment;
mod job;
mod record;
mod run;
mod server_file;
mod settings;
mod sorting;
mod split;
mod task;
pub(super) mod words;
pub(crate) mod work;

use super::fs;
use super::launch::{Launch, Program};
use super::work::Task;
use crate::command_work::CommandWork;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use crate::streaming::settings::refused;
use crate::streaming::work::{Recursion, StreamingWork};
use howdah_host::command::CommandLine;
use howdah_host::located::Located;
use howdah_words::model::Properties;
use howdah_xml::Element;
use settings::{Settings, Truth, list};

pub(super) use job::perform;

const MAIN: &str = "org.apache.oozie.action.hadoop.StreamingMain";
/// The properties that name the inputs and the output, each under its current and its old name.
const INPUT: [&str; 2] = ["mapreduce.input.fileinputformat.inputdir", "mapred.input.dir"];
const OUTPUT: [&str; 2] = ["mapreduce.output.fileoutputformat.outputdir", "mapred.output.dir"];
/// The name that means no reducer.
const NO_REDUCER: &str = "NONE";
/// Most reducers of a job.
const MOST_REDUCERS: u64 = 10_000;
/// Most memory that sorting takes per buffer, in MiB; the lower one is the default.
const USUAL_BUFFER: u64 = 64;
const LARGEST_BUFFER: u64 = 2047;

/// Returns the work of a `map-reduce` action. `UnsupportedOperationException` for what needs Hadoop, JA018 for an
/// invalid job.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let settings = Settings(context.configuration);
    let Some(streaming) = element.child("streaming") else {
        return Err(needs_hadoop("a map-reduce action without streaming"));
    };
    refuse_classes(streaming, context.configuration)?;
    let mut launch = Launch::of(element, context)?;
    launch.search_native_libraries();
    let longest = settings.number(&["stream.jobconf.truncate.limit"])?;
    let longest = longest.and_then(|longest| usize::try_from(longest).ok());
    launch.environment.extend(environment::of_configuration(context.configuration, longest));
    // An entry that is no assignment is ignored, as by Hadoop.
    let entries = streaming.children_named("env").map(|entry| entry.text().value);
    launch.environment.extend(entries.filter_map(|entry| {
        let (name, value) = entry.split_once('=')?;
        Some((name.to_owned(), value.to_owned())).filter(|(name, _)| !name.is_empty())
    }));
    let mapper = command_of(streaming, "mapper")?.ok_or_else(|| refused("streaming has no mapper"))?;
    let reducer = command_of(streaming, "reducer")?.filter(|words| words[..] != [NO_REDUCER]);
    let reducer = reducer.map(|words| (program(&words[0], &launch), words[1..].to_vec()));
    let output = settings.text(&OUTPUT);
    let output = output.ok_or_else(|| refused("Output directory not set in JobConf."))?;
    let output = fs::configured_place(OUTPUT[1], output, element, context)?;
    let work = StreamingWork {
        reducer: None,
        inputs: inputs(&settings, element, context)?,
        descent: descent(&settings),
        unfinished_name: format!("._howdah-{}-{}", context.job_id, context.node),
        output: named(output)?,
        reducers: reducers(&settings)?,
        map_output: settings.fields("stream.map.output.field.separator", "stream.num.map.output.key.fields")?,
        reduce_output: settings
            .fields("stream.reduce.output.field.separator", "stream.num.reduce.output.key.fields")?,
        reduce_input_separator: settings.raw("stream.reduce.input.field.separator", "\t"),
        output_separator: settings.raw("mapreduce.output.textoutputformat.separator", "\t"),
        job_id: job_id(context.job_id),
        buffer: buffer(&settings)?,
        reporter: settings.raw("stream.stderr.reporter.prefix", "reporter:"),
        status_counts: settings.truth(&["stream.non.zero.exit.is.failure"], Truth::Yes),
        marks_success: settings.truth(&["mapreduce.fileoutputcommitter.marksuccessfuljobs"], Truth::Yes),
        store: element.child("name-node").map(|name_node| name_node.text().value).unwrap_or_default(),
        command: command(launch, &mapper),
    };
    Ok(Task::Streaming(Box::new(with_reducer(work, reducer))))
}

/// Returns the mapper with all that the action ships.
fn command(launch: Launch<'_>, words: &[String]) -> CommandWork {
    let program = program(&words[0], &launch);
    let ending = Ending { failure: FailureRule::AlwaysOne { main: MAIN.to_owned() }, capture: None };
    launch.command_work(program, words[1..].to_vec(), ending)
}

fn with_reducer(mut work: StreamingWork, reducer: Option<(Program, Vec<String>)>) -> StreamingWork {
    if let Some((program, arguments)) = reducer {
        work.command.shipped_programs.extend(program.shipped);
        work.reducer = Some(CommandLine { program: program.path, arguments, ..work.command.line.clone() });
    }
    work
}

/// Returns the words of a command; `None` when there are none. JA018 for one that cannot be decoded.
fn command_of(streaming: &Element, name: &str) -> Result<Option<Vec<String>>, Failure> {
    let Some(command) = streaming.child(name) else { return Ok(None) };
    let command = words::decoded(&command.text().value).map_err(|why| refused(&format!("{name}: {why}")))?;
    Ok(Some(words::words(&command)).filter(|words| !words.is_empty()))
}

/// Returns the program of a command: a shipped file, an absolute path, one in a shipped folder, or what `PATH` finds.
fn program(word: &str, launch: &Launch<'_>) -> Program {
    let name = word.trim_start_matches("./");
    let in_folder = || launch.at(name).to_string_lossy().into_owned();
    if launch.shipped.links.contains_key(name) {
        Program { path: in_folder(), shipped: Some(name.to_owned()), advice: None }
    } else {
        let path = if name.contains('/') && !name.starts_with('/') { in_folder() } else { word.to_owned() };
        Program { path, shipped: None, advice: None }
    }
}

fn refuse_classes(streaming: &Element, configuration: &Properties) -> Result<(), Failure> {
    let reader = streaming.child("record-reader").map(|reader| reader.text().value).unwrap_or_default();
    if !reader.is_empty() {
        return Err(needs_hadoop(&format!("the record-reader [{reader}]")));
    }
    match settings::foreign_class(configuration) {
        Some((property, class)) => Err(needs_hadoop(&format!("{property} [{}]", class.escape_default()))),
        None => Ok(()),
    }
}

fn inputs(settings: &Settings<'_>, element: &Element, context: &ActionContext<'_>) -> Result<Vec<Located>, Failure> {
    let paths = settings.text(&INPUT);
    let paths = paths.map(list).unwrap_or_default();
    if paths.is_empty() {
        return Err(refused("No input paths specified in job"));
    }
    paths.into_iter().map(|path| fs::configured_place(INPUT[1], path, element, context)).collect()
}

fn descent(settings: &Settings<'_>) -> Recursion {
    let names = ["mapreduce.input.fileinputformat.input.dir.recursive", "mapred.input.dir.recursive"];
    if settings.truth(&names, Truth::No) { Recursion::All } else { Recursion::Refused }
}

fn reducers(settings: &Settings<'_>) -> Result<u32, Failure> {
    match settings.number(&["mapreduce.job.reduces", "mapred.reduce.tasks"])? {
        None => Ok(1),
        Some(number) if number <= MOST_REDUCERS => Ok(u32::try_from(number).expect("it is below the bound")),
        Some(number) => Err(refused(&format!("{number} reducers are more than {MOST_REDUCERS}"))),
    }
}

fn buffer(settings: &Settings<'_>) -> Result<usize, Failure> {
    let megabytes = settings.number(&["mapreduce.task.io.sort.mb", "io.sort.mb"])?.unwrap_or(USUAL_BUFFER);
    Ok(usize::try_from(megabytes.clamp(1, LARGEST_BUFFER) << 20).unwrap_or(usize::MAX))
}

/// Returns the output, which cannot be the root of the file system: it is created beside its place.
fn named(output: Located) -> Result<Located, Failure> {
    match output.path().file_name() {
        Some(_) => Ok(output),
        None => Err(refused(&format!("Output directory {} already exists", output.shown()))),
    }
}

/// Returns the id of the workflow job in the form of Hadoop's.
fn job_id(id: &str) -> String {
    let mut parts = id.split('-');
    let (number, stamp) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("job_{stamp}_{number}")
}

fn needs_hadoop(what: &str) -> Failure {
    let advice = "set howdah.command.hadoop in the site file to a Hadoop client, or use streaming with plain lines";
    Failure::error("UnsupportedOperationException", format!("{what} needs Hadoop; {advice}"))
}

#[cfg(test)]
mod tests;
