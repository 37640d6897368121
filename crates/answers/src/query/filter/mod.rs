//! The grammars of `--filter`, `--bulk` and `--logfilter`: what is chosen among jobs, actions and lines of a log.
//!
//! Pure: texts in, what is asked for out. Each grammar is read in two steps: what is written, refused with Oozie's code
//! where Oozie refuses it, and what it means at a moment. Values are taken as they are written, blanks included, as
//! Oozie takes them. Must never know the database or the arguments of a verb.

mod actions;
mod bulk;
mod jobs;
mod log;
pub mod pairs;

pub use actions::ActionsFilter;
pub use actions::Comparison;
pub use bulk::BulkFilter;
pub(crate) use bulk::BulkSelection;
pub use jobs::JobsFilter;
pub use log::Moment;
pub use log::{LogFilter, LogLines, LogSelection};

#[cfg(test)]
mod tests {

    use crate::query::filter::pairs::pair;
    use crate::query::filter::pairs::parts;
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
