//! The examples of the coordinator specification: howdah's results equal the printed ones. The definitions are in
//! `fixtures/specification`, named by section and number.
//!
//! Where the specification contradicts itself, the example has a [`Deviation`]: the printed text, howdah's result, and
//! a row in `docs/specification.md` that says why. The test fails when such a row is missing.

mod applications;
mod data;
mod frequencies;
mod functions;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use howdah_sandbox::sandbox::{Ran, Sandbox};

/// Long after every example.
const NOW: &str = "2015-01-01T00:00Z";

/// An example for which howdah's result differs from the printed one.
#[derive(Clone, Copy)]
pub(super) struct Deviation {
    /// The key of its row in `docs/specification.md`.
    pub(super) row: &'static str,
    pub(super) printed: &'static str,
}

impl Deviation {
    /// Checks that the result deviates as documented.
    fn check(self, answer: &str) {
        assert_ne!(answer, self.printed, "{}: this deviates no more", self.row);
        let text =
            fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/specification.md")).expect("a document");
        let (_, section) =
            text.split_once("## Examples of the specification\n").expect("a section lists the examples that deviate");
        let key = format!("| {} |", self.row);
        assert!(section.lines().any(|line| line.starts_with(&key)), "docs/specification.md has no row {key}");
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/specification")).join(name)
}

/// A folder with the example's definition and the properties that the specification leaves to the user.
struct Example {
    sandbox: Sandbox,
    name: &'static str,
    properties: Vec<(&'static str, &'static str)>,
}

impl Example {
    fn new(name: &'static str, properties: &[(&'static str, &'static str)]) -> Self {
        Self::altered(name, properties, ("", ""))
    }

    /// Replaces a text of the definition, where the printed one is invalid.
    fn altered(name: &'static str, properties: &[(&'static str, &'static str)], (text, printed): (&str, &str)) -> Self {
        let sandbox = Sandbox::new();
        let definition = fs::read_to_string(fixture(&format!("{name}.xml"))).expect("a fixture");
        assert!(definition.contains(text), "{name} does not hold {text}");
        let definition = if text.is_empty() { definition } else { definition.replace(text, printed) };
        sandbox.write("app/coordinator.xml", &definition);
        let datasets = fs::read_to_string(fixture("datasets.xml")).expect("a fixture");
        sandbox.write("foo/app/dataset-definitions/datasets.xml", &datasets);
        Self { sandbox, name, properties: properties.to_vec() }
    }

    /// Creates a path in the store `hdfs://bar:8020`.
    fn with(self, paths: &[&str]) -> Self {
        for path in paths {
            self.sandbox.write(&format!("bar/app/{path}/part-00000"), "");
        }
        self
    }

    fn dryrun(&self, now: &str, arguments: &[&str]) -> Ran {
        let mut howdah = self.sandbox.howdah(["dryrun", "--json"].iter().chain(arguments).copied()).at(now);
        for store in ["foo", "bar"] {
            howdah = howdah.with("--mount").with(format!("hdfs://{store}:8020={}", self.sandbox.text(store)));
        }
        howdah = howdah.define("oozie.coord.application.path", &self.sandbox.text("app"));
        for (name, value) in &self.properties {
            howdah = howdah.define(name, value);
        }
        howdah.run()
    }

    /// Returns the actions of these numbers, without any check of data.
    fn actions(&self, numbers: &str) -> Vec<Value> {
        let ran = self.dryrun(NOW, &["--actions", numbers, "--check-data", "no"]);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!(ran.status, Some(0), "{}: {document}", self.name);
        document["actions"].as_array().expect("a list").clone()
    }

    /// Returns the error that refuses the definition.
    fn refusal(&self) -> String {
        let ran = self.dryrun(NOW, &["--actions", "1", "--check-data", "no"]);
        assert_eq!(ran.status, Some(1), "{}: {ran:?}", self.name);
        ran.stdout
    }

    /// The nominal times of some actions.
    fn nominal_times(&self, numbers: &str) -> Vec<String> {
        let actions = self.actions(numbers);
        actions.iter().map(|action| action["nominalTime"].as_str().expect("a time").to_owned()).collect()
    }

    /// Checks the number of actions and the time of the last one.
    fn check_count(&self, count: u32, last: &str) {
        assert_eq!(self.nominal_times(&format!("{count}-{}", count + 1)), [last], "{}", self.name);
    }

    /// Returns the first action, with the data at `now`.
    fn first_action(&self, now: &str) -> Value {
        let ran = self.dryrun(now, &["--actions", "1"]);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        document["actions"][0].clone()
    }
}

/// A property of an action's configuration.
fn property<'a>(action: &'a Value, name: &str) -> &'a str {
    action["configuration"][name].as_str().unwrap_or_else(|| panic!("no property {name} in {action}"))
}

/// The instances of an event by their URIs.
fn uris(event: &Value) -> Vec<&str> {
    let instances = event["instances"].as_array().expect("a list");
    instances.iter().map(|instance| instance["uri"].as_str().expect("a URI")).collect()
}
