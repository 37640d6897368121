//! Which warnings and notes count as errors, and which are not reported.

use std::collections::BTreeSet;

use howdah_words::error::{Class, Error, ErrorCode, Result, Severity, did_you_mean};

/// The word for every warning.
const WARNINGS: &str = "warnings";

/// The user's policy for warnings and notes.
///
/// A code wins over "every warning", and a denied code stays denied even when it is allowed too. The order of the
/// options has no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    allowed: BTreeSet<ErrorCode>,
    denied: BTreeSet<ErrorCode>,
    warnings_denied: bool,
}

impl Policy {
    /// Reads the values of `--allow` and `--deny`.
    ///
    /// # Errors
    /// H0002 for a code that does not exist, or that is always an error.
    pub fn parse<'a>(
        allow: impl IntoIterator<Item = &'a str>,
        deny: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let mut policy = Self::default();
        for word in allow {
            policy.allowed.insert(code("--allow", word)?);
        }
        for word in deny {
            if word == WARNINGS {
                policy.warnings_denied = true;
            } else {
                policy.denied.insert(code("--deny", word)?);
            }
        }
        Ok(policy)
    }

    /// Returns the problems to report, each with the severity that it has for this user.
    pub fn apply(&self, problems: Vec<Error>) -> Vec<Error> {
        problems.into_iter().filter_map(|problem| self.adjust_severity(problem)).collect()
    }

    fn adjust_severity(&self, problem: Error) -> Option<Error> {
        let code = problem.code();
        let denied_with_all = self.warnings_denied && problem.severity() == Severity::Warning;
        if !problem.is_warning() {
            Some(problem)
        } else if self.denied.contains(&code) {
            Some(problem.denied())
        } else if self.allowed.contains(&code) {
            None
        } else {
            Some(if denied_with_all { problem.denied() } else { problem })
        }
    }
}

/// Reads the code of a warning or a note.
fn code(option: &str, word: &str) -> Result<ErrorCode> {
    let refuse =
        |why: &str, help: String| Err(Error::new(ErrorCode::H0002, format!("{option} {word}: {why}")).help(help));
    let changeable = || ErrorCode::ALL.iter().filter(|code| matches!(code.class(), Class::Warning | Class::Note));
    match ErrorCode::ALL.iter().find(|code| code.as_str() == word) {
        Some(code) if changeable().any(|found| found == code) => Ok(*code),
        Some(_) if option == "--deny" => refuse("this is an error already", "leave it out".to_owned()),
        Some(_) => {
            refuse("errors cannot be allowed", "only warnings and notes can, whose codes start with W".to_owned())
        }
        None if word == WARNINGS => {
            refuse("warnings are allowed one by one", format!("name codes, such as {option} W0105"))
        }
        None => {
            let words = changeable().map(|code| code.as_str()).chain((option == "--deny").then_some(WARNINGS));
            let help = match did_you_mean(word, words) {
                Some(near) => format!("did you mean {near}?"),
                None => "the codes are listed in the manual: man howdah-validate".to_owned(),
            };
            refuse("there is no such code", help)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a policy to a warning, a warning and an error.
    fn check(allow: &[&str], deny: &[&str], expect: &str) {
        let reported = match Policy::parse(allow.iter().copied(), deny.iter().copied()) {
            Ok(policy) => {
                let problems = [ErrorCode::W0101, ErrorCode::W0105, ErrorCode::E0700].map(|code| Error::new(code, "x"));
                let reported = policy.apply(problems.into());
                let reported =
                    reported.iter().map(|problem| format!("{}={}", problem.code(), problem.severity().as_str()));
                reported.collect::<Vec<_>>().join(" ")
            }
            Err(error) => format!("{} ({})", error.message(), error.help_text().unwrap_or_default()),
        };
        assert_eq!(reported, expect, "{allow:?} {deny:?}");
    }

    #[test]
    fn adjusts_severity_by_code() {
        check(&[], &[], "W0101=warning W0105=warning E0700=error");
        check(&["W0105"], &[], "W0101=warning E0700=error");
        check(&[], &["W0105"], "W0101=warning W0105=error E0700=error");
        check(&[], &["warnings"], "W0101=error W0105=error E0700=error");
    }

    #[test]
    fn a_code_wins_over_all_warnings_and_denied_over_allowed() {
        check(&["W0101"], &["warnings"], "W0105=error E0700=error");
        check(&["W0101"], &["W0101"], "W0101=error W0105=warning E0700=error");
        check(&["W0101"], &["warnings", "W0101"], "W0101=error W0105=error E0700=error");
    }

    #[test]
    fn refuses_invalid_codes() {
        check(&["w0105"], &[], "--allow w0105: there is no such code (did you mean W0105?)");
        check(&[], &["warning"], "--deny warning: there is no such code (did you mean warnings?)");
        check(
            &["E9999999"],
            &[],
            "--allow E9999999: there is no such code (the codes are listed in the manual: man howdah-validate)",
        );
        check(
            &["E0700"],
            &[],
            "--allow E0700: errors cannot be allowed (only warnings and notes can, whose codes start with W)",
        );
        check(&[], &["E0700"], "--deny E0700: this is an error already (leave it out)");
        check(
            &["warnings"],
            &[],
            "--allow warnings: warnings are allowed one by one (name codes, such as --allow W0105)",
        );
    }
}
