//! Command lines of Oozie's habit, such as `job -info ID`: which command of howdah they mean.
//!
//! Only a command line that is wrong comes here, and only a command that howdah accepts is named.

use std::ffi::OsString;

use howdah_engine::format::quoted;

/// What a word or an option of Oozie's command line is in howdah.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// It names a verb on the job that is its value.
    OfJob(Verb),
    /// It names a verb without a job.
    Alone(Verb),
    /// An option with the same value.
    Valued(&'static str),
    /// An option without a value.
    Flag(&'static str),
    /// It has no meaning here, with its value.
    DroppedWithValue,
    /// It has no meaning here, and no value.
    Dropped,
}

/// A verb of howdah.
#[derive(Clone, Copy, Debug)]
struct Verb {
    words: &'static str,
    /// What always follows.
    options: &'static str,
    /// What to know besides.
    note: &'static str,
}

const fn verb(words: &'static str, options: &'static str) -> Verb {
    Verb { words, options, note: "" }
}

/// What stands for the job where none is given.
const JOB: &str = "JOB";

/// The verbs that take a file of properties.
const WITH_PROPERTIES: [&str; 3] = ["submit", "run", "dryrun"];

/// The options of `rerun` that choose actions of any job, and a choice of jobs for them.
const CHOICES: [&str; 4] = ["--status", "--since", "--failed", "--max"];
const FAILED_JOBS: &str = "status=RUNNINGWITHERROR;status=DONEWITHERROR";

/// What stands for the properties of a job where none are given.
const PROPERTIES: &str = "-c job.properties";

/// First words that are no verbs of howdah.
const WORDS: &[(&str, Meaning)] = &[
    ("job", Meaning::Dropped),
    ("admin", Meaning::Dropped),
    ("version", Meaning::Alone(verb("--version", ""))),
    ("start", Meaning::OfJob(Verb { words: "resume", options: "", note: "a submitted job starts by itself" })),
    ("stop", Meaning::OfJob(Verb { words: "kill", options: "", note: "`howdah suspend` stops it for a time" })),
    ("list", Meaning::Alone(verb("jobs", ""))),
    ("ls", Meaning::Alone(verb("jobs", ""))),
];

/// Options with one hyphen; those that are missing here are taken for options of howdah with two.
const OPTIONS: &[(&str, Meaning)] = &[
    // `job`
    ("run", Meaning::Alone(verb("submit", ""))),
    ("submit", Meaning::Alone(verb("submit", ""))),
    ("dryrun", Meaning::Alone(verb("dryrun", ""))),
    ("start", Meaning::OfJob(Verb { words: "info", options: "", note: "a submitted job starts by itself" })),
    ("info", Meaning::OfJob(verb("info", ""))),
    ("kill", Meaning::OfJob(verb("kill", ""))),
    ("suspend", Meaning::OfJob(verb("suspend", ""))),
    ("resume", Meaning::OfJob(verb("resume", ""))),
    ("change", Meaning::OfJob(verb("change", ""))),
    ("ignore", Meaning::OfJob(verb("ignore", ""))),
    ("rerun", Meaning::OfJob(verb("rerun", ""))),
    ("update", Meaning::OfJob(verb("update", ""))),
    ("poll", Meaning::OfJob(verb("poll", ""))),
    ("log", Meaning::OfJob(verb("log", ""))),
    ("errorlog", Meaning::OfJob(verb("log", "--stderr"))),
    ("auditlog", Meaning::OfJob(verb("log", "--audit"))),
    ("definition", Meaning::OfJob(verb("info", "--definition"))),
    ("configcontent", Meaning::OfJob(verb("info", "--configuration"))),
    ("missingdeps", Meaning::OfJob(verb("explain", ""))),
    ("slaenable", Meaning::OfJob(verb("sla enable", ""))),
    ("sladisable", Meaning::OfJob(verb("sla disable", ""))),
    ("slachange", Meaning::OfJob(verb("sla change", ""))),
    ("config", Meaning::Valued("-c")),
    ("action", Meaning::Valued("--action")),
    ("date", Meaning::Valued("--date")),
    ("value", Meaning::Valued("--value")),
    ("coordinator", Meaning::Valued("--coordinator")),
    ("logfilter", Meaning::Valued("--logfilter")),
    ("order", Meaning::Valued("--order")),
    ("interval", Meaning::Valued("--interval")),
    ("timeout", Meaning::Valued("--timeout")),
    // `jobs`, `sla`
    ("jobtype", Meaning::Valued("--jobtype")),
    ("filter", Meaning::Valued("--filter")),
    ("bulk", Meaning::Valued("--bulk")),
    ("len", Meaning::Valued("--len")),
    ("offset", Meaning::Valued("--offset")),
    ("timezone", Meaning::Valued("--timezone")),
    ("localtime", Meaning::Flag("--localtime")),
    // `admin`, `info`
    ("status", Meaning::Alone(verb("status", ""))),
    ("version", Meaning::Alone(verb("--version", ""))),
    ("timezones", Meaning::Alone(verb("time zones", ""))),
    // There is no server, and no login.
    ("oozie", Meaning::DroppedWithValue),
    ("auth", Meaning::DroppedWithValue),
    ("doas", Meaning::DroppedWithValue),
    ("username", Meaning::DroppedWithValue),
    ("password", Meaning::DroppedWithValue),
    ("insecure", Meaning::Dropped),
    ("debug", Meaning::Dropped),
    ("verbose", Meaning::Dropped),
];

/// Options of every verb that have a value.
const GLOBAL_WITH_VALUE: [&str; 4] = ["--db", "--site", "--mount", "--now"];

/// What to write instead of a command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    /// The command, as a shell reads it.
    pub(super) command: String,
    /// What to know besides; may be empty.
    pub(super) note: &'static str,
}

/// Returns the command that a refused command line means, when howdah accepts its words.
pub(super) fn suggestion(arguments: &[OsString], is_accepted: impl Fn(&[String]) -> bool) -> Option<Suggestion> {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str()).collect::<Option<_>>()?;
    let mut rewriting = Rewriting::default();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        rewriting.take(word, &mut words)?;
    }
    let note = rewriting.verb.map_or("", |verb| verb.note);
    let rewritten = rewriting.words()?;
    let rewritten = if is_accepted(&rewritten) { rewritten } else { with_part(&rewritten).unwrap_or(rewritten) };
    let command = rewritten.iter().fold("howdah".to_owned(), |command, word| command + " " + &quoted(word));
    is_accepted(&rewritten).then_some(Suggestion { command, note })
}

/// A command line of howdah in the making.
#[derive(Debug, Default)]
struct Rewriting {
    /// The first word, where it is a verb of howdah.
    own_verb: Option<String>,
    /// The verb that a word or an option of Oozie's names.
    verb: Option<Verb>,
    /// Whether the verb is about a job.
    is_of_job: bool,
    job: Option<String>,
    rest: Vec<String>,
    has_first_word: bool,
}

impl Rewriting {
    /// Takes a word, with its value from the following words; `None` when there is no such value.
    fn take<'a>(&mut self, word: &'a str, next: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<()> {
        if GLOBAL_WITH_VALUE.contains(&word) {
            self.rest.extend([word.to_owned(), next.next()?.to_owned()]);
            return Some(());
        }
        if !word.starts_with('-') && !self.has_first_word {
            self.take_first_word(word);
            return Some(());
        }
        if word.trim_start_matches('-') == "watch"
            && let Some(interval) = next.next_if(|value| value.starts_with(|first: char| first.is_ascii_digit()))
        {
            self.rest.push(format!("--watch={interval}"));
            return Some(());
        }
        if self.is_of_job && self.job.is_none() && !word.starts_with('-') {
            self.job = Some(word.to_owned());
            return Some(());
        }
        match option(word) {
            // `job -update ID -dryrun`
            Some(Meaning::Alone(verb)) if verb.words == "dryrun" && self.has_verb() => {
                self.rest.push("--dry-run".to_owned());
            }
            Some(Meaning::Alone(verb)) => self.verb = Some(verb),
            Some(Meaning::OfJob(verb)) => {
                self.verb = Some(verb);
                self.is_of_job = true;
                self.job = next.next_if(|value| !value.starts_with('-')).map(str::to_owned);
            }
            Some(Meaning::Valued(name)) => self.rest.extend([name.to_owned(), next.next()?.to_owned()]),
            Some(Meaning::Flag(name)) => self.rest.push(name.to_owned()),
            Some(Meaning::DroppedWithValue) => drop(next.next()?),
            Some(Meaning::Dropped) => {}
            None if is_long_with_one_hyphen(word) => self.rest.push(format!("-{word}")),
            None => self.rest.push(word.to_owned()),
        }
        Some(())
    }

    fn take_first_word(&mut self, word: &str) {
        self.has_first_word = true;
        match WORDS.iter().find(|(name, _)| *name == word) {
            Some((_, Meaning::Alone(verb))) => self.verb = Some(*verb),
            Some((_, Meaning::OfJob(verb))) => (self.verb, self.is_of_job) = (Some(*verb), true),
            Some(_) => {}
            None => self.own_verb = Some(word.to_owned()),
        }
    }

    fn has_verb(&self) -> bool {
        self.verb.is_some() || self.own_verb.is_some()
    }

    /// Returns the words of the command; `None` without a verb.
    fn words(self) -> Option<Vec<String>> {
        let split = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let Some(verb) = self.verb else {
            return self.own_words();
        };
        let has = |names: &[&str]| self.rest.iter().any(|word| names.iter().any(|name| word.starts_with(name)));
        let mut words = split(verb.words);
        match self.job {
            Some(job) => words.push(job),
            // `jobs -kill -filter ...`
            None if self.is_of_job && !has(&["--filter"]) => words.push(JOB.to_owned()),
            None => {}
        }
        words.extend(split(verb.options));
        if matches!(verb.words, "submit" | "dryrun") && !has(&["-c", "-D"]) {
            words.extend(split(PROPERTIES));
        }
        words.extend(self.rest);
        Some(words)
    }
}

/// Writes `info JOB --action 3` as `info JOB@3`: verbs that only show something name an action in this way.
fn with_part(words: &[String]) -> Option<Vec<String>> {
    let at = words.iter().position(|word| word == "--action")?;
    let number = words.get(at + 1).filter(|number| number.parse::<u32>().is_ok())?;
    let mut words = words.to_vec();
    let number = number.clone();
    words.drain(at..at + 2);
    // Behind the verb is the job.
    let job = words.get_mut(1).filter(|job| !job.starts_with('-') && !job.contains('@'))?;
    *job = format!("{job}@{number}");
    Some(words)
}

impl Rewriting {
    /// Returns the words of a command that begins with a verb of howdah.
    fn own_words(self) -> Option<Vec<String>> {
        let own = self.own_verb?;
        let has = |names: &[&str]| self.rest.iter().any(|word| names.iter().any(|name| word.starts_with(name)));
        let has_jobs = self.rest.first().is_some_and(|word| !word.starts_with('-'));
        let mut rest = Vec::new();
        if own == "rerun" && has(&CHOICES) && !has_jobs && !has(&["--filter"]) {
            rest.extend(["--filter", FAILED_JOBS].map(str::to_owned));
        }
        let takes_properties = WITH_PROPERTIES.contains(&own.as_str()) && !has(&["-c", "--config"]);
        for word in self.rest {
            let is_file = matches!(word.rsplit_once('.'), Some((_, "properties" | "xml")));
            if takes_properties && is_file && !word.starts_with('-') {
                rest.push("-c".to_owned());
            }
            rest.push(word);
        }
        Some(std::iter::once(own).chain(rest).collect())
    }
}

fn option(word: &str) -> Option<Meaning> {
    let name = word.strip_prefix('-')?;
    OPTIONS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}

/// Checks for an option of howdah with one hyphen too few, such as `-json`.
fn is_long_with_one_hyphen(word: &str) -> bool {
    let name = word.strip_prefix('-').unwrap_or_default();
    name.len() > 2
        && !name.starts_with(['-', 'D'])
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, is_accepted};

    fn check(line: &str, expect: Option<&str>) {
        let arguments = || std::iter::once("howdah").chain(line.split_whitespace());
        assert!(Cli::try_parse_from(arguments()).is_err(), "howdah accepts [{line}]");
        let words: Vec<OsString> = arguments().map(OsString::from).collect();
        let found = suggestion(&words, is_accepted).map(|suggestion| suggestion.command);
        assert_eq!(found.as_deref(), expect, "{line}");
    }

    #[test]
    fn every_habit_has_a_command_that_is_accepted() {
        for (line, expect) in [
            ("job -info ID", "info ID"),
            ("job -oozie http://h:11000/oozie -config job.properties -run", "submit -c job.properties"),
            ("job -config job.properties -D a=b -submit", "submit -c job.properties -D a=b"),
            ("job -run", "submit -c job.properties"),
            ("job -dryrun -config job.properties", "dryrun -c job.properties"),
            ("job -start ID", "info ID"),
            ("job -kill ID", "kill ID"),
            ("job -kill", "kill JOB"),
            ("job -kill ID -action 1-3", "kill ID --action 1-3"),
            ("job -suspend ID", "suspend ID"),
            ("job -resume ID", "resume ID"),
            ("job -change ID -value concurrency=3", "change ID --value concurrency=3"),
            ("job -ignore ID -action 1", "ignore ID --action 1"),
            ("job -rerun ID -action 1-3 -nocleanup -refresh", "rerun ID --action 1-3 --nocleanup --refresh"),
            ("job -rerun ID -date 2026-03-01T00:00Z", "rerun ID --date 2026-03-01T00:00Z"),
            ("job -rerun ID -coordinator a,b", "rerun ID --coordinator a,b"),
            ("job -update ID -config job.properties -dryrun", "update ID -c job.properties --dry-run"),
            ("job -poll ID -interval 1 -timeout 5", "poll ID --interval 1 --timeout 5"),
            ("job -log ID -logfilter recent=1h", "log ID --logfilter recent=1h"),
            ("job -errorlog ID", "log ID --stderr"),
            ("job -auditlog ID", "log ID --audit"),
            ("job -definition ID", "info ID --definition"),
            ("job -configcontent ID", "info ID --configuration"),
            ("job -info ID -len 5 -order desc -localtime -verbose", "info ID --len 5 --order desc --localtime"),
            ("job -missingdeps ID", "explain ID"),
            ("info ID -action 3", "info ID@3"),
            ("job -info ID -action 3 -verbose", "info ID@3"),
            ("explain ID -action 3", "explain ID@3"),
            ("validate -config job.properties", "validate -c job.properties"),
            ("job -slaenable ID -action 1", "sla enable ID --action 1"),
            ("job -slachange ID -value sla-should-end=60", "sla change ID --value sla-should-end=60"),
            ("--db x.db job -info ID", "info ID --db x.db"),
            ("jobs -jobtype coordinator -filter status=RUNNING", "jobs --jobtype coordinator --filter status=RUNNING"),
            ("jobs -oozie http://h -len 5 -timezone UTC", "jobs --len 5 --timezone UTC"),
            ("jobs -kill -filter name=x", "kill --filter name=x"),
            ("jobs -json", "jobs --json"),
            ("sla list -filter id=x", "sla list --filter id=x"),
            ("version", "--version"),
            ("list", "jobs"),
            ("admin -oozie http://h -status", "status"),
            ("admin -version", "--version"),
            ("info -timezones", "time zones"),
            ("validate -oozie http://h app.xml", "validate app.xml"),
            ("submit -config job.properties", "submit -c job.properties"),
            ("rerun ID -action 1-3", "rerun ID --action 1-3"),
            ("start ID", "resume ID"),
            ("stop ID", "kill ID"),
            ("stop", "kill JOB"),
            ("submit job.properties", "submit -c job.properties"),
            ("run a.properties b.properties", "run -c a.properties -c b.properties"),
            ("jobs --watch 5s", "jobs --watch=5s"),
            ("status -watch 1m --quiet", "status --watch=1m --quiet"),
            (
                "rerun --status failed --since 24h",
                "rerun --filter 'status=RUNNINGWITHERROR;status=DONEWITHERROR' --status failed --since 24h",
            ),
        ] {
            check(line, Some(&format!("howdah {expect}")));
        }
    }

    #[test]
    fn what_means_no_command_has_no_suggestion() {
        for line in ["job", "job ID", "job -info", "frobnicate", "info", "jobs --unknown", "job -config", "jobs -len"] {
            let expect = (line == "job -info").then_some("howdah info JOB");
            check(line, expect);
        }
    }
}
