//! The filter of `log`: from when to when, which levels, which text, how many lines.
//!
//! Written as in Oozie: `recent=1h;loglevel=WARN|ERROR;text=revenue;limit=10`. An offset counts from the time at which
//! the job was created: `30m`, `2h`, or a bare number of hours.

use std::fmt;

use crate::query::filter::pairs::one_of;
use howdah_engine::format::{read_time, read_time_with_seconds, time};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{MINUTE, Timestamp};

const NAMES: [&str; 7] = ["start", "end", "recent", "loglevel", "limit", "debug", "text"];

/// The levels that may be asked for.
const LEVELS: [&str; 7] = ["ALL", "DEBUG", "ERROR", "INFO", "TRACE", "WARN", "FATAL"];

/// A moment of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    At(Timestamp),
    /// So many minutes after the job was created.
    Offset(i32),
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => f.write_str(&time(*at)),
            Self::Offset(minutes) => write!(f, "{minutes} min after creation"),
        }
    }
}

/// A filter of a log as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    pub start: Option<Moment>,
    pub end: Option<Moment>,
    /// The last so many minutes.
    pub recent: Option<i32>,
    /// Words of levels with `|` between them.
    pub level: Option<String>,
    /// Most lines; `None` for no limit.
    pub limit: Option<u32>,
    /// Whether the command prints how many lines the filter selected.
    pub debug: bool,
    /// What a line must contain.
    pub text: Option<String>,
}

/// What of a log is wanted; bounds are inclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSelection {
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Empty for every level.
    levels: Vec<String>,
    text: String,
    pub limit: Option<u32>,
}

impl fmt::Display for LogFilter {
    /// What it came to, for the person who asked with `debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.start.map(|start| format!("from {start}")),
            self.end.map(|end| format!("until {end}")),
            self.recent.map(|minutes| format!("the last {minutes} min")),
            self.level.as_ref().map(|level| format!("levels {level}")),
            self.text.as_ref().map(|text| format!("with the text [{text}]")),
            self.limit.map(|limit| format!("at most {limit} lines")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") })
    }
}

impl LogFilter {
    /// The names that may be written.
    pub const NAMES: &[&str] = &NAMES;

    /// Reads the filter.
    ///
    /// # Errors
    /// E0302 with the part that is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let mut filter = Self::default();
        if text.is_empty() || text.eq_ignore_ascii_case("null") {
            return Ok(filter);
        }
        for part in text.trim_end_matches(';').split(';') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name.to_lowercase().as_str() {
                "start" => filter.start = Some(moment(value)?),
                "end" => filter.end = Some(moment(value)?),
                "recent" => filter.recent = Some(offset(value)?),
                "loglevel" => filter.level = level(value)?,
                "limit" => filter.limit = u32::try_from(number(value)?).ok(),
                "debug" => filter.debug = true,
                "text" => filter.text = Some(value.to_owned()),
                _ => return Err(refuse(&format!("Unsupported log filter {name}")).help(one_of(name, &NAMES))),
            }
        }
        Ok(filter)
    }

    /// What is wanted of the log of a job that was created at `created`, asked for at `now`.
    pub fn selection(&self, created: Timestamp, now: Timestamp) -> LogSelection {
        let at = |moment: Moment| match moment {
            Moment::At(at) => at,
            Moment::Offset(minutes) => created + i64::from(minutes) * MINUTE,
        };
        let recent = self.recent.map(|minutes| now - i64::from(minutes) * MINUTE);
        let levels = self.level.as_deref().filter(|level| level.split('|').all(|word| word != "ALL"));
        LogSelection {
            from: self.start.map(at).max(recent),
            until: self.end.map(at),
            levels: levels.map(|level| level.split('|').map(str::to_owned).collect()).unwrap_or_default(),
            text: self.text.clone().unwrap_or_default(),
            limit: self.limit,
        }
    }
}

impl LogSelection {
    /// Whether anything is left out but by time.
    pub fn looks_into_lines(&self) -> bool {
        !self.levels.is_empty() || !self.text.is_empty() || self.limit.is_some()
    }

    /// Whether something that began at `from` and ended at `until` (`None`: has not ended) is within the bounds.
    pub(crate) fn overlaps(&self, from: Timestamp, until: Option<Timestamp>) -> bool {
        let begins_in_time = self.until.is_none_or(|last| from <= last);
        let ends_in_time = self.from.is_none_or(|first| until.is_none_or(|until| until >= first));
        begins_in_time && ends_in_time
    }

    /// Whether a line of a level that contains this text is wanted.
    pub fn wants(&self, level: &str, line: &str) -> bool {
        (self.levels.is_empty() || self.levels.iter().any(|wanted| wanted == level)) && line.contains(&self.text)
    }

    /// The level that a line of output names, such as `ERROR`; `None` for a line that goes on with the one before it.
    pub(crate) fn level_of(line: &str) -> Option<&'static str> {
        let words = line.split(|character: char| !character.is_ascii_alphanumeric());
        // A level stands at the head of a line, behind the time and perhaps a thread.
        words
            .filter(|word| !word.is_empty())
            .take(12)
            .find_map(|word| LEVELS.into_iter().filter(|level| *level != "ALL").find(|level| *level == word))
    }
}

/// Chooses lines of output, one after the other: a line without a level goes on with the one before it.
#[derive(Clone, Debug)]
pub struct LogLines {
    selection: LogSelection,
    going_on: bool,
    shown: u32,
}

impl LogLines {
    /// No line seen yet.
    pub fn new(selection: LogSelection) -> Self {
        Self { selection, going_on: false, shown: 0 }
    }

    /// Whether the next line is wanted.
    pub fn takes(&mut self, line: &str) -> bool {
        self.going_on = match LogSelection::level_of(line) {
            Some(level) => self.selection.wants(level, line),
            None if self.selection.levels.is_empty() => line.contains(&self.selection.text),
            None => self.going_on,
        };
        let takes = self.going_on && !self.is_full();
        self.shown += u32::from(takes);
        takes
    }

    /// Whether as many lines were taken as are wanted.
    pub fn is_full(&self) -> bool {
        self.selection.limit.is_some_and(|limit| self.shown >= limit)
    }
}

fn refuse(why: &str) -> Error {
    Error::new(ErrorCode::E0302, why)
}

/// A datetime, the same with a blank and seconds (of UTC), or an offset.
fn moment(value: &str) -> Result<Moment> {
    if let Ok(at) = read_time(value) {
        return Ok(Moment::At(at));
    }
    match read_time_with_seconds(value) {
        Some(at) => Ok(Moment::At(at)),
        None => offset(value).map(Moment::Offset),
    }
}

/// Minutes of `2h`, `30m`, or of a bare number of hours.
fn offset(value: &str) -> Result<i32> {
    let help = "write a number of hours or minutes, such as 2h or 30m, or a time such as 2026-03-01T00:00Z";
    let hours = |number: &str| self::number(number).map(|number| number.saturating_mul(60));
    let minutes = match value.chars().last() {
        Some('h') => hours(&value[..value.len() - 1]),
        Some('m') => number(&value[..value.len() - 1]),
        Some(last) if last.is_alphabetic() => Err(refuse(&format!("Unsupported offset {value}"))),
        _ if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => hours(value),
        _ => Err(refuse(&format!("Unsupported time : {value}"))),
    };
    minutes.map_err(|error| error.help(help))
}

fn number(value: &str) -> Result<i32> {
    value.parse().map_err(|_| refuse(&format!("For input string: \"{value}\"")).help("write a whole number"))
}

/// The words of a level filter; `None` when there are none.
fn level(value: &str) -> Result<Option<String>> {
    let words = value.trim_end_matches('|');
    for word in words.split('|').filter(|_| !value.is_empty()) {
        if !LEVELS.contains(&word) {
            let why = format!("Supported log level are [{}]", LEVELS.join(", "));
            return Err(refuse(&why).help(one_of(word, &LEVELS)));
        }
    }
    Ok((!words.is_empty()).then(|| words.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATED: Timestamp = Timestamp::from_seconds(1_000_020);
    const NOW: Timestamp = Timestamp::from_seconds(1_010_000);

    /// From, until (both counted from the creation), levels, text, limit; or the refusal.
    fn check(text: &str, expect: &str) {
        let found = match LogFilter::parse(text) {
            Ok(filter) => {
                let selection = filter.selection(CREATED, NOW);
                let bound = |at: Option<Timestamp>| at.map(|at| (at - CREATED).to_string()).unwrap_or_default();
                let limit = selection.limit.map(|limit| limit.to_string()).unwrap_or_default();
                let (from, until) = (bound(selection.from), bound(selection.until));
                format!("{from}|{until}|{}|{}|{limit}", selection.levels.join(","), selection.text)
            }
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expect), "{text}: {found}");
    }

    #[test]
    fn bounds() {
        check("", "||||");
        check("null", "||||");
        check("start=1;end=90m", "3600|5400|");
        check("START=1970-01-12T13:48Z", "60|");
        check("start=1970-01-12 13:48:05", "65|");
        check("recent=30m", &format!("{}|", NOW - CREATED - 1800));
        check("start=2h;recent=1h", "7200|");
        check("start=1970-01-12 13:48:5", "Unsupported time");
        check("recent=x", "Unsupported offset x");
        check("recent=-1", "Unsupported time : -1");
        check("end=", "Unsupported time");
    }

    #[test]
    fn lines() {
        check("loglevel=WARN|ERROR;text=a=b;limit=3", "||WARN,ERROR|a=b|3");
        check("loglevel=ALL|WARN", "||||");
        check("limit=-1;debug", "||||");
        check("limit=x", "For input string: \"x\"");
        check("loglevel=warn", "Supported log level");
        check("loglevel=|WARN", "Supported log level");
        check("lines=3", "Unsupported log filter lines");
        check(";limit=3", "Unsupported log filter");
    }

    #[test]
    fn the_level_stands_at_the_head_of_a_line() {
        for (line, expect) in [
            ("2026-03-01 00:00:01,123 WARN [main] slow", Some("WARN")),
            ("ERROR: no such file", Some("ERROR")),
            ("\tat Main.run(Main.java:3)", None),
            ("an ERRORS file", None),
        ] {
            assert_eq!(LogSelection::level_of(line), expect, "{line}");
        }
    }

    #[test]
    fn a_line_without_a_level_goes_on_with_the_one_before() {
        let selection = LogFilter::parse("loglevel=ERROR;limit=3").unwrap().selection(CREATED, NOW);
        let mut lines = LogLines::new(selection);
        for (line, expect) in [
            ("head", false),
            ("INFO fine", false),
            ("ERROR bad", true),
            ("\tat here", true),
            ("INFO fine", false),
            ("ERROR worse", true),
            ("ERROR worst", false),
        ] {
            assert_eq!(lines.takes(line), expect, "{line}");
        }
        assert!(lines.is_full());
    }

    #[test]
    fn what_overlaps_the_bounds_is_within_them() {
        let at = Timestamp::from_seconds;
        let selection = LogSelection { from: Some(at(10)), until: Some(at(20)), ..LogSelection::default() };
        for (from, until, expect) in
            [(0, Some(9), false), (0, Some(10), true), (0, None, true), (20, None, true), (21, None, false)]
        {
            assert_eq!(selection.overlaps(at(from), until.map(at)), expect, "{from} {until:?}");
        }
    }
}
