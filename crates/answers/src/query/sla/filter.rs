//! The filter of `sla list`: the names of Oozie's SLA listing, to what the store is asked for.
//!
//! Pure: texts in, a filter out. Names restrict each other; values of one name, and statuses with commas between them,
//! are alternatives.

use howdah_calendar::ProcessingZone;
use howdah_oozie::sla::selection;
use howdah_store::{Bounds, SlaFilter};
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::status::{SlaEvent, SlaStatus};
use howdah_words::model::time::Timestamp;

/// Names whose values are texts, statuses or patterns.
pub const TEXTS: [&str; 8] =
    ["id", "parent_id", "app_name", "app_type", "user_name", "job_status", "sla_status", "event_status"];

/// The ends of a period of time; `nominal_start` and `nominal_end` are older names of the same.
const TIMES: [&str; 6] = ["nominal", "created", "expectedstart", "expectedend", "actualstart", "actualend"];

/// Durations in milliseconds.
const DURATIONS: [&str; 2] = ["expected_duration", "actual_duration"];

/// Reads the filter of `sla list`.
///
/// # Errors
/// E0401 for a text of another form, an unknown name, or a value that is none.
pub fn read(text: &str, processing: ProcessingZone) -> Result<SlaFilter> {
    let mut filter = SlaFilter::default();
    for (name, values) in selection::filter(text)? {
        let name = name.trim();
        if name.is_empty() {
            return Err(unknown(name));
        }
        for value in &values {
            set(&mut filter, (name, value.trim()), processing)?;
        }
    }
    Ok(filter)
}

fn set(filter: &mut SlaFilter, (name, value): (&str, &str), processing: ProcessingZone) -> Result<()> {
    match name {
        "id" => filter.ids.push(value.to_owned()),
        "parent_id" => filter.parents.push(value.to_owned()),
        "app_name" => filter.app_names.push(pattern(value)),
        "app_type" => filter.subjects.push(pattern(value)),
        "user_name" => filter.users.push(pattern(value)),
        "job_status" => filter.job_statuses.push(pattern(value)),
        "sla_status" => filter.statuses.extend(words(name, value, &all(SlaStatus::ALL, SlaStatus::as_str))?),
        "event_status" => filter.events.extend(words(name, value, &all(SlaEvent::ALL, SlaEvent::as_str))?),
        _ => return bound(filter, (name, value), processing),
    }
    Ok(())
}

/// One end of a period or of a duration.
fn bound(filter: &mut SlaFilter, (name, value): (&str, &str), processing: ProcessingZone) -> Result<()> {
    let (what, end) = name.rsplit_once('_').unwrap_or((name, ""));
    let refuse = |why: &str| Error::plain(ErrorCode::E0401, format!("Invalid SLA filter, {name}: [{value}] is {why}"));
    let number = match end {
        "min" | "max" if DURATIONS.contains(&what) => {
            value.parse().map_err(|_| refuse("no number").help("durations are in milliseconds, such as 60000"))?
        }
        "after" | "before" if TIMES.contains(&what) => {
            time(value, processing).map_err(|help| refuse("no time").help(help))?
        }
        "start" | "end" if what == "nominal" => time(value, processing).map_err(|help| refuse("no time").help(help))?,
        _ => return Err(unknown(name)),
    };
    let bounds = match what {
        "nominal" => &mut filter.nominal,
        "created" => &mut filter.created,
        "expectedstart" => &mut filter.expected_start,
        "expectedend" => &mut filter.expected_end,
        "actualstart" => &mut filter.actual_start,
        "actualend" => &mut filter.actual_end,
        "expected_duration" => &mut filter.expected_duration,
        _ => &mut filter.actual_duration,
    };
    narrow(bounds, matches!(end, "after" | "start" | "min").then_some(number), number);
    Ok(())
}

/// Takes the narrower of two bounds: a lower one, `from`, or an upper one.
fn narrow(bounds: &mut Bounds, from: Option<i64>, until: i64) {
    match from {
        Some(from) => bounds.from = bounds.from.max(Some(from)),
        None => bounds.until = Some(bounds.until.map_or(until, |old| old.min(until))),
    }
}

fn time(value: &str, processing: ProcessingZone) -> std::result::Result<i64, String> {
    processing.parse_datetime(value).map(Timestamp::seconds).map_err(|error| error.help())
}

/// The words of a list of statuses.
fn all<T: Copy>(list: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    list.iter().copied().map(word).collect()
}

/// Statuses with commas between them, any of which is enough.
fn words(name: &str, value: &str, known: &[&str]) -> Result<Vec<String>> {
    let word = |word: &str| {
        let word = word.trim().to_ascii_uppercase();
        if known.contains(&word.as_str()) {
            return Ok(word);
        }
        let help = one_of(&word, known);
        Err(Error::plain(ErrorCode::E0401, format!("Invalid SLA filter, {name}: [{word}] is none")).help(help))
    };
    value.split(',').map(word).collect()
}

/// Oozie's pattern, in which `%` stands for any text and `_` for one character, as SQLite's.
fn pattern(value: &str) -> String {
    let letter = |letter: char| match letter {
        '%' => "*".to_owned(),
        '_' => "?".to_owned(),
        '*' | '?' | '[' => format!("[{letter}]"),
        letter => letter.to_string(),
    };
    value.chars().map(letter).collect()
}

fn unknown(name: &str) -> Error {
    let times = TIMES.iter().flat_map(|name| [format!("{name}_after"), format!("{name}_before")]);
    let durations = DURATIONS.iter().flat_map(|name| [format!("{name}_min"), format!("{name}_max")]);
    let names: Vec<String> = TEXTS.iter().map(|name| (*name).to_owned()).chain(times).chain(durations).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Error::plain(ErrorCode::E0401, format!("Invalid SLA filter: there is no name [{name}]")).help(one_of(name, &names))
}

fn one_of(given: &str, words: &[&str]) -> String {
    match did_you_mean(given, words.iter().copied()) {
        Some(word) => format!("did you mean {word}?"),
        None => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let shown = match read(text, ProcessingZone::UTC) {
            Ok(filter) => format!("{filter:?}"),
            Err(error) => format!("{error} ({})", error.help_text().unwrap_or_default()),
        };
        assert!(shown.contains(expect), "{text}: {shown}");
    }

    #[test]
    fn every_name_of_oozie_is_known() {
        check("id=a;id=b;parent_id=c", r#"ids: ["a", "b"], parents: ["c"]"#);
        check("app_name=my_app*%", r#"app_names: ["my?app[*]*"]"#);
        check("sla_status=met,Miss;event_status=END_MISS", r#"statuses: ["MET", "MISS"], events: ["END_MISS"]"#);
        for name in TIMES {
            check(&format!("{name}_after=1970-01-01T00:01Z"), "Bounds { from: Some(60), until: None }");
            check(&format!("{name}_before=1970-01-01T00:01Z"), "Bounds { from: None, until: Some(60) }");
        }
        for name in DURATIONS {
            check(&format!("{name}_min=5;{name}_max=9"), "Bounds { from: Some(5), until: Some(9) }");
        }
        check(
            "nominal_start=1970-01-01T00:01Z;nominal_after=1970-01-01T00:00Z;nominal_end=1970-01-01T00:02Z",
            "nominal: Bounds { from: Some(60), until: Some(120) }",
        );
    }

    #[test]
    fn what_is_none_is_refused_with_help() {
        check("appname=x", "did you mean app_name?");
        check("sla_status=LATE", "one of NOT_STARTED, IN_PROCESS, MET, MISS");
        check("event_status=END_MIS", "did you mean END_MISS?");
        check("nominal_after=today", "[today] is no time");
        check("actual_duration_min=1h", "durations are in milliseconds");
        check("id", "E0401");
    }
}
