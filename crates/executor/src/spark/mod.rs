//! The `spark` action: a program submitted to Spark by `spark-submit`.
//!
//! Follows `SparkActionExecutor` and `SparkArgsExtractor` in the order of arguments. What Oozie adds because it runs
//! inside YARN is left out: Spark fetches its own security tokens and has its own logging. In cluster mode the exit
//! status of `spark-submit` does not show how the program ended, so the state of its driver or application is queried.

use super::arguments::{behind, passed_properties, texts};
use super::launch::{Launch, Program};
use super::shipping;
use super::spark_options::SparkOptions;
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{Ending, FailureRule};
use crate::failure::Failure;
use crate::remote_jobs::cluster::{Elsewhere, FinalState, SparkCluster};
use howdah_host::located::Unlocated;
use howdah_xml::Element;

const MAIN: &str = "org.apache.oozie.action.hadoop.SparkMain";
const PROGRAM: &str = "spark-submit";
/// The property of the site: `host:port` of the REST server of a standalone master.
const REST: &str = "howdah.spark.rest";
const STANDALONE: &str = "spark://";
const WAITS_FOR_DRIVER: &str = "spark.standalone.submit.waitAppCompletion";
const WAITS_FOR_APPLICATION: &str = "spark.yarn.submit.waitAppCompletion";
const DEFAULTS_FILE: &str = "spark-defaults.conf";
const GENERATED_DEFAULTS_FILE: &str = "spark-defaults-oozie-generated.properties";

/// What decides where the program runs.
struct Deployment {
    master: String,
    mode: Option<String>,
}

impl Deployment {
    fn is_cluster_mode(&self) -> bool {
        self.mode.as_deref() == Some("cluster") || self.master == "yarn-cluster"
    }

    fn is_yarn(&self) -> bool {
        self.master.starts_with("yarn")
    }

    fn is_standalone(&self) -> bool {
        self.master.starts_with(STANDALONE)
    }
}

/// Returns the work of a `spark` action. `IllegalArgumentException` for a program in a store without mount.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::of(element, context)?;
    launch.search_native_libraries();
    let text = |name| element.child(name).map(|child: &Element| child.text().value).filter(|text| !text.is_empty());
    let mut options = SparkOptions::parse(&text("spark-opts").unwrap_or_default());
    let mode = text("mode").or_else(|| options.value("--deploy-mode").map(str::to_owned));
    let place = Deployment { master: text("master").unwrap_or_default(), mode };
    let jar = program(&text("jar").unwrap_or_default(), &launch)?;

    let mut arguments = vec!["--master".to_owned(), place.master.clone()];
    for (option, name) in [("--deploy-mode", "mode"), ("--name", "name"), ("--class", "class")] {
        arguments.extend(text(name).into_iter().flat_map(|value| [option.to_owned(), value]));
    }
    arguments.extend(behind("--conf", passed_properties(context, "oozie.spark.", "spark.")));
    let elsewhere = elsewhere(&place, &options, context);
    let is_queried = elsewhere.spark.as_ref().is_some_and(|cluster| cluster.rest.is_some());
    if elsewhere.end == FinalState::Driver && !is_queried && options.property(WAITS_FOR_DRIVER).is_none() {
        // Without a server to query, `spark-submit` itself must wait for the driver and report how it ended.
        arguments.extend(["--conf".to_owned(), format!("{WAITS_FOR_DRIVER}=true")]);
    }
    launch.elsewhere = Some(elsewhere);
    let defaults = defaults(&mut options, &mut launch)?;
    let shipped = shipped(&mut options, &launch, &place, &jar);
    arguments.extend(options.into_arguments());
    arguments.extend(defaults);
    arguments.extend(shipped);
    arguments.extend(["--verbose".to_owned(), jar]);
    arguments.extend(texts(element, "arg"));
    let ending = Ending { failure: FailureRule::Java { main: MAIN.to_owned() }, capture: None };
    Ok(launch.command(Program::installed(PROGRAM, context), arguments, ending))
}

/// Returns the file that is the program: shipped, of the application, or wherever `spark-submit` itself can read.
fn program(jar: &str, launch: &Launch<'_>) -> Result<String, Failure> {
    if launch.shipped.links.contains_key(jar) {
        return Ok(launch.at(jar).to_string_lossy().into_owned());
    }
    match shipping::place(jar, launch.context) {
        Ok(place) => Ok(place.place().into_owned()),
        // Spark itself reads a store that is not mounted here.
        Err(Unlocated::Unmounted { uri, .. }) => Ok(uri),
        Err(_) if jar.contains(':') => Ok(jar.to_owned()),
        Err(why) => Err(Failure::error("IllegalArgumentException", format!("jar [{jar}]: {why}"))),
    }
}

/// Files of properties replace one another for `spark-submit`: shipped defaults and those that the options name are
/// joined, so the latter win.
fn defaults(options: &mut SparkOptions, launch: &mut Launch<'_>) -> Result<Vec<String>, Failure> {
    let named = options.take("--properties-file");
    let mut files: Vec<_> = launch.shipped.links.get(DEFAULTS_FILE).cloned().into_iter().collect();
    if let Some(path) = named.last() {
        let refused =
            |why: Unlocated| Failure::error("IllegalArgumentException", format!("--properties-file {path}: {why}"));
        let shipped = launch.shipped.links.get(path).cloned();
        files.push(shipped.map_or_else(|| shipping::place(path, launch.context), Ok).map_err(refused)?);
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    launch.joined.insert(GENERATED_DEFAULTS_FILE.to_owned(), files);
    Ok(vec!["--properties-file".to_owned(), GENERATED_DEFAULTS_FILE.to_owned()])
}

/// Returns the arguments that ship files: jars for the class path, and on YARN files and archives for its nodes;
/// without YARN they are in the working folder.
fn shipped(options: &mut SparkOptions, launch: &Launch<'_>, place: &Deployment, program: &str) -> Vec<String> {
    let at = |name: &String| launch.at(name).to_string_lossy().into_owned();
    let shipped = &launch.shipped;
    let jars: Vec<String> = shipped.jars.iter().map(at).filter(|jar| jar != program).collect();
    let (mut files, mut archives) = (Vec::new(), Vec::new());
    if place.is_yarn() {
        let plain =
            shipped.links.keys().filter(|name| !shipped.jars.contains(name)).filter(|name| *name != DEFAULTS_FILE);
        files = plain.map(at).filter(|file| file != program).collect();
        archives = shipped.archives.iter().map(|(name, path)| format!("{}#{name}", path.place())).collect();
    }
    let mut arguments = Vec::new();
    for (option, own) in [("--jars", jars), ("--files", files), ("--archives", archives)] {
        let all: Vec<String> = options.take(option).into_iter().chain(own).collect();
        if !all.is_empty() {
            arguments.extend([option.to_owned(), all.join(",")]);
        }
    }
    arguments
}

/// Returns where the program runs, and which state decides its end. An action may set that Spark does not wait.
fn elsewhere(place: &Deployment, options: &SparkOptions, context: &ActionContext<'_>) -> Elsewhere {
    let is_awaited = |property| options.property(property).is_none_or(|value| value != "false");
    let submit = Program::installed(PROGRAM, context).path;
    let own = place.master.strip_prefix(STANDALONE).map(|address| address.split(',').next().unwrap_or(address));
    let is_rest = options.property("spark.master.rest.enabled") == Some("true");
    let rest = if is_rest { own } else { context.site.get(REST).map(|address| address.trim()) };
    let rest = rest.filter(|address| !address.is_empty()).map(str::to_owned);
    let end = match place {
        _ if !place.is_cluster_mode() => FinalState::Launcher,
        _ if place.is_standalone() && is_awaited(WAITS_FOR_DRIVER) => FinalState::Driver,
        _ if place.is_yarn() && is_awaited(WAITS_FOR_APPLICATION) => FinalState::Application,
        _ => FinalState::Launcher,
    };
    let spark = own.map(|_| SparkCluster { submit, master: place.master.clone(), rest });
    Elsewhere { spark, end, ..Elsewhere::on_yarn(context) }
}

#[cfg(test)]
mod tests;
