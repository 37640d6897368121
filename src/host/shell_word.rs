//! A text as one word of a shell.
//!
//! For command lines that another program's shell reads: of a cluster's batch script, of a server, of git, of a person.

/// The text in single quotes: one word, and nothing in it means anything, to every shell that an account may have.
pub(crate) fn quoted(text: &str) -> String {
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
