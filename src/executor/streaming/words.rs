//! The words of a mapper's or a reducer's command line, by the rule of Hadoop's streaming and not of a shell.
//!
//! Words stand between blanks. A quotation mark, single or double, begins or ends a word wherever it stands, so `a"b c"d`
//! are the three words `a`, `b c` and `d`; no word is empty, and nothing is escaped or expanded.

/// The words of a command; none for a text of blanks.
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
