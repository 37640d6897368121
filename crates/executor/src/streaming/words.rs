//! The words of a mapper's or a reducer's command line, by the rule of Hadoop's streaming and not of a shell.
//!
//! A definition writes the command as in a URL (specification 3.2.2): `+` is a blank, and `%` with two digits a byte.
//! Blanks separate words. A quotation mark, single or double, starts or ends a word at any position, so `a"b c"d` are
//! the three words `a`, `b c` and `d`; no word is empty, and nothing is escaped or expanded.

/// Returns the command that a definition means. Fails with a sentence for a `%` without two hexadecimal digits.
pub(crate) fn decoded(command: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(command.len());
    let mut rest = command.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digit = |at: usize| behind.get(at).and_then(|byte| char::from(*byte).to_digit(16));
                let (Some(high), Some(low)) = (digit(0), digit(1)) else {
                    return Err(format!(
                        "the command [{command}] is written as in a URL, and a % in it has no two hexadecimal digits \
                         behind it; write %25 for a % and %2B for a +"
                    ));
                };
                bytes.extend(u8::try_from(high * 16 + low));
                rest = &behind[2..];
            }
            byte => bytes.push(*byte),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the words of a command; none for a text of blanks.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for letter in command.chars() {
        let ends = match quote {
            None => matches!(letter, ' ' | '\'' | '"'),
            Some(quote) => letter == quote,
        };
        if !ends {
            word.push(letter);
            continue;
        }
        quote = if quote.is_none() && letter != ' ' { Some(letter) } else { None };
        words.push(std::mem::take(&mut word));
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expect: &[&str]) {
        assert_eq!(words(command), expect, "{command}");
    }

    #[test]
    fn commands_are_written_as_in_a_url() {
        for (command, expect) in [
            ("cut -d% -f1", None),
            ("x %4", None),
            ("x %g1", None),
            ("cut -d%25 -f1", Some("cut -d% -f1")),
            ("cut+-f+1%2B%2b", Some("cut -f 1++")),
            ("echo %C3%A4ö", Some("echo äö")),
            ("date %2B%25Y", Some("date +%Y")),
            ("", Some("")),
        ] {
            let got = decoded(command);
            assert_eq!(got.as_deref().ok(), expect, "{command}");
            assert!(got.err().is_none_or(|why| why.contains("%25")), "{command}");
        }
    }

    #[test]
    fn quotation_marks_end_words() {
        check("", &[]);
        check("  ", &[]);
        check("/bin/cat", &["/bin/cat"]);
        check("cut  -f 1 ", &["cut", "-f", "1"]);
        check("awk '{print $1; x}' \"a 'b' c\"", &["awk", "{print $1; x}", "a 'b' c"]);
        check("a\"b c\"d", &["a", "b c", "d"]);
        check("grep '' $HOME\\ x", &["grep", "$HOME\\", "x"]);
        check("sh -c 'open end", &["sh", "-c", "open end"]);
    }
}
