//! The `map-reduce` action: a job of Hadoop defined by properties, by streaming programs or by a program of pipes.
//!
//! Follows the workflow specification, section 3.2.2, and `MapReduceActionExecutor`. There is no driver class, so
//! Hadoop's own programs run the job: the streaming jar, `mapred pipes`, and for plain classes `mapred job -submit`,
//! after which the state of the job is queried. Jobs inside the client would end with that program, so `mapred pipes`
//! runs them: it waits, and it keeps Java classes.
//!
//! Hadoop is used when the site's `howdah.map-reduce` is `hadoop`, or when it is not set and `howdah.command.hadoop`
//! is.

use super::arguments::behind;
use super::launch::{Launch, Program};
use super::work::Task;
use super::{cluster, shipping, streaming};
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use crate::remote_jobs::cluster::{Elsewhere, FinalState};
use howdah_host::located::Unlocated;
use howdah_words::model::Properties;
use howdah_xml::Element;

const ENGINE: &str = "howdah.map-reduce";
const STREAMING_JAR: &str = "howdah.hadoop.streaming.jar";
const UBER_JAR: &str = "oozie.mapreduce.uber.jar";
const UBER_JAR_ALLOWED: &str = "oozie.action.mapreduce.uber.jar.enable";
/// The properties that tell `mapred pipes` which parts of a job are Java classes.
const PARTS_IN_JAVA: [&str; 4] = [
    "hadoop.pipes.java.mapper",
    "hadoop.pipes.java.reducer",
    "hadoop.pipes.java.recordreader",
    "hadoop.pipes.java.recordwriter",
];
/// The classes of keys and values: between map and reduce, at the end, both with their old names, and Hadoop's default.
const CLASSES: [(&str, &str, &str, &str, &str); 2] = [
    (
        "mapreduce.map.output.key.class",
        "mapred.mapoutput.key.class",
        "mapreduce.job.output.key.class",
        "mapred.output.key.class",
        "org.apache.hadoop.io.LongWritable",
    ),
    (
        "mapreduce.map.output.value.class",
        "mapred.mapoutput.value.class",
        "mapreduce.job.output.value.class",
        "mapred.output.value.class",
        "org.apache.hadoop.io.Text",
    ),
];

/// Returns the work of a `map-reduce` action. MR003 for an uber jar that the site does not allow, JA018 for what needs
/// a part that does not exist here.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    if let Some(class) = element.child("config-class").map(|class| class.text().value) {
        let why = "it needs classes of Oozie; write what it sets into the action's configuration";
        return Err(Failure::error("JA018", format!("config-class [{class}] cannot be used: {why}")));
    }
    if !is_hadoop(context) {
        return streaming::plan(element, context);
    }
    let launch = Launch::on_yarn(element, context)?;
    let configuration = cluster::configuration(element, context);
    match (element.child("streaming"), element.child("pipes")) {
        (Some(streaming), _) => stream(streaming, launch, &configuration),
        (None, Some(pipes)) => pipe(pipes, launch, &configuration),
        (None, None) => run_classes(launch, configuration),
    }
}

fn is_hadoop(context: &ActionContext<'_>) -> bool {
    match context.site.get(ENGINE).map(|engine| engine.trim()) {
        Some("hadoop") => true,
        Some("local") => false,
        _ => context.site.get("howdah.command.hadoop").is_some_and(|path| !path.trim().is_empty()),
    }
}

/// Programs as mapper and reducer, run by the streaming jar.
fn stream(streaming: &Element, mut launch: Launch<'_>, configuration: &Properties) -> Result<Task, Failure> {
    let context = launch.context;
    let jar = context.site.get(STREAMING_JAR).map(|jar| jar.trim()).filter(|jar| !jar.is_empty());
    let jar = jar.ok_or_else(|| {
        Failure::error("JA018", format!("set {STREAMING_JAR} in the site file to the path of Hadoop's streaming jar"))
    })?;
    launch.configure(configuration);
    let mut arguments = vec!["jar".to_owned(), jar.to_owned()];
    arguments.extend(hadoop_options(&launch, configuration));
    let paths = |names| value(configuration, names).unwrap_or_default().split(',').map(str::trim);
    let inputs = paths(["mapreduce.input.fileinputformat.inputdir", "mapred.input.dir"]).map(str::to_owned).collect();
    arguments.extend(behind("-input", inputs));
    for (option, names) in [
        ("-output", ["mapreduce.output.fileoutputformat.outputdir", "mapred.output.dir"]),
        ("-inputformat", ["mapreduce.job.inputformat.class", "mapred.input.format.class"]),
        ("-outputformat", ["mapreduce.job.outputformat.class", "mapred.output.format.class"]),
    ] {
        arguments.extend(behind(option, value(configuration, names).map(str::to_owned).into_iter().collect()));
    }
    for (option, name) in [("-mapper", "mapper"), ("-reducer", "reducer")] {
        // Hadoop's client encodes them again.
        let commands = filled(streaming, name).into_iter().map(|command| {
            streaming::words::decoded(&command).map_err(|why| Failure::error("JA018", format!("{name}: {why}")))
        });
        arguments.extend(behind(option, commands.collect::<Result<_, _>>()?));
    }
    let reader: Vec<String> =
        ["record-reader", "record-reader-mapping"].into_iter().flat_map(|name| filled(streaming, name)).collect();
    if streaming.child("record-reader").is_some() {
        arguments.extend(["-inputreader".to_owned(), reader.join(",")]);
    }
    arguments.extend(behind("-cmdenv", filled(streaming, "env")));
    Ok(launch.command(Program::installed("hadoop", context), arguments, ending("StreamingMain")))
}

/// Returns the command of a program with the protocol of pipes.
fn pipe(pipes: &Element, mut launch: Launch<'_>, configuration: &Properties) -> Result<Task, Failure> {
    launch.configure(configuration);
    let mut arguments = vec!["pipes".to_owned()];
    arguments.extend(hadoop_options(&launch, configuration));
    arguments.extend(options(
        pipes,
        &[
            ("-inputformat", "inputformat"),
            ("-map", "map"),
            ("-partitioner", "partitioner"),
            ("-reduce", "reduce"),
            ("-writer", "writer"),
        ],
    ));
    for program in filled(pipes, "program") {
        let is_plain = !program.starts_with('/') && !program.contains(':');
        let refused =
            |why: Unlocated| Failure::error("IllegalArgumentException", format!("program [{program}]: {why}"));
        let path = if is_plain {
            {
                let place = shipping::place(&program, launch.context).map_err(refused)?;
                if place.here().is_some() { format!("file://{}", place.place()) } else { place.place().into_owned() }
            }
        } else {
            program.clone()
        };
        arguments.extend(["-program".to_owned(), path]);
    }
    let mapred = Program::beside("mapred", "hadoop", launch.context);
    Ok(launch.command(mapred, arguments, ending("PipesMain")))
}

/// Runs the classes that the configuration names.
fn run_classes(mut launch: Launch<'_>, mut configuration: Properties) -> Result<Task, Failure> {
    let context = launch.context;
    let is_local = cluster::is_local(&configuration);
    let uber_jar = uber_jar(&configuration, context)?;
    let jars: Vec<String> = jars(&launch);
    let mapred = Program::beside("mapred", "hadoop", context);
    let mut arguments: Vec<String>;
    if is_local {
        keep_classes(&mut configuration);
        arguments = vec!["pipes".to_owned()];
        arguments.extend(hadoop_options(&launch, &configuration));
        arguments.extend(uber_jar.into_iter().flat_map(|jar| ["-jar".to_owned(), jar]));
        // `mapred pipes` requires a program, and starts none when every part is a class.
        arguments.extend(["-program".to_owned(), format!("file://{}", launch.configuration_argument())]);
    } else {
        let uris =
            |paths: Vec<String>| paths.into_iter().map(|path| format!("file://{path}")).collect::<Vec<_>>().join(",");
        let archives = archives(&launch);
        // Hadoop's options do not apply to a submitted file, so their values are written into it.
        for (name, paths) in [("tmpjars", jars.clone()), ("tmpfiles", plain_files(&launch)), ("tmparchives", archives)]
        {
            if !paths.is_empty() {
                configuration.insert(name.to_owned(), uris(paths));
            }
        }
        configuration.extend(uber_jar.map(|jar| ("mapreduce.job.jar".to_owned(), jar)));
        let old = launch.environment.get("HADOOP_CLASSPATH").cloned();
        let class_path = jars.into_iter().chain(old).collect::<Vec<_>>().join(":");
        launch.environment.insert("HADOOP_CLASSPATH".to_owned(), class_path);
        arguments = vec!["job".to_owned(), "-submit".to_owned(), launch.configuration_argument()];
        let end = FinalState::Job { mapred: mapred.path.clone() };
        launch.elsewhere = Some(Elsewhere { end, ..Elsewhere::on_yarn(context) });
    }
    launch.configure(&configuration);
    Ok(launch.command(mapred, arguments, ending("MapReduceMain")))
}

/// Sets the properties that keep every part of the job a class for `mapred pipes`, and the classes of keys and values,
/// because its defaults differ.
fn keep_classes(configuration: &mut Properties) {
    configuration.extend(PARTS_IN_JAVA.map(|part| (part.to_owned(), "true".to_owned())));
    for (between, old_between, end, old_end, default) in CLASSES {
        let last = value(configuration, [end, old_end]).unwrap_or(default).to_owned();
        let first = value(configuration, [between, old_between]).unwrap_or(&last).to_owned();
        configuration.insert(between.to_owned(), first);
        configuration.insert(end.to_owned(), last);
    }
}

/// Returns the jar with the whole job, where the site allows it.
fn uber_jar(configuration: &Properties, context: &ActionContext<'_>) -> Result<Option<String>, Failure> {
    let Some(jar) = configuration.get(UBER_JAR).map(|jar| jar.trim()).filter(|jar| !jar.is_empty()) else {
        return Ok(None);
    };
    if context.site.get(UBER_JAR_ALLOWED).is_none_or(|value| value.trim() != "true") {
        let message = format!("{UBER_JAR_ALLOWED} must be true in the site file to use {UBER_JAR}");
        return Err(Failure::error("MR003", message));
    }
    let refused = |why: Unlocated| Failure::error("IllegalArgumentException", format!("{UBER_JAR} [{jar}]: {why}"));
    Ok(Some(shipping::place(jar, context).map_err(refused)?.place().into_owned()))
}

/// Returns the options that every program of Hadoop takes: the configuration, and what is shipped. Inside the client
/// the files are already in the working folder.
fn hadoop_options(launch: &Launch<'_>, configuration: &Properties) -> Vec<String> {
    let is_local = cluster::is_local(configuration);
    let unless_local = |paths: Vec<String>| if is_local { Vec::new() } else { paths };
    let mut all = vec!["-conf".to_owned(), launch.configuration_argument()];
    for (option, paths) in [
        ("-libjars", jars(launch)),
        ("-files", unless_local(plain_files(launch))),
        ("-archives", unless_local(archives(launch))),
    ] {
        if !paths.is_empty() {
            all.extend([option.to_owned(), paths.join(",")]);
        }
    }
    all
}

fn jars(launch: &Launch<'_>) -> Vec<String> {
    launch.shipped.jars.iter().map(|name| launch.at(name).display().to_string()).collect()
}

fn plain_files(launch: &Launch<'_>) -> Vec<String> {
    let plain = launch.shipped.links.keys().filter(|name| !launch.shipped.jars.contains(name));
    plain.map(|name| launch.at(name).display().to_string()).collect()
}

fn archives(launch: &Launch<'_>) -> Vec<String> {
    launch.shipped.archives.iter().map(|(name, path)| format!("{}#{name}", path.place())).collect()
}

/// Returns the value under the current or the old name of a property.
fn value<'a>(configuration: &'a Properties, names: [&str; 2]) -> Option<&'a str> {
    names.into_iter().find_map(|name| configuration.get(name)).map(String::as_str)
}

/// Returns the texts of all elements of a name that have one.
fn filled(element: &Element, name: &str) -> Vec<String> {
    super::arguments::texts(element, name).into_iter().filter(|text| !text.is_empty()).collect()
}

fn options(element: &Element, options: &[(&str, &str)]) -> Vec<String> {
    options.iter().flat_map(|(option, name)| behind(option, filled(element, name))).collect()
}

fn ending(main: &str) -> Ending {
    let main = format!("org.apache.oozie.action.hadoop.{main}");
    Ending { failure: FailureRule::Java { main }, capture: None }
}

#[cfg(test)]
mod tests;
