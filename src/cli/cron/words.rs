//! The words of the command in a line of a crontab, each with its place in the line.
//!
//! Splits as a POSIX shell does, and replaces nothing: the value of a word in which a shell would is not known.

use std::ops::Range;

/// One word of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// What the program gets, or what stands in the line where a shell would replace a part of it.
    pub(super) text: Vec<u8>,
    /// Whether a shell replaces nothing in it.
    is_known: bool,
    /// Where it stands in the line, with its quotes.
    pub(super) place: Range<usize>,
    /// Whether it has no quotes before its first `=`.
    has_plain_name: bool,
}

impl Word {
    /// Returns what the program gets; `None` when only the shell knows.
    pub(super) fn value(&self) -> Option<&[u8]> {
        self.is_known.then_some(self.text.as_slice())
    }

    /// Returns the name and the value of a word that sets a variable when it stands before the program.
    pub(super) fn assignment(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let value = self.value()?;
        let at = value.iter().position(|byte| *byte == b'=')?;
        let is_name = |name: &[u8]| {
            name.first().is_some_and(|first| !first.is_ascii_digit())
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        (self.has_plain_name && is_name(&value[..at])).then(|| (value[..at].to_vec(), value[at + 1..].to_vec()))
    }
}

/// A program with its arguments, and the variables that are set before it; without its redirections.
pub(super) type Command = Vec<Word>;

/// How many fields of time a line has before its command.
const FIELDS: usize = 5;

/// Returns the commands of a line; `None` when it has no time, such as a comment.
pub(super) fn commands(line: &[u8]) -> Option<Vec<Command>> {
    let mut at = end_of(line, 0, is_blank);
    match line.get(at)? {
        b'#' | b'\r' | b'\n' => return None,
        b'@' => at = next_field(line, at),
        _ => {
            for _ in 0..FIELDS {
                at = next_field(line, at);
            }
        }
    }
    let mut reader = Reader { bytes: unescaped(line, at), at: 0, commands: vec![Vec::new()], is_target: false };
    reader.read();
    reader.commands.retain(|command| !command.is_empty());
    Some(reader.commands)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns the first place from `at` on where the test fails.
fn end_of(line: &[u8], at: usize, test: impl Fn(u8) -> bool) -> usize {
    at + line[at..].iter().take_while(|byte| test(**byte)).count()
}

fn next_field(line: &[u8], at: usize) -> usize {
    let end = end_of(line, at, |byte| !is_blank(byte) && byte != b'\n');
    end_of(line, end, is_blank)
}

/// Returns the bytes of the command that starts at `start`, each with its place. cron ends a command at a percent sign,
/// unless a backslash is before it.
fn unescaped(line: &[u8], start: usize) -> Vec<(u8, Range<usize>)> {
    let end = line.len() - line.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let mut bytes = Vec::new();
    let mut at = start;
    while at < end {
        match &line[at..end] {
            [b'\\', b'%', ..] => {
                bytes.push((b'%', at..at + 2));
                at += 2;
            }
            [b'%', ..] => break,
            _ => {
                bytes.push((line[at], at..at + 1));
                at += 1;
            }
        }
    }
    bytes
}

/// Reads the command of a line.
struct Reader {
    bytes: Vec<(u8, Range<usize>)>,
    at: usize,
    commands: Vec<Command>,
    /// Whether the next word is the file of a redirection.
    is_target: bool,
}

impl Reader {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).map(|(byte, _)| *byte)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn read(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'#' => return,
                b'<' | b'>' => self.redirection(),
                b'&' if self.bytes.get(self.at + 1).is_some_and(|(next, _)| *next == b'>') => self.at += 1,
                b';' | b'&' | b'|' | b'(' | b')' => {
                    self.at += 1;
                    self.is_target = false;
                    self.commands.push(Vec::new());
                }
                _ => self.add_word(),
            }
        }
    }

    fn redirection(&mut self) {
        while matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'|')) {
            self.at += 1;
        }
        self.is_target = true;
    }

    fn add_word(&mut self) {
        let word = self.word();
        let is_number = word.text.iter().all(u8::is_ascii_digit);
        if self.is_target {
            self.is_target = false;
        } else if is_number && matches!(self.peek(), Some(b'<' | b'>')) {
            // The number of the file that is redirected.
        } else if let Some(command) = self.commands.last_mut() {
            command.push(word);
        }
    }

    fn word(&mut self) -> Word {
        let start = self.at;
        let (mut text, mut is_known, mut has_plain_name) = (Vec::new(), true, true);
        while let Some(byte) = self.peek() {
            let is_before_value = !text.contains(&b'=');
            match byte {
                b' ' | b'\t' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\\' | b'\'' | b'"' => {
                    has_plain_name &= !is_before_value;
                    is_known &= self.quoted(&mut text);
                    continue;
                }
                b'$' | b'`' | b'*' | b'?' | b'[' => is_known = false,
                b'~' if self.at == start => is_known = false,
                _ => {}
            }
            text.push(byte);
            self.at += 1;
        }
        let place = self.bytes[start].1.start..self.bytes[self.at - 1].1.end;
        Word { text, is_known, place, has_plain_name }
    }

    /// Reads a quoted part of a word; returns whether a shell replaces nothing in it.
    fn quoted(&mut self, value: &mut Vec<u8>) -> bool {
        match self.next() {
            Some(b'\'') => loop {
                match self.next() {
                    Some(b'\'') => return true,
                    Some(byte) => value.push(byte),
                    None => return false,
                }
            },
            Some(b'"') => self.double_quoted(value),
            // A backslash.
            _ => self.next().map(|byte| value.push(byte)).is_some(),
        }
    }

    fn double_quoted(&mut self, value: &mut Vec<u8>) -> bool {
        let mut is_known = true;
        loop {
            match self.next() {
                Some(b'"') => return is_known,
                Some(b'\\') if matches!(self.peek(), Some(b'$' | b'`' | b'"' | b'\\')) => value.extend(self.next()),
                Some(byte) => {
                    is_known &= !matches!(byte, b'$' | b'`');
                    value.push(byte);
                }
                None => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: Option<&[&[&str]]>) {
        let commands = commands(line.as_bytes());
        let value = |word: &Word| String::from_utf8_lossy(word.value().unwrap_or(b"?")).into_owned();
        let found = commands.map(|all| all.iter().map(|words| words.iter().map(value).collect()).collect());
        let owned = |words: &&[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let expect: Option<Vec<Vec<String>>> = expect.map(|all| all.iter().map(owned).collect());
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn commands_are_those_of_cron_and_a_shell() {
        check("", None);
        check("  # * * * * * a\n", None);
        check("* * * * * a  b\n", Some(&[&["a", "b"]]));
        check("\t*/5 1-3 * jan mon,tue\ta b\r\n", Some(&[&["a", "b"]]));
        check("@daily a 'b c'\"d e\"f\\ g", Some(&[&["a", "b cd ef g"]]));
        check("@reboot a 10\\%b%input\n", Some(&[&["a", "10%b"]]));
        check("* * * * * a && b || c; d & (e) | f", Some(&[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"]]));
        check("* * * * * a 2>&1 >>'/x y' </dev/null b 3 # c", Some(&[&["a", "b", "3"]]));
        check("* * * * * a &> x b", Some(&[&["a", "b"]]));
        check("* * * * * $A \"b$c\" '$d' ~/e `f` g* \"h\\$\" 'i", Some(&[&["?", "?", "$d", "?", "?", "?", "h$", "?"]]));
        check("* * * *", Some(&[]));
    }

    #[test]
    fn assignments_have_plain_names() {
        let commands = commands(b"@daily A=1 B='2 3' 'C'=4 5D=6 e").unwrap();
        let set: Vec<bool> = commands[0].iter().map(|word| word.assignment().is_some()).collect();
        assert_eq!(set, [true, true, false, false, false]);
        assert_eq!(commands[0][1].assignment(), Some((b"B".to_vec(), b"2 3".to_vec())));
        assert_eq!(commands[0][1].place, 11..18);
    }
}
