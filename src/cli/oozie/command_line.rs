//! Reads the words of Oozie's command line as its parser (commons-cli) does.
//!
//! Options have one or two hyphens, come in any order and may be repeated; the first value counts. A value follows as
//! the next word or after `=`. Must not depend on what an option means.

use crate::cli::oozie::options::{OptionKind, SUB_COMMANDS, SubCommand, Values};

/// A command line that was read.
#[derive(Clone, Debug)]
pub(super) struct CommandLine {
    pub(super) sub_command: SubCommand,
    given: Vec<(OptionKind, Vec<String>)>,
    pub(super) arguments: Vec<String>,
}

impl CommandLine {
    /// Reads the words after the name of the program.
    ///
    /// # Errors
    /// A sentence for a command line that Oozie refuses.
    pub(super) fn parse(words: &[String]) -> Result<Self, String> {
        // Definitions before the sub-command are for the Java machine.
        let words = &words[words.iter().take_while(|word| word.starts_with("-D")).count()..];
        let (name, rest) = words.split_first().ok_or_else(|| "missing sub-command".to_owned())?;
        let sub_command = SUB_COMMANDS.iter().find(|command| command.name == name);
        let sub_command = *sub_command.ok_or_else(|| format!("invalid sub-command [{name}]"))?;
        let tokens = Tokens { sub_command }.split(rest);
        let mut line = Self { sub_command, given: Vec::new(), arguments: Vec::new() };
        line.read(tokens)?;
        line.check_actions()?;
        Ok(line)
    }

    fn read(&mut self, tokens: Vec<String>) -> Result<(), String> {
        let mut tokens = tokens.into_iter().peekable();
        let mut only_arguments = false;
        while let Some(token) = tokens.next() {
            let is_option = token.starts_with('-') && token != "-" && token != "--";
            if only_arguments || !is_option {
                only_arguments |= token == "--" || self.sub_command.has_arguments;
                self.arguments.extend((token != "--").then_some(token));
                continue;
            }
            let Some(kind) = find(self.sub_command, &token) else {
                if self.sub_command.has_arguments {
                    only_arguments = true;
                    self.arguments.push(token);
                    continue;
                }
                return Err(format!("Unrecognized option: {token}"));
            };
            let mut values = Vec::new();
            while room(kind.values, values.len())
                && let Some(value) = tokens.next_if(|token| find(self.sub_command, token).is_none())
            {
                add_value(kind.values, unquoted(&value), &mut values);
            }
            if values.is_empty() && kind.values != Values::None {
                return Err(format!("Missing argument for option: {}", kind.name));
            }
            self.given.push((kind, values));
        }
        Ok(())
    }

    /// Checks that one action is given, and no other one with it.
    fn check_actions(&self) -> Result<(), String> {
        let actions = self.sub_command.actions;
        let mut given = self.given.iter().map(|(kind, _)| kind.name).filter(|name| actions.contains(name));
        match given.next() {
            Some(first) => match given.find(|name| *name != first) {
                Some(other) => Err(format!(
                    "The option '{other}' was specified but an option from this group has already been selected: \
                     '{first}'"
                )),
                None => Ok(()),
            },
            None if actions.is_empty() || self.has("dryrun") => Ok(()),
            None => {
                let options = self.sub_command.options().filter(|option| actions.contains(&option.name));
                let all: Vec<String> =
                    options.map(|option| format!("-{} {}", option.name, option.description)).collect();
                Err(format!("Missing required option: [{}]", all.join(", ")))
            }
        }
    }

    /// Returns whether an option was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(kind, _)| kind.name == name)
    }

    /// Returns the first value of an option.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(kind, _)| kind.name == name)?.1.first().map(String::as_str)
    }

    /// Returns all values of an option that may be given several times.
    pub(super) fn values(&self, name: &str) -> Vec<String> {
        self.given.iter().filter(|(kind, _)| kind.name == name).flat_map(|(_, values)| values.clone()).collect()
    }

    /// Returns the value of an option that is a number.
    ///
    /// # Errors
    /// Java's sentence for a text that is not a number.
    pub(super) fn number(&self, name: &str) -> Result<Option<i32>, String> {
        let parse = |text: &str| text.parse().map_err(|_| format!("For input string: \"{text}\""));
        self.value(name).map(parse).transpose()
    }

    /// Returns the definitions of `-D` as `name=value`.
    pub(super) fn definitions(&self) -> Vec<String> {
        self.pairs("D")
    }

    /// Returns the pairs of an option as `name=value`.
    pub(super) fn pairs(&self, option: &str) -> Vec<String> {
        let definitions = self.given.iter().filter(|(kind, _)| kind.name == option);
        let written = definitions.filter_map(|(_, values)| match &values[..] {
            [name, value, ..] => Some(format!("{name}={value}")),
            // A name alone is a switch.
            [name] => Some(format!("{name}=true")),
            [] => None,
        });
        written.collect()
    }
}

/// Returns whether an option takes another value.
const fn room(values: Values, taken: usize) -> bool {
    match values {
        Values::None => false,
        Values::One => taken == 0,
        Values::Pair => taken < 2,
        Values::Many => true,
    }
}

/// Adds one word to the values of an option; a word of a pair may contain both.
fn add_value(kind: Values, word: &str, values: &mut Vec<String>) {
    match word.split_once('=').filter(|_| kind == Values::Pair && values.is_empty()) {
        Some((name, value)) => values.extend([name.to_owned(), value.to_owned()]),
        None => values.push(word.to_owned()),
    }
}

/// Returns a value without quotation marks around it.
fn unquoted(value: &str) -> &str {
    let value = value.strip_prefix('"').unwrap_or(value);
    value.strip_suffix('"').unwrap_or(value)
}

/// Returns the option that a word names, with one hyphen or two.
fn find(sub_command: SubCommand, word: &str) -> Option<OptionKind> {
    let name = word.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    sub_command.options().find(|option| option.name == name).copied()
}

/// Splits words that contain an option and its value.
struct Tokens {
    sub_command: SubCommand,
}

impl Tokens {
    fn split(&self, words: &[String]) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let is_option = word.starts_with('-') && word.len() > 1;
            if word == "--" || (is_option && !self.add_option(word, &mut tokens)) {
                tokens.push(word.clone());
                if word == "--" || self.sub_command.has_arguments {
                    tokens.extend(rest.by_ref().cloned());
                }
            } else if !is_option {
                tokens.push(word.clone());
            }
        }
        tokens
    }

    /// Adds the tokens of a word that is an option: `-info`, `-oozie=URL`, `-Dname=value`; returns whether it is one.
    fn add_option(&self, word: &str, tokens: &mut Vec<String>) -> bool {
        if find(self.sub_command, word).is_some() {
            tokens.push(word.to_owned());
            return true;
        }
        if let Some((option, value)) = word.split_once('=')
            && find(self.sub_command, option).is_some()
        {
            tokens.extend([option.to_owned(), value.to_owned()]);
            return true;
        }
        match word.split_at_checked(2) {
            Some((option, value)) if find(self.sub_command, option).is_some() => {
                tokens.extend([option.to_owned(), value.to_owned()]);
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<CommandLine, String> {
        CommandLine::parse(&line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_spelling_that_scripts_use() {
        for line in [
            "job -oozie http://h:11000/oozie -config job.properties -run",
            "job --oozie http://h:11000/oozie --config job.properties --run",
            "job -oozie=http://h:11000/oozie -config=job.properties -run",
            "job -run -run -config job.properties -config other.properties -oozie http://h:11000/oozie",
            "-Dheader:a=b job -auth KERBEROS -doas joe -insecure -debug -oozie http://h:11000/oozie \
             -config \"job.properties\" -run",
        ] {
            let line = parse(line).unwrap();
            assert_eq!(line.value("config"), Some("job.properties"), "{line:?}");
            assert_eq!(line.value("oozie"), Some("http://h:11000/oozie"), "{line:?}");
            assert!(line.has("run") && !line.has("submit"), "{line:?}");
        }
    }

    #[test]
    fn definitions_in_three_forms() {
        let line = parse("job -run -Da=b -D c=d=e -D f g -D h= -D i").unwrap();
        assert_eq!(line.definitions(), ["a=b", "c=d=e", "f=g", "h=", "i=true"]);
        let line = parse("job -D oozie.wf.rerun.failnodes=true -rerun 1-W").unwrap();
        assert_eq!(
            (line.definitions(), line.value("rerun")),
            (vec!["oozie.wf.rerun.failnodes=true".into()], Some("1-W"))
        );
    }

    #[test]
    fn values_may_begin_with_a_hyphen() {
        let line = parse("job -poll 1-W -timeout -1").unwrap();
        assert_eq!(line.number("timeout"), Ok(Some(-1)));
        let error = parse("jobs -len x").unwrap().number("len").unwrap_err();
        assert_eq!(error, "For input string: \"x\"");
    }

    #[test]
    fn refusals_have_the_words_of_oozie() {
        for (line, expect) in [
            ("", "missing sub-command"),
            ("frobnicate", "invalid sub-command [frobnicate]"),
            ("job -bogus", "Unrecognized option: -bogus"),
            ("job -info", "Missing argument for option: info"),
            ("job -info -verbose", "Missing argument for option: info"),
            ("job -kill 1-W -info 1-W", "The option 'info' was specified but an option from this group has already"),
            ("job -verbose", "Missing required option: [-submit submit a job, -start start a job, -run run a job,"),
            ("jobs -info x", "Unrecognized option: -info"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.starts_with(expect), "{line}: {error}");
        }
    }

    #[test]
    fn arguments_of_files_and_of_other_programs() {
        assert_eq!(parse("validate -oozie u a.xml").unwrap().arguments, ["a.xml"]);
        assert_eq!(parse("pig -config a.properties -file b -X -param x").unwrap().arguments, ["-X", "-param", "x"]);
        assert_eq!(parse("job -info 1-W left over").unwrap().arguments, ["left", "over"]);
        assert!(parse("job -update 1-C -dryrun").is_ok() && parse("job -dryrun -config a.properties").is_ok());
    }
}
