//! `oozie help`: the sub-commands and their options.

use std::fmt::Write as _;

use crate::cli::oozie::options::{OptionKind, SUB_COMMANDS, SubCommand, Values};

/// What precedes the list of all sub-commands.
const USAGE: &str = "\
usage:
      the env variable 'OOZIE_TIMEZONE' is used as default value for the '-timezone' option
      there is no server: '-oozie', 'OOZIE_URL', '-auth' and 'OOZIE_AUTH' have no effect

";

/// Returns the help on one sub-command, or on all.
pub(super) fn help(name: Option<&str>) -> String {
    let one = name.and_then(|name| SUB_COMMANDS.iter().find(|command| command.name == name));
    match one {
        Some(command) => of_command(command),
        None => SUB_COMMANDS.iter().map(of_command).fold(USAGE.to_owned(), |text, command| text + &command + "\n"),
    }
}

fn of_command(command: &SubCommand) -> String {
    let start = format!("oozie {} ", command.name);
    let options = if command.options().next().is_none() { "" } else { "<OPTIONS> " };
    let arguments = if command.has_arguments { "<ARGS> " } else { "" };
    let mut text = format!("{start}{options}{arguments}: {}\n", command.description);
    let mut sorted: Vec<&OptionKind> = command.options().collect();
    sorted.sort_by_key(|option| option.name.to_lowercase());
    let names: Vec<String> = sorted.iter().map(|option| written(option)).collect();
    let widest = names.iter().map(String::len).max().unwrap_or(0);
    for (name, option) in names.iter().zip(sorted) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:indent$}{name:<widest$}   {}", "", option.description, indent = start.len());
    }
    text
}

fn written(option: &OptionKind) -> String {
    let name = option.name;
    match option.values {
        Values::None => format!("-{name}"),
        Values::One => format!("-{name} <arg>"),
        Values::Pair => format!("-{name} <property=value>"),
        Values::Many => format!("-{name} <command>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_option() {
        let all = help(None);
        for command in SUB_COMMANDS {
            assert!(all.contains(&format!("oozie {} ", command.name)), "{}", command.name);
            let own = help(Some(command.name));
            for option in command.options() {
                assert!(own.contains(&format!(" -{} ", option.name)), "{} {}", command.name, option.name);
            }
        }
        assert!(help(Some("validate")).starts_with("oozie validate <OPTIONS> <ARGS> : validate a workflow"));
    }
}
