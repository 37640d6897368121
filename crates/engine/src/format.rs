//! Formats times, durations and paths, for people, programs and shells.
//!
//! Used by steps, verbs and views, for reasons of events and for tables. Must not read a clock or depend on jobs.

use std::sync::OnceLock;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use howdah_calendar::notation::Notation;
use howdah_calendar::{DatetimeError, ProcessingZone};
use howdah_host::session::Session;
use howdah_host::shell_word;
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

pub use howdah_calendar::notation::stored_time;

/// The notation of times in a session; set once, before the first time is printed.
#[derive(Debug, Default)]
struct Chosen(OnceLock<Notation>);

/// Makes this session print and read times in the processing time zone; in UTC for programs. Only the first call
/// counts.
pub fn set_notation(processing: ProcessingZone, is_for_programs: bool) {
    Session::current().kept::<Chosen>().0.get_or_init(|| Notation::new(processing, is_for_programs));
}

/// Returns the notation of this session; UTC until it is set.
pub fn notation() -> Notation {
    Session::current().kept::<Chosen>().0.get().copied().unwrap_or(Notation::UTC)
}

/// Returns an instant as people read it everywhere ([`Notation::time`]).
pub fn time(at: Timestamp) -> String {
    notation().time(at)
}

/// Returns a stored instant as [`time`] prints it.
pub fn shown_time(stored: &str) -> String {
    notation().shown_time(stored)
}

/// Returns an instant to the second, for the log.
pub fn time_with_seconds(at: Timestamp) -> String {
    notation().time_with_seconds(at)
}

/// Reads an instant as [`time`] prints it, for people or for programs.
///
/// # Errors
/// As [`ProcessingZone::parse_datetime`].
pub fn read_time(text: &str) -> Result<Timestamp, DatetimeError> {
    notation().read_time(text)
}

/// Reads an instant as [`time_with_seconds`] prints it ([`Notation::read_time_with_seconds`]).
pub fn read_time_with_seconds(text: &str) -> Option<Timestamp> {
    notation().read_time_with_seconds(text)
}

/// Returns a length of time in words, at most two units: `2 h 5 min`.
pub fn in_words(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let two = |large: i64, large_name: &str, small: i64, small_name: &str| match small {
        0 => format!("{large} {large_name}"),
        _ => format!("{large} {large_name} {small} {small_name}"),
    };
    match seconds {
        0..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => two(seconds / MINUTE, "min", seconds % MINUTE, "s"),
        HOUR..DAY => two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "min"),
        _ => two(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
    }
}

/// Returns a path that a shell reads as one word.
pub fn quoted(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%=,".contains(&byte);
    if !path.is_empty() && path.bytes().all(plain) { path.to_owned() } else { shell_word::quoted(path) }
}

/// Returns a path for a URL: every special byte as `%XX`.
pub fn url_encoded(path: &str) -> String {
    /// Bytes that are special in a URL, or not allowed there.
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(path, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        for (path, expect) in [
            ("/data/a_b-1", "/data/a_b-1"),
            ("/a b", "'/a b'"),
            ("/it's", r"'/it'\''s'"),
            ("/tmp/a;b&c.db", "'/tmp/a;b&c.db'"),
        ] {
            assert_eq!(quoted(path), expect);
        }
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn durations_have_at_most_two_units() {
        for (seconds, expect) in [
            (-5, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "1 min 1 s"),
            (3600, "1 h"),
            (7500, "2 h 5 min"),
            (86_400, "1 d"),
            (90_000, "1 d 1 h"),
        ] {
            assert_eq!(in_words(seconds), expect);
        }
    }
}
