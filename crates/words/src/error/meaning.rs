//! What each code means, what to do about it, and an example.
//!
//! The texts are in `codes.txt`, in sections with empty lines between them: the code, its meaning, after `> ` what to
//! do, and indented the example. The message and the advice of a warning come from [`ErrorCode`]. Codes that only nodes
//! have, such as JA018, follow; their messages stand behind the code.

use super::code::{Class, ErrorCode};

const TEXTS: &str = include_str!("codes.txt");

/// How many codes are named for one that does not exist.
const MOST_NEAR: usize = 3;

/// What is known of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeMeaning {
    /// The code as it is printed.
    pub code: &'static str,
    /// Its place in the table of codes; `None` for one that only nodes have.
    pub known: Option<ErrorCode>,
    message: &'static str,
    /// What happened.
    pub meaning: &'static str,
    advice: &'static str,
    /// Lines with the indentation of the file.
    example: &'static str,
}

impl CodeMeaning {
    fn read(section: &'static str) -> Self {
        let (head, body) = section.split_once('\n').unwrap_or((section, ""));
        let (code, message) = head.split_once(" | ").unwrap_or((head, ""));
        let (text, example) = body.split_once("\n    ").unwrap_or((body, ""));
        let (meaning, advice) = text.split_once("\n> ").unwrap_or((text, ""));
        let known = ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code);
        Self { code, known, message, meaning, advice, example: example.trim_end() }
    }

    /// Returns the message, with `{0}`, `{1}`, ... or `...` for what differs.
    pub fn message(&self) -> &'static str {
        self.known.map_or(self.message, ErrorCode::template)
    }

    /// Returns what to do about it, without a full stop.
    pub fn advice(&self) -> &'static str {
        self.known.and_then(ErrorCode::advice).unwrap_or(self.advice)
    }

    /// Returns the lines of the example.
    pub fn example(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.example.lines().map(str::trim)
    }

    /// Returns the kind of failure in a word.
    pub fn class(&self) -> &'static str {
        match self.known.map(ErrorCode::class) {
            Some(Class::Refused) => "refused",
            Some(Class::Usage) => "usage",
            Some(Class::Busy) => "busy",
            Some(Class::Internal) => "internal",
            Some(Class::Warning) => "warning",
            Some(Class::Note) => "note",
            None => "node",
        }
    }

    /// Returns how serious it is.
    pub fn severity(&self) -> &'static str {
        match self.known.map(ErrorCode::class) {
            Some(Class::Warning) => "warning",
            Some(Class::Note) => "note",
            _ => "error",
        }
    }
}

/// Returns every code: those of the table in its order, then those of nodes by name.
pub fn all() -> impl Iterator<Item = CodeMeaning> {
    TEXTS.trim_end().split("\n\n").map(CodeMeaning::read)
}

/// Returns the meaning of a code in any letter case.
pub fn find(text: &str) -> Option<CodeMeaning> {
    // Most texts are ids of jobs, for which no section need be read.
    let may_be_one = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    may_be_one.then(|| all().find(|meaning| meaning.code.eq_ignore_ascii_case(text))).flatten()
}

/// Checks whether a text has the form of a code, such as E0899: the letters of a known code, and as many digits.
pub fn looks_like_code(text: &str) -> bool {
    let form = form(text);
    form.is_some() && all().any(|meaning| self::form(meaning.code) == form)
}

/// Returns the known codes that are most like one that does not exist.
pub fn near(text: &str) -> Vec<&'static str> {
    let (form, wanted) = (form(text), text.to_ascii_uppercase());
    let distance = |code: &str| (strsim::osa_distance(&wanted, code), number(code).abs_diff(number(&wanted)));
    let mut codes: Vec<_> = all().map(|meaning| meaning.code).filter(|code| self::form(code) == form).collect();
    codes.sort_by_key(|code| distance(code));
    codes.truncate(MOST_NEAR);
    codes
}

/// Returns the letters of a code and the number of its digits; `None` for a text of another form.
fn form(text: &str) -> Option<(String, usize)> {
    let letters = text.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_code = !letters.is_empty() && letters != text && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| (letters.to_ascii_uppercase(), text.len() - letters.len()))
}

fn number(code: &str) -> u32 {
    code.trim_start_matches(|character: char| !character.is_ascii_digit()).parse().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_table_has_one_section_in_order() {
        let (table, nodes): (Vec<_>, Vec<_>) = all().partition(|meaning| meaning.known.is_some());
        let sections: Vec<&str> = all().map(|meaning| meaning.code).collect();
        let expect: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(table.iter().map(|meaning| meaning.code).collect::<Vec<_>>(), expect);
        assert_eq!(sections[..expect.len()], expect, "the codes of nodes follow");
        let order = |meaning: &CodeMeaning| meaning.code.to_ascii_lowercase();
        assert!(sections.iter().all(|code| find(code).is_some_and(|found| found.code == *code)));
        assert!(nodes.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])), "by name, each once");
    }

    #[test]
    fn every_section_is_complete_and_repeats_nothing() {
        for meaning in all() {
            let CodeMeaning { code, known, message, meaning: text, advice, .. } = meaning;
            assert!(text.ends_with('.') && !text.contains('\n'), "{code}: {text}");
            assert!(meaning.example().count() > 0 && meaning.example().all(|line| !line.is_empty()), "{code}");
            // The table has the message, and the advice of warnings.
            assert_eq!(message.is_empty(), known.is_some(), "{code}: {message}");
            let has_own = known.is_none_or(|known| known.advice().is_none());
            assert_eq!(!advice.is_empty(), has_own, "{code}: {advice}");
            assert!(advice.is_empty() || advice.starts_with(|first: char| first.is_ascii_lowercase()), "{code}");
            assert!(!meaning.advice().ends_with('.') && !meaning.advice().contains('\n'), "{code}");
        }
    }

    #[test]
    fn a_code_is_found_in_any_letter_case() {
        for (text, expect) in [
            ("E0803", Some("E0803")),
            ("e0803", Some("E0803")),
            ("ja018", Some("JA018")),
            ("1", Some("1")),
            ("ioexception", Some("IOException")),
            ("E0899", None),
            ("E080", None),
            ("", None),
        ] {
            assert_eq!(find(text).map(|meaning| meaning.code), expect, "{text}");
        }
    }

    #[test]
    fn what_has_the_form_of_a_code_has_near_codes() {
        for (text, near) in [("E0083", ["E0803", "E0303", "E0308"]), ("w0107", ["W0106", "W0108", "W0105"])] {
            assert!(looks_like_code(text), "{text}");
            assert_eq!(self::near(text), near, "{text}");
        }
        for text in ["load1", "e1", "E08031", "0000001", "E0803x", "load", "é0803", ""] {
            assert!(!looks_like_code(text), "{text}");
        }
    }
}
