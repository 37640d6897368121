//! The `java` action: a main class in a JVM of its own.
//!
//! Follows the workflow specification, section 3.2.6. The JVM comes from the site's `howdah.command.java`, else the
//! action's `JAVA_HOME`, else `PATH`. The class writes its results to files that system properties name. `jvm` reads
//! the end of the JVM. Accesses no file.

use std::path::Path;

use super::cluster;
use super::launch::{Launch, Program};
use super::report::{COUNTERS_FILE, JOBS_FILE};
use super::words::{OPEN_END, shell_words};
use super::work::Task;
use crate::context::ActionContext;
use crate::end_rule::{CaptureSource, Ending, FailureRule};
use crate::failure::Failure;
use howdah_words::model::Properties;
use howdah_xml::Element;

const JVM: &str = "java";
const LAUNCHER_OPTIONS: &str = "oozie.launcher.javaopts";
/// Options in the configuration, in their order before the action's own options; the JVM uses the last value.
const CONFIGURED_OPTIONS: [&str; 2] = ["mapred.child.java.opts", "mapreduce.map.java.opts"];
/// The prefix of the same options for the launcher.
const OF_LAUNCHER: &str = "oozie.launcher.";
const EXTRA_CLASS_PATH: &str = "howdah.java.classpath";
const NULL_ARGUMENTS: &str = "oozie.action.null.args.allowed";
/// The file in the attempt's folder that captured output is read from.
const OUTPUT_FILE: &str = "output.properties";

/// Returns the work of a `java` action. JA018 for options with a quotation mark that is not closed, JA010 (the job
/// fails) for an invalid environment.
pub(super) fn plan(element: &Element, context: &ActionContext<'_>) -> Result<Task, Failure> {
    let mut launch = Launch::of(element, context)?;
    let configuration = cluster::whole_configuration(element, context);
    launch.configure(&configuration);
    launch.search_native_libraries();
    let main = element.child("main-class").map(|class| class.text().value).unwrap_or_default();
    let mut arguments = options(element, &configuration)?;
    arguments.extend(system_properties(&launch).into_iter().map(|(name, value)| format!("-D{name}={value}")));
    arguments.extend(["-cp".to_owned(), class_path(&launch), main.clone()]);
    let keeps_empty = context.site.get(NULL_ARGUMENTS).is_none_or(|value| value.trim() != "false");
    let given = element.children_named("arg").map(|argument| argument.text().value);
    arguments.extend(given.filter(|argument| keeps_empty || !argument.is_empty()));
    let is_kept = element.child("capture-output").is_some();
    let capture = launch.limited(CaptureSource::File { name: OUTPUT_FILE.to_owned(), kept: is_kept });
    let ending = Ending { failure: FailureRule::Java { main }, capture: Some(capture) };
    let program = jvm(context, &launch);
    Ok(launch.command(program, arguments, ending))
}

fn jvm(context: &ActionContext<'_>, launch: &Launch<'_>) -> Program {
    let program = Program::installed(JVM, context);
    match launch.environment.get("JAVA_HOME").map(|home| home.trim()) {
        Some(home) if !home.is_empty() && program.path == JVM => {
            let path = Path::new(home).join("bin").join(JVM).to_string_lossy().into_owned();
            let advice = format!("JAVA_HOME is {home}; {}", program.advice.unwrap_or_default());
            Program { path, advice: Some(advice), ..program }
        }
        _ => program,
    }
}

/// Returns the options of the configuration, then the action's own; without any, those of its launcher.
fn options(element: &Element, configuration: &Properties) -> Result<Vec<String>, Failure> {
    let own = ["java-opts", "java-opt"].into_iter().flat_map(|name| element.children_named(name));
    let own: Vec<String> = own.map(|child| child.text().value).collect();
    let configured = CONFIGURED_OPTIONS.iter().filter_map(|name| {
        let of_launcher = configuration.get(&format!("{OF_LAUNCHER}{name}"));
        of_launcher.or_else(|| configuration.get(*name)).cloned()
    });
    let launchers = configuration.get(LAUNCHER_OPTIONS).filter(|_| own.is_empty()).cloned();
    let text = configured.chain(launchers).chain(own).collect::<Vec<_>>().join(" ");
    shell_words(&text).ok_or_else(|| Failure::error("JA018", format!("java-opts [{text}]: {OPEN_END}")))
}

/// Returns the system properties that every main class of Oozie gets. The files are in the attempt's folder and not in
/// the working folder, where a shipped file could have the same name.
fn system_properties(launch: &Launch<'_>) -> [(&'static str, String); 10] {
    let context = launch.context;
    let at = |name: &str| launch.in_attempt(name).to_string_lossy().into_owned();
    let action = format!("{}@{}", context.job_id, context.node);
    [
        ("oozie.action.conf.xml", launch.configuration_file().to_string_lossy().into_owned()),
        ("oozie.launcher.job.id", action.clone()),
        ("oozie.job.id", context.job_id.to_owned()),
        ("oozie.action.id", action),
        ("oozie.action.externalChildIDs", at(JOBS_FILE)),
        ("oozie.action.stats.properties", at(COUNTERS_FILE)),
        ("oozie.action.newId", at("newId")),
        ("oozie.action.output.properties", at(OUTPUT_FILE)),
        ("oozie.action.error.properties", at("error.properties")),
        ("oozie.job.launch.time", context.now.seconds().saturating_mul(1000).to_string()),
    ]
}

/// Returns the working folder, the jars in it, archives unpacked under the name of a jar, and what the site adds.
fn class_path(launch: &Launch<'_>) -> String {
    let unpacked = launch
        .shipped
        .archives
        .keys()
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "jar"));
    let shipped = launch.shipped.jars.iter().chain(unpacked).map(String::as_str);
    let extra = launch.context.site.get(EXTRA_CLASS_PATH).map(|path| path.trim()).filter(|path| !path.is_empty());
    std::iter::once(".").chain(shipped).chain(extra).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element, here};
    use super::*;
    use crate::command_work::CommandWork;
    use crate::failure::NodeResult;
    use howdah_host::command::WorkOutcome;

    fn planned(sandbox: &Sandbox, body: &str) -> Result<CommandWork, Failure> {
        let text = format!("<java><main-class>a.Main</main-class>{body}</java>");
        let task = plan(&element(&text), &sandbox.context())?;
        let Task::Command(work) = task else { panic!("java plans a command, not {task:?}") };
        Ok(*work)
    }

    /// Checks the command line of an action, without the arguments that every action has.
    fn check(change: impl FnOnce(&mut Sandbox), body: &str, expect: &[&str]) {
        let mut sandbox = Sandbox::new();
        sandbox.library = vec![here("/app/lib/tool.jar"), here("/app/lib/data.txt")];
        change(&mut sandbox);
        let line = planned(&sandbox, body).unwrap().line;
        let arguments = line.arguments.iter().filter(|argument| !argument.starts_with("-Doozie."));
        let got: Vec<&str> = std::iter::once(&line.program).chain(arguments).map(String::as_str).collect();
        assert_eq!(got, expect, "{body}");
    }

    #[test]
    fn a_command_line_is_the_jvm_its_options_the_class_and_arguments() {
        check(|_| {}, "", &["java", "-cp", ".:tool.jar", "a.Main"]);
        let body = "<java-opts>-Xmx64m \"-Da=b c\" -Dq='$x'</java-opts><arg>a b</arg><arg/><arg>;</arg>";
        check(|_| {}, body, &["java", "-Xmx64m", "-Da=b c", "-Dq=$x", "-cp", ".:tool.jar", "a.Main", "a b", "", ";"]);
        let body = "<java-opt>-Xmx64m</java-opt><java-opt>-Da=b -Dc=d</java-opt>";
        check(|_| {}, body, &["java", "-Xmx64m", "-Da=b", "-Dc=d", "-cp", ".:tool.jar", "a.Main"]);
        let body = "<file>x.jar</file><archive>y.jar</archive><archive>z.zip</archive>";
        check(|_| {}, body, &["java", "-cp", ".:tool.jar:x.jar:y.jar", "a.Main"]);
    }

    #[test]
    fn options_of_the_launcher_and_the_site_apply() {
        let launcher = |sandbox: &mut Sandbox| {
            sandbox.configuration.insert(LAUNCHER_OPTIONS.to_owned(), "-Xmx1g".to_owned());
        };
        check(launcher, "", &["java", "-Xmx1g", "-cp", ".:tool.jar", "a.Main"]);
        check(launcher, "<java-opt>-Xmx2g</java-opt>", &["java", "-Xmx2g", "-cp", ".:tool.jar", "a.Main"]);
        let configured = |sandbox: &mut Sandbox| {
            let set = |properties: &mut Properties, name: &str, value: &str| {
                properties.insert(name.to_owned(), value.to_owned());
            };
            set(&mut sandbox.configuration, "mapreduce.map.java.opts", "-Db");
            set(&mut sandbox.configuration, "mapred.child.java.opts", "-Xmx1g -Da");
            set(&mut sandbox.cluster, "mapreduce.map.java.opts", "-Dnone");
        };
        let all = ["java", "-Xmx1g", "-Da", "-Db", "-Xmx2g", "-cp", ".:tool.jar", "a.Main"];
        check(configured, "<java-opts>-Xmx2g</java-opts>", &all);
        let of_launcher = |sandbox: &mut Sandbox| {
            configured(sandbox);
            let name = "oozie.launcher.mapreduce.map.java.opts".to_owned();
            sandbox.configuration.insert(name, "-Dl".to_owned());
            sandbox.configuration.insert(LAUNCHER_OPTIONS.to_owned(), "-Xms1m".to_owned());
        };
        check(of_launcher, "", &["java", "-Xmx1g", "-Da", "-Dl", "-Xms1m", "-cp", ".:tool.jar", "a.Main"]);
        let of_cluster = |sandbox: &mut Sandbox| {
            drop(sandbox.cluster.insert("mapred.child.java.opts".to_owned(), "-Dsite".to_owned()));
        };
        check(of_cluster, "<java-opt>-Dx</java-opt>", &["java", "-Dsite", "-Dx", "-cp", ".:tool.jar", "a.Main"]);
        let site = |name: &'static str, value: &'static str| {
            move |sandbox: &mut Sandbox| drop(sandbox.site.insert(name.to_owned(), value.to_owned()))
        };
        check(site(EXTRA_CLASS_PATH, "/h/conf:/h/*"), "", &["java", "-cp", ".:tool.jar:/h/conf:/h/*", "a.Main"]);
        check(site(NULL_ARGUMENTS, "false"), "<arg/><arg>b</arg>", &["java", "-cp", ".:tool.jar", "a.Main", "b"]);
        let home = |sandbox: &mut Sandbox| drop(sandbox.environment.insert("JAVA_HOME".to_owned(), "/jdk".to_owned()));
        check(home, "", &["/jdk/bin/java", "-cp", ".:tool.jar", "a.Main"]);
        let both = |sandbox: &mut Sandbox| {
            home(sandbox);
            site("howdah.command.java", "/opt/java")(sandbox);
        };
        check(both, "", &["/opt/java", "-cp", ".:tool.jar", "a.Main"]);
    }

    #[test]
    fn the_class_finds_its_cluster_and_its_native_libraries() {
        let mut sandbox = Sandbox::new();
        let pairs = |pairs: &[(&str, &str)]| -> Properties {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        sandbox.cluster = pairs(&[("dfs.replication", "2"), ("fs.defaultFS", "hdfs://site"), ("mine", "site's")]);
        sandbox.configuration = pairs(&[("mine", "own")]);
        sandbox.library =
            ["/app/lib/libx.so", "/app/lib/liby.so.2", "/libs/libz.so", "/other/a.jar"].map(here).to_vec();
        let work = planned(&sandbox, "<name-node>hdfs://nn</name-node>").unwrap();
        let written = &work.files["action.xml"];
        for (name, value) in [("dfs.replication", "2"), ("fs.defaultFS", "hdfs://nn"), ("mine", "own")] {
            let property = format!("<name>{name}</name><value>{value}</value>");
            let plain: String = written.split_whitespace().collect();
            assert!(plain.contains(&property), "{property}: {written}");
        }
        let folder = work.line.directory.display();
        assert_eq!(work.line.environment["LD_LIBRARY_PATH"], format!("{folder}:/app/lib:/libs"));
        sandbox.environment.insert("LD_LIBRARY_PATH".to_owned(), "/own".to_owned());
        let work = planned(&sandbox, "").unwrap();
        assert_eq!(work.line.environment["LD_LIBRARY_PATH"], format!("{folder}:/app/lib:/libs:/own"));
    }

    #[test]
    fn the_class_gets_its_ids_and_output_files() {
        let sandbox = Sandbox::new();
        let arguments = planned(&sandbox, "").unwrap().line.arguments;
        let id = "0000000-260101000000000-oozie-oozi-W";
        for expect in [
            format!("-Doozie.job.id={id}"),
            format!("-Doozie.action.id={id}@node"),
            "-Doozie.job.launch.time=1262304000000".to_owned(),
            format!("-Doozie.action.conf.xml={}/work/action.xml", sandbox.attempt.display()),
            format!("-Doozie.action.output.properties={}/output.properties", sandbox.attempt.display()),
        ] {
            assert!(arguments.contains(&expect), "{expect} is not in {arguments:?}");
        }
        let open = planned(&sandbox, "<java-opts>-Da='b</java-opts>").unwrap_err();
        assert_eq!((open.code.as_str(), open.message.contains("quotation mark")), ("JA018", true));
    }

    #[test]
    fn output_is_limited_even_when_it_is_not_captured() {
        for (capture, output, expect) in [
            ("<capture-output/>", "k=v", "OK {\"k\": \"v\"}"),
            ("<capture-output/>", "", "OK {}"),
            ("", "k=v", "OK none"),
            ("", "k=\\u00", "OK none"),
            ("", "k=12345678901234567890", "JA018 output.properties data exceeds its limit [20]"),
        ] {
            let sandbox = Sandbox::new();
            sandbox.write("attempt/output.properties", output);
            let ending = planned(&sandbox, capture).unwrap().ending;
            let got = match ending.result(&WorkOutcome::Exited(0), &sandbox.attempt).unwrap() {
                NodeResult::Ok { data } => data.map_or("OK none".to_owned(), |data| format!("OK {data:?}")),
                NodeResult::Failed(failure) => format!("{} {}", failure.code, failure.message),
            };
            assert_eq!(got, expect, "{capture} {output}");
        }
    }
}
