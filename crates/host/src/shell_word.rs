//! Quotes a text as one word of a shell.
//!
//! For command lines that a shell reads: in a cluster's batch script, on a server, in git's settings, or at a user's
//! prompt.

/// The text in single quotes: for every login shell it is one word, and no character in it has a special meaning.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn every_text_is_one_word() {
        for text in ["/a b", "/it's", "/$(touch x)`y`\"", "/new\nline", "/'", "", "-n", "\\"] {
            let output = Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(text))).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
        assert_eq!(quoted("it's $x"), r"'it'\''s $x'");
    }
}
