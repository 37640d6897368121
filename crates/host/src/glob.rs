//! Finds the files that a pattern names, step by step, up to a limit.
//!
//! The patterns are Hadoop's: `*`, `?`, `[a-z]`, `[^a]`, `{a,b}`, each within one step of the path; `?` and a set match
//! one character, however many bytes it has. Names that start with a dot match too. A step that exists under its
//! literal name is taken literally.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::Chars;

use fancy_regex::Regex;

use super::found::is_absence;
use super::looks;

/// Why a pattern gave no list.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    /// More files than the limit.
    #[error("more than {0} files match")]
    TooMany(usize),
    /// The text is not a pattern.
    #[error("{0}")]
    Pattern(String),
    /// A folder of the path cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Whether the text has a character that patterns use.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// The folders in which a pattern is looked for.
pub(super) trait Folders {
    /// Whether something has this path.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// Calls `each` with the names in a folder until it answers `false`; with none for what is no folder.
    fn names(&self, folder: &Path, each: &mut dyn FnMut(OsString) -> bool) -> io::Result<()>;
}

/// The folders of this machine; links count as existing.
pub(super) struct ThisMachine;

impl Folders for ThisMachine {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        match looks::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if is_absence(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn names(&self, folder: &Path, each: &mut dyn FnMut(OsString) -> bool) -> io::Result<()> {
        let entries = match looks::read_dir(folder) {
            Err(error) if is_absence(&error) => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            if !each(entry?.0.file_name()) {
                break;
            }
        }
        Ok(())
    }
}

/// The existing paths that `pattern` (absolute) names, in the order of their names.
pub(super) fn expand(pattern: &str, limit: usize, folders: &impl Folders) -> Result<Vec<PathBuf>, GlobError> {
    let mut found = vec![PathBuf::from("/")];
    for step in pattern.split('/').filter(|step| !step.is_empty()) {
        let matcher = if is_pattern(step) { Some(matcher(step, Case::Same)?) } else { None };
        let mut next = Vec::new();
        for folder in &found {
            extend(&mut next, (folders, folder), (step, matcher.as_ref()), limit)?;
        }
        found = next;
    }
    found.sort();
    Ok(found)
}

/// Returns the names that a pattern of one step matches; upper and lower case are equal.
pub fn matching<'n>(pattern: &str, names: impl IntoIterator<Item = &'n str>) -> Result<Vec<&'n str>, GlobError> {
    let matcher = matcher(pattern, Case::Any)?;
    let mut found = Vec::new();
    for name in names {
        if is_match(&matcher, name)? {
            found.push(name);
        }
    }
    Ok(found)
}

/// Adds the entries of a folder that match a step.
fn extend(
    next: &mut Vec<PathBuf>,
    (folders, folder): (&impl Folders, &Path),
    (step, matcher): (&str, Option<&Regex>),
    limit: usize,
) -> Result<(), GlobError> {
    let literal = folder.join(step);
    if folders.exists(&literal)? {
        next.push(literal);
    } else if let Some(matcher) = matcher {
        let mut failed = None;
        folders.names(folder, &mut |name| {
            match is_match(matcher, &name.to_string_lossy()) {
                Ok(true) => next.push(folder.join(name)),
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
            failed.is_none() && next.len() <= limit
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
    }
    if next.len() > limit { Err(GlobError::TooMany(limit)) } else { Ok(()) }
}

fn is_match(matcher: &Regex, name: &str) -> Result<bool, GlobError> {
    matcher.is_match(name).map_err(|error| GlobError::Pattern(error.to_string()))
}

/// Which letters are equal.
#[derive(Clone, Copy)]
enum Case {
    Same,
    Any,
}

fn matcher(step: &str, case: Case) -> Result<Regex, GlobError> {
    let refuse = |why: &str| GlobError::Pattern(format!("{why} in [{step}]"));
    let regex = regex(step, case).map_err(refuse)?;
    Regex::new(&regex).map_err(|_| refuse("a range of a set ends before it starts, or something is too large"))
}

/// The regular expression with the meaning of a pattern.
fn regex(step: &str, case: Case) -> Result<String, &'static str> {
    const NOTHING_ESCAPED: &str = "nothing follows its last backslash";
    let start = match case {
        Case::Same => r"(?s)\A",
        Case::Any => r"(?si)\A",
    };
    let (mut regex, mut groups) = (start.to_owned(), 0_usize);
    let mut letters = step.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => set(&mut letters, &mut regex)?,
            '{' => {
                groups += 1;
                regex.push_str("(?:");
            }
            ',' if groups > 0 => regex.push('|'),
            '}' if groups > 0 => {
                groups -= 1;
                regex.push(')');
            }
            '\\' => regex.push_str(&literal(letters.next().ok_or(NOTHING_ESCAPED)?)),
            letter => regex.push_str(&literal(letter)),
        }
    }
    if groups > 0 { Err("a [{] has no end") } else { Ok(regex + r"\z") }
}

/// Translates a set, from the letter after its bracket to its end.
fn set(letters: &mut Chars<'_>, regex: &mut String) -> Result<(), &'static str> {
    const NO_END: &str = "a [[] has no end";
    regex.push('[');
    if letters.as_str().starts_with(['^', '!']) {
        letters.next();
        regex.push('^');
    }
    let mut is_first = true;
    loop {
        match letters.next().ok_or(NO_END)? {
            ']' if !is_first => break,
            '\\' => regex.push_str(&literal(letters.next().ok_or(NO_END)?)),
            // At the start and at the end it is a letter like any other.
            '-' if !is_first && !letters.as_str().starts_with(']') => regex.push('-'),
            letter => regex.push_str(&literal(letter)),
        }
        is_first = false;
    }
    regex.push(']');
    Ok(())
}

/// A letter that has no meaning in a regular expression.
fn literal(letter: char) -> String {
    format!(r"\x{{{:x}}}", u32::from(letter))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(pattern: &str, expect: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/1", "a/2", "b/1", ".hidden/1", "br[x]/1"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let base = folder.path().display().to_string();
        let found = expand(&format!("{base}/{pattern}"), 4, &ThisMachine).map(|paths| {
            paths.iter().map(|path| path.strip_prefix(&base).unwrap().display().to_string()).collect::<Vec<_>>()
        });
        match found {
            Ok(found) => assert_eq!(found, expect, "{pattern}"),
            Err(error) => assert_eq!([error.to_string().as_str()], expect, "{pattern}"),
        }
    }

    #[test]
    fn patterns_match_whole_names_by_their_characters() {
        for (pattern, matching, others) in [
            ("?", &["a", "\u{e9}", "\n", "\u{1f980}"][..], &["", "ab", "e\u{301}"][..]),
            ("*", &["", "a\nb", ".a"], &[]),
            ("[\u{e9}a-c]", &["\u{e9}", "b"], &["\u{e8}", "d", "-", "ab"]),
            ("[^\u{e9}]", &["a", "\u{e8}"], &["\u{e9}", "ab"]),
            ("[!a]", &["!"], &["a"]),
            ("[]a]", &["]", "a"], &["[]a]"]),
            ("[-a]", &["-", "a"], &["b"]),
            ("[a-]", &["-", "a"], &["b"]),
            ("[&&~~.]", &["&", "~", "."], &["a"]),
            ("[\\]]", &["]"], &["\\", "\\]"]),
            ("{a,b{c,}}*", &["a", "bc", "b", "bx"], &["c", ""]),
            ("a,b}?", &["a,b}x"], &["a"]),
            ("\\*.$(|+^\\d", &["*.$(|+^d"], &["x.$(|+^d", "*.$(|+^1"]),
            ("%2F*", &["%2F", "%2Fa"], &["/", "/a"]),
        ] {
            let matcher = matcher(pattern, Case::Same).unwrap();
            for (names, expect) in [(matching, true), (others, false)] {
                for name in names {
                    assert_eq!(matcher.is_match(name).unwrap(), expect, "{pattern:?} {name:?}");
                }
            }
        }
        for pattern in ["[a", "[]", "[^]", "{a", "{a,[}]", "[c-a]", "*\\"] {
            assert!(matches!(matcher(pattern, Case::Same), Err(GlobError::Pattern(_))), "{pattern}");
        }
    }

    #[test]
    fn names_match_in_upper_and_lower_case() {
        let names = ["US/Alaska", "us/x", "Asia/Aden", "\u{c9}"];
        for (pattern, expect) in
            [("us/*", &names[..2]), ("*[a-b]D*", &names[2..3]), ("\u{e9}?", &[]), ("\u{e9}", &names[3..]), ("US", &[])]
        {
            assert_eq!(matching(pattern, names).unwrap(), expect, "{pattern}");
        }
        assert!(matching("[a", names).is_err());
    }

    #[test]
    fn expands_within_each_step() {
        check("a", &["a"]);
        check("a/", &["a"]);
        check("none", &[]);
        check("none/*", &[]);
        check("a/1/*", &[]);
        check("*/1", &[".hidden/1", "a/1", "b/1", "br[x]/1"]);
        check("{a,b}/1", &["a/1", "b/1"]);
        check("[^a]/?", &["b/1"]);
        check("br[x]/1", &["br[x]/1"]);
        check("*/*", &["more than 4 files match"]);
    }
}
