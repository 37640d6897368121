//! The grammars of `--filter`, `--bulk` and `--logfilter`: what is chosen among jobs, actions and lines of a log.
//!
//! Pure: texts in, what is asked for out. Each grammar is read in two steps: what is written, refused with Oozie's code
//! where Oozie refuses it, and what it means at a moment. Values are taken as they are written, blanks included, as
//! Oozie takes them. Must never know the database or the arguments of a verb.

mod actions;
mod bulk;
mod jobs;
mod log;

pub(crate) use actions::ActionsFilter;
#[cfg(feature = "internals")]
pub(crate) use actions::Comparison;
pub(crate) use bulk::{BulkFilter, BulkSelection};
pub(crate) use jobs::JobsFilter;
#[cfg(feature = "internals")]
pub(crate) use log::Moment;
pub(crate) use log::{LogFilter, LogLines, LogSelection};

use crate::error::did_you_mean;

/// Why a part is no pair, in Oozie's words.
const NO_PAIR: &str = "elements must be semicolon-separated name=value pairs";

/// The parts between semicolons; nothing between two of them is no part.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').filter(|part| !part.is_empty())
}

/// Name and value of a part with one `=` that has something behind it; equals signs that end the part do not count.
fn pair(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.trim_end_matches('=').split_once('=')?;
    (!value.contains('=')).then_some((name, value))
}

/// Advice for a word that is none of `words`: the near miss, or all of them.
fn one_of(given: &str, words: &[&str]) -> String {
    match did_you_mean(given.trim(), words.iter().copied()) {
        Some(word) => format!("did you mean {word}?"),
        None => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_equals_sign_and_a_value() {
        let check = |part: &str, expect: Option<(&str, &str)>| assert_eq!(pair(part), expect, "{part}");
        check("name=a", Some(("name", "a")));
        check("name= a ", Some(("name", " a ")));
        check("=a", Some(("", "a")));
        check("a=b=", Some(("a", "b")));
        for part in ["name", "name=", "name==a", "name=a=b", "="] {
            check(part, None);
        }
    }

    #[test]
    fn nothing_between_semicolons_is_no_part() {
        assert_eq!(parts(";a;; ;b;").collect::<Vec<_>>(), ["a", " ", "b"]);
    }
}
