//! Which commands of a line of a crontab tick, directly or as the command of another program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use super::line::Line;
use super::words::{Command, Word};
use crate::cli::args::GlobalArgs;
use crate::cli::frequent;
use clap::FromArgMatches as _;

/// The variables of the crontab, or of one command.
pub(super) type Variables = BTreeMap<Vec<u8>, Vec<u8>>;

/// A command that ticks.
pub(super) struct Tick<'a> {
    pub(super) program: &'a Word,
    /// The words after the program.
    pub(super) rest: &'a [Word],
    pub(super) global: GlobalArgs,
    pub(super) variables: Variables,
    /// Whether the variables that it has are known, so that the default database is, too.
    pub(super) is_default_known: bool,
}

/// Words of a shell before a command.
const RESERVED: [&str; 11] = ["!", "{", "do", "elif", "else", "exec", "if", "then", "time", "until", "while"];
/// Programs that start the command after their options.
const WRAPPERS: [&str; 17] = [
    "chronic",
    "chrt",
    "command",
    "doas",
    "env",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "sudo",
    "systemd-cat",
    "systemd-run",
    "taskset",
    "timeout",
    "unbuffer",
];
/// Those of them that may give the command other variables.
const WITH_OTHER_VARIABLES: [&str; 3] = ["doas", "sudo", "systemd-run"];
/// Programs that run a script that is one of their arguments.
const SHELLS: [&str; 10] = ["ash", "bash", "dash", "eval", "flock", "ksh", "runuser", "sh", "su", "zsh"];
/// Commands of a shell that change no variable; what is a file changes none either.
const WITHOUT_VARIABLES: [&str; 11] =
    [":", "cd", "date", "echo", "false", "logger", "mkdir", "sleep", "test", "true", "umask"];

fn is_one_of(names: &[&str], word: &Word) -> bool {
    let name = word.path().and_then(Path::file_name);
    name.and_then(OsStr::to_str).is_some_and(|name| names.contains(&name))
}

/// Returns whether a command leaves the variables of those after it as they are, as far as one can see.
fn changes_no_variable(command: &[Word]) -> bool {
    let Some(first) = command.first() else { return true };
    let is_file = first.value().is_some_and(|name| name.contains(&b'/'));
    first.assignment().is_none() && (is_file || first.text == b"[" || is_one_of(&WITHOUT_VARIABLES, first))
}

/// Returns the arguments of a command that a shell reads as a script.
pub(super) fn scripts(command: &Command) -> impl Iterator<Item = &Word> {
    let shell = command.iter().position(|word| is_one_of(&SHELLS, word));
    let rest = shell.map_or(&[][..], |shell| &command[shell + 1..]);
    rest.iter().filter(|word| word.text.contains(&b' '))
}

impl Line {
    /// Returns the commands of a line that tick, in the variables of the crontab.
    pub(super) fn ticks<'a>(&self, commands: &'a [Command], variables: &Variables) -> Vec<Tick<'a>> {
        let mut is_default_known = true;
        let mut found = Vec::new();
        for command in commands {
            let reserved = command.iter().take_while(|word| is_one_of(&RESERVED, word)).count();
            let command = &command[reserved..];
            match self.tick(command, variables.clone()) {
                Some(tick) => {
                    let is_default_known = is_default_known && tick.is_default_known;
                    found.push(Tick { is_default_known, ..tick });
                }
                None => is_default_known &= changes_no_variable(command),
            }
        }
        found
    }

    /// Returns the tick that a command is, directly or as the command of another program.
    fn tick<'a>(&self, command: &'a [Word], mut variables: Variables) -> Option<Tick<'a>> {
        let assigned = command.iter().take_while(|word| word.assignment().is_some()).count();
        variables.extend(command[..assigned].iter().filter_map(Word::assignment));
        let command = &command[assigned..];
        let most = if is_one_of(&WRAPPERS, command.first()?) { command.len() } else { 1 };
        let (at, global) = (0..most).find_map(|at| Some((at, self.options_of_tick(&command[at..])?)))?;
        let (before, [program, rest @ ..]) = command.split_at(at) else { return None };
        // `env` sets variables, and its options remove some.
        variables.extend(before.iter().filter_map(Word::assignment));
        let has = |names: &[&str]| before.iter().any(|word| is_one_of(names, word));
        let has_options = || before.iter().any(|word| word.text.starts_with(b"-"));
        let is_default_known = !(has(&WITH_OTHER_VARIABLES) || has(&["env"]) && has_options());
        Some(Tick { program, rest, global, variables, is_default_known })
    }

    /// Returns the options of every verb, when the words are howdah with the verb `tick`.
    fn options_of_tick(&self, words: &[Word]) -> Option<GlobalArgs> {
        let (program, rest) = words.split_first()?;
        let path = program.path()?;
        let is_howdah = path == Path::new(&self.program) || path.file_name()? == "howdah";
        let values = rest.iter().map(|word| OsString::from_vec(word.likely_value()));
        let line: Vec<OsString> = std::iter::once(OsString::from("howdah")).chain(values).collect();
        let read = is_howdah.then(|| frequent::matches(&line)).flatten()?;
        let is_tick = read.subcommand_name() == Some("tick");
        is_tick.then(|| GlobalArgs::from_arg_matches(&read).ok()).flatten()
    }
}

/// Stands for a value that only the shell knows.
pub(super) const UNKNOWN: &str = "http://unknown";

impl Word {
    /// Returns what the program gets; where only the shell knows, what every option of a tick accepts and
    /// no database has as its name.
    fn likely_value(&self) -> Vec<u8> {
        let unknown = UNKNOWN.as_bytes();
        let is_option = self.text.starts_with(b"--");
        match (self.value(), self.text.iter().position(|byte| *byte == b'=').filter(|_| is_option)) {
            (Some(value), _) => value.to_vec(),
            (None, Some(at)) => [&self.text[..=at], unknown].concat(),
            (None, None) => unknown.to_vec(),
        }
    }

    /// Returns the path of a program, where it is known.
    pub(super) fn path(&self) -> Option<&Path> {
        self.value().map(|value| Path::new(OsStr::from_bytes(value)))
    }
}
