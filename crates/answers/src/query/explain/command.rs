//! The commands that an explanation advises.

use std::fmt;

use serde::{Serialize, Serializer};

/// A command to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Arguments of this program.
    Howdah(String),
    /// A command of the shell.
    Shell(String),
}

impl Command {
    /// Adds options that every command of this program must repeat, such as ` --db FILE`.
    pub fn add_options(&mut self, options: &str) {
        match self {
            Self::Howdah(arguments) => arguments.push_str(options),
            Self::Shell(_) => {}
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Howdah(arguments) => write!(f, "howdah {arguments}"),
            Self::Shell(command) => f.write_str(command),
        }
    }
}

impl Serialize for Command {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A command of this program: `own!("info {id}")`.
macro_rules! own {
    ($($arguments:tt)*) => {
        $crate::query::explain::command::Command::Howdah(format!($($arguments)*))
    };
}

pub(crate) use own;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_added_to_commands_of_this_program_alone() {
        let (mut own, mut other) = (own!("info {}", 7), Command::Shell("ls -l /howdah".to_owned()));
        for command in [&mut own, &mut other] {
            command.add_options(" --db x.db");
        }
        assert_eq!((own.to_string(), other.to_string()), ("howdah info 7 --db x.db".into(), "ls -l /howdah".into()));
        assert_eq!(serde_json::to_string(&own).unwrap(), "\"howdah info 7 --db x.db\"");
    }
}
