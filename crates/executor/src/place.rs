//! Where the work of an action is done: on this machine, or as a job of a Slurm cluster.
//!
//! The most specific setting wins: the action's own configuration, the job's, the site's for the type of the action,
//! the site's for all. Decided once, when the action starts, and stored with the work for every later process. Must not
//! depend on how a cluster is queried. Accesses no file.

use serde::{Deserialize, Serialize};

use super::words::{OPEN_END, shell_words};
use crate::context::ActionContext;
use crate::failure::Failure;

/// The property that names the place.
const EXECUTOR: &str = "howdah.executor";
/// The property with further options of a submission.
const OPTIONS: &str = "howdah.slurm.options";
/// The types whose command may leave this machine: they need only their folder and shared storage.
const CLUSTER_TYPES: [&str; 9] = ["distcp", "hive", "hive2", "java", "map-reduce", "pig", "shell", "spark", "sqoop"];

/// Options of a submission that howdah sets: with another value the job could not be found again.
const RESERVED: [&str; 9] =
    ["array", "chdir", "clusters", "comment", "parsable", "requeue", "test-only", "wait", "wrap"];

/// Where a piece of work is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// On the machine of the runner.
    #[default]
    Here,
    /// On a node of a Slurm cluster.
    Slurm {
        /// Further options of the submission, such as `--partition=main`.
        options: Vec<String>,
    },
}

impl Place {
    /// Returns where an action of the type `kind` runs. A failure (`IllegalArgumentException`) for an unknown place,
    /// for a type that was configured for a cluster by its own name and runs only on this machine, and for options that
    /// cannot be read.
    pub(super) fn of(kind: &str, context: &ActionContext<'_>) -> Result<Self, Failure> {
        let of_type = format!("{EXECUTOR}.{kind}");
        let named = nearest(EXECUTOR, context)
            .or_else(|| text(context.site.get(&of_type)).map(|value| (of_type.as_str(), value)))
            .or_else(|| text(context.site.get(EXECUTOR)).map(|value| (EXECUTOR, value)));
        match named {
            Some((_, "slurm")) if CLUSTER_TYPES.contains(&kind) => Ok(Self::Slurm { options: options(context)? }),
            Some((property, "slurm")) if property == of_type => {
                Err(refused(property, "slurm", &format!("an action of type {kind} works on this machine only")))
            }
            // A setting for all types does not apply to types that run only on this machine.
            None | Some((_, "local" | "slurm")) => Ok(Self::Here),
            Some((property, other)) => Err(refused(property, other, "it is neither local nor slurm")),
        }
    }
}

/// Returns a property of the action's configuration, else of the job's, with its name.
fn nearest<'a>(name: &'static str, context: &ActionContext<'a>) -> Option<(&'static str, &'a str)> {
    let own = text(context.configuration.get(name));
    own.or_else(|| text(context.job_configuration.get(name))).map(|value| (name, value))
}

fn text(value: Option<&String>) -> Option<&str> {
    value.map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// Returns the options of a submission. Each has to be one long option with its value behind `=`, so that none can be
/// taken for the script of the job or for the value of another.
fn options(context: &ActionContext<'_>) -> Result<Vec<String>, Failure> {
    let named = nearest(OPTIONS, context).map(|(_, value)| value);
    let line = named.or_else(|| text(context.site.get(OPTIONS))).unwrap_or_default();
    let options = shell_words(line).ok_or_else(|| refused(OPTIONS, line, OPEN_END))?;
    for option in &options {
        let Some(name) = name(option) else {
            let why = format!("[{option}] is not of the form --name or --name=value, as in --partition=main");
            return Err(refused(OPTIONS, line, &why));
        };
        // Slurm accepts an abbreviated name.
        if RESERVED.iter().any(|reserved| reserved.starts_with(name)) {
            return Err(refused(OPTIONS, line, &format!("[{option}] is set by howdah; leave it out")));
        }
    }
    Ok(options)
}

/// Returns the name of a long option; `None` for another word.
fn name(word: &str) -> Option<&str> {
    let rest = word.strip_prefix("--")?;
    let name = rest.split_once('=').map_or(rest, |(name, _)| name);
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-');
    is_name.then_some(name)
}

fn refused(property: &str, value: &str, why: &str) -> Failure {
    Failure::error("IllegalArgumentException", format!("{property} = [{value}]: {why}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    /// `lines` are properties, each as `<where> <name>=<value>`: `site`, `job` or `action`.
    fn check(kind: &str, lines: &[&str], expect: &str) {
        let mut sandbox = Sandbox::new();
        for line in lines {
            let (level, property) = line.split_once(' ').unwrap();
            let (name, value) = property.split_once('=').unwrap();
            let properties = match level {
                "site" => &mut sandbox.site,
                "job" => &mut sandbox.job_configuration,
                _ => &mut sandbox.configuration,
            };
            properties.insert(name.to_owned(), value.to_owned());
        }
        let got = match Place::of(kind, &sandbox.context()) {
            Ok(Place::Here) => "here".to_owned(),
            Ok(Place::Slurm { options }) => format!("slurm {}", options.join("|")),
            Err(failure) => failure.message,
        };
        assert_eq!(got.trim(), expect, "{kind} {lines:?}");
    }

    #[test]
    fn the_most_specific_setting_wins() {
        check("shell", &[], "here");
        check("shell", &["site howdah.executor=slurm"], "slurm");
        check("shell", &["site howdah.executor=slurm", "site howdah.executor.shell=local"], "here");
        check("java", &["site howdah.executor.shell=slurm"], "here");
        check("java", &["site howdah.executor.java= slurm "], "slurm");
        check("java", &["site howdah.executor.java=slurm", "job howdah.executor=local"], "here");
        check("java", &["job howdah.executor=local", "action howdah.executor=slurm"], "slurm");
        check("java", &["job howdah.executor= ", "site howdah.executor=slurm"], "slurm");
    }

    #[test]
    fn local_types_stay_unless_they_are_named() {
        for kind in ["fs", "email", "ssh", "git"] {
            check(kind, &["site howdah.executor=slurm", "job howdah.executor=slurm"], "here");
        }
        let words = "howdah.executor.ssh = [slurm]: an action of type ssh works on this machine only";
        check("ssh", &["site howdah.executor.ssh=slurm"], words);
        check("shell", &["job howdah.executor=yarn"], "howdah.executor = [yarn]: it is neither local nor slurm");
    }

    #[test]
    fn options_are_long_and_complete() {
        let with = |options: &str, expect: &str| {
            let line = format!("job howdah.slurm.options={options}");
            check("shell", &["site howdah.executor=slurm", "site howdah.slurm.options=--site", &line], expect);
        };
        with("", "slurm --site");
        with("--partition=main  --time=10", "slurm --partition=main|--time=10");
        with("--qos='a b' \"--x=it's\" --y=\"\"", "slurm --qos=a b|--x=it's|--y=");
        with("--x='a", &format!("howdah.slurm.options = [--x='a]: {OPEN_END}"));
        with("--wra=x", "howdah.slurm.options = [--wra=x]: [--wra=x] is set by howdah; leave it out");
        for wrong in ["-p", "main", "--", "--=x", "--A", "''", "--x y"] {
            let word = if wrong == "--x y" { "y" } else { wrong.trim_matches('\'') };
            let why = format!("[{word}] is not of the form --name or --name=value, as in --partition=main");
            with(wrong, &format!("howdah.slurm.options = [{wrong}]: {why}"));
        }
    }
}
