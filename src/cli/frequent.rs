//! A quick way to the arguments of the verbs that cron, scripts and howdah itself run again and again.
//!
//! clap describes every verb before it reads the first argument, and copies the options of all verbs to each: a
//! quarter of the work of a short command. Here it describes only the verbs whose names are among the arguments. The
//! root takes no word that is not a verb, so what is accepted here, the whole command line reads alike; what is not
//! (errors, help, other verbs) is left to it. Must not print anything.

use std::ffi::OsString;

use clap::{ArgMatches, Args, Command};

use super::args::GlobalArgs;
#[cfg(feature = "hdfs")]
use super::login;
use super::{
    actions, attempt, control, courier, explain, info, jobs, log, metrics, poll, runner, status, submit, tick, validate,
};

/// Adds the arguments of a verb to a command.
type Augment = fn(Command) -> Command;

/// The verbs.
const VERBS: &[(&str, Augment)] = &[
    ("tick", tick::TickArgs::augment_args),
    ("runner", runner::RunnerArgs::augment_args),
    ("courier", courier::CourierArgs::augment_args),
    ("attempt", attempt::AttemptArgs::augment_args),
    #[cfg(feature = "hdfs")]
    ("login", login::LoginArgs::augment_args),
    ("submit", submit::SubmitArgs::augment_args),
    ("validate", validate::ValidateArgs::augment_args),
    ("jobs", jobs::JobsArgs::augment_args),
    ("actions", actions::ActionsArgs::augment_args),
    ("info", info::InfoArgs::augment_args),
    ("explain", explain::ExplainArgs::augment_args),
    ("log", log::LogArgs::augment_args),
    ("status", status::StatusArgs::augment_args),
    ("metrics", metrics::MetricsArgs::augment_args),
    ("poll", poll::PollArgs::augment_args),
    ("kill", control::KillArgs::augment_args),
];

/// Reads a correct command line with one of these verbs; `None` for every other one.
pub(super) fn matches(arguments: &[OsString]) -> Option<ArgMatches> {
    let mut command = GlobalArgs::augment_args(Command::new("howdah")).subcommand_required(true);
    let named = VERBS.iter().filter(|(name, _)| arguments.iter().any(|argument| argument == name));
    for (name, augment) in named {
        command = command.subcommand(augment(Command::new(*name)));
    }
    if !command.has_subcommands() {
        return None;
    }
    command.try_get_matches_from(arguments).ok()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _, Parser as _};

    use super::*;
    use crate::cli::Cli;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn what_is_accepted_is_what_the_whole_command_line_reads() {
        for line in [
            "howdah tick",
            "howdah --db tick tick",
            "howdah --db jobs tick --now 2026-01-01T00:00Z -q",
            "howdah info --db x.db jobs",
            "howdah jobs --json=oozie --filter status=KILLED --len 3",
            "howdah explain 0000000-261120093000123-oozie-oozi-C@3 --db status",
            "howdah submit -c job.properties -D a=b --mount hdfs://n=/data",
            "howdah validate tick validate",
        ] {
            let quick = matches(&words(line)).unwrap_or_else(|| panic!("{line}"));
            let quick = Cli::from_arg_matches(&quick).unwrap();
            let whole = Cli::try_parse_from(words(line)).unwrap();
            assert_eq!(format!("{quick:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_whole_command_line() {
        for line in [
            "howdah",
            "howdah tick jobs",
            "howdah tick --help",
            "howdah --version tick",
            "howdah --db tick",
            "howdah --db tick suspend J",
            "howdah help tick",
            "howdah suspend tick",
            "howdah jobs --no-such-option",
        ] {
            assert!(matches(&words(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn each_of_them_is_a_verb_with_the_same_arguments() {
        let mut whole = Cli::command();
        whole.build();
        for (name, augment) in VERBS {
            let mut command = GlobalArgs::augment_args(Command::new("howdah")).subcommand(augment(Command::new(*name)));
            command.build();
            let ids = |command: &Command| {
                let verb = command.find_subcommand(name).unwrap_or_else(|| panic!("{name}"));
                let mut ids: Vec<String> = verb.get_arguments().map(|argument| argument.get_id().to_string()).collect();
                ids.sort_unstable();
                ids
            };
            assert_eq!(ids(&command), ids(&whole), "{name}");
        }
    }
}
