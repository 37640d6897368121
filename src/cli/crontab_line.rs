//! The lines of a crontab that tick a database: which they are, and what of one is replaced.
//!
//! A crontab is another person's file. Only a line whose command is howdah with the verb `tick` is touched, and of it
//! only the words that name the program, the database, the site file and the mounts. It is bytes, not text.

use std::ops::Range;

/// Options of every verb, with a value of their own, that the line of `howdah cron` writes itself.
const WRITTEN: [&str; 3] = ["--db", "--site", "--mount"];
/// The fields of a schedule; `@daily` and its like are one.
const FIELDS: usize = 5;

/// A word of a command, and where it stands in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    text: String,
    place: Range<usize>,
}

/// Returns the crontab with `command` in place of the words that start howdah in each line that ticks a database, or
/// with `line` added where none does; and whether there was one. `is_meant` says whether these words, without the
/// program, tick the database.
pub(super) fn merged(
    before: &[u8],
    (line, command): (&str, &str),
    is_meant: impl Fn(&[String]) -> bool,
) -> (Vec<u8>, bool) {
    let mut after = Vec::with_capacity(before.len() + line.len());
    let mut has_one = false;
    for row in before.split_inclusive(|byte| *byte == b'\n') {
        match tick(row, &is_meant) {
            Some(kept) => {
                has_one = true;
                after.extend(&row[..kept.start]);
                after.extend(command.as_bytes());
                for word in &kept.others {
                    after.push(b' ');
                    after.extend(&row[word.clone()]);
                }
                after.extend(b" ");
                after.extend(&row[kept.verb..]);
            }
            None => after.extend(row),
        }
    }
    if !has_one {
        if after.last().is_some_and(|last| *last != b'\n') {
            after.push(b'\n');
        }
        after.extend(line.as_bytes());
        after.push(b'\n');
    }
    (after, has_one)
}

/// The places of a line that ticks a database.
struct Tick {
    /// Where the program begins.
    start: usize,
    /// Where the verb begins.
    verb: usize,
    /// The words between them that are not written anew.
    others: Vec<Range<usize>>,
}

fn tick(row: &[u8], is_meant: impl Fn(&[String]) -> bool) -> Option<Tick> {
    let words = words(row, command_start(row)?)?;
    // Variables of the command may come first.
    let is_variable = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
    let program = words.iter().take_while(is_variable).count();
    let (first, given) = words[program..].split_first()?;
    if first.text.rsplit('/').next() != Some("howdah") {
        return None;
    }
    let texts: Vec<String> = given.iter().map(|word| word.text.clone()).collect();
    if !is_meant(&texts) {
        return None;
    }
    let verb = given.iter().position(|word| word.text == "tick")?;
    let mut others = Vec::new();
    let mut before = given[..verb].iter();
    while let Some(word) = before.next() {
        if WRITTEN.contains(&word.text.as_str()) {
            before.next();
        } else if !WRITTEN.iter().any(|option| word.text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
        {
            others.push(word.place.clone());
        }
    }
    Some(Tick { start: first.place.start, verb: given[verb].place.start, others })
}

/// Returns where the command of a line begins; `None` for a comment, a setting, and what is no line of a table.
fn command_start(row: &[u8]) -> Option<usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut at = row.iter().position(|byte| !is_blank(byte))?;
    let fields = match row[at] {
        b'@' => 1,
        b'*' | b'0'..=b'9' => FIELDS,
        _ => return None,
    };
    for _ in 0..fields {
        at += row[at..].iter().position(is_blank)?;
        at += row[at..].iter().position(|byte| !is_blank(byte))?;
    }
    Some(at)
}

/// Returns the words of the first command of a line, up to what ends it for a shell or for cron; `None` where a quote
/// is not closed.
fn words(row: &[u8], start: usize) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word: Option<(Vec<u8>, usize)> = None;
    let mut quote = None;
    let mut at = start;
    while at < row.len() {
        let byte = row[at];
        let place = at;
        at += 1;
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            // Cron takes the backslash before a percent sign away, in quotes too.
            (Some(_), b'\\') if row.get(at) == Some(&b'%') => {}
            (Some(b'"') | None, b'\\') if at < row.len() => {
                word.get_or_insert((Vec::new(), place)).0.push(row[at]);
                at += 1;
            }
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert((Vec::new(), place));
            }
            (None, b' ' | b'\t') => words.extend(word.take().map(|(text, start)| finished(&text, start..place))),
            (None, b'\n' | b'\r' | b';' | b'&' | b'|' | b'>' | b'<' | b'(' | b')' | b'`' | b'%') => {
                // A number before it is of the redirection.
                let is_number = |(text, _): &(Vec<u8>, usize)| text.iter().all(u8::is_ascii_digit);
                let is_redirected = matches!(byte, b'>' | b'<');
                word = word.filter(|word| !(is_redirected && is_number(word)));
                words.extend(word.take().map(|(text, start)| finished(&text, start..place)));
                return Some(words);
            }
            _ => word.get_or_insert((Vec::new(), place)).0.push(byte),
        }
    }
    words.extend(word.map(|(text, start)| finished(&text, start..row.len())));
    quote.is_none().then_some(words)
}

fn finished(text: &[u8], place: Range<usize>) -> Word {
    Word { text: String::from_utf8_lossy(text).into_owned(), place }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "* * * * * /new/howdah --db /srv/howdah.db tick --quiet";
    const COMMAND: &str = "/new/howdah --db /srv/howdah.db";

    /// Whether the words are those of a tick of `/srv/howdah.db`, without the command line's own parser.
    fn is_meant(words: &[String]) -> bool {
        let db = words.iter().position(|word| word == "--db").and_then(|at| words.get(at + 1));
        let verb = words.iter().find(|word| ["tick", "status", "db"].contains(&word.as_str()));
        db.is_some_and(|db| db == "/srv/howdah.db") && verb.is_some_and(|verb| verb == "tick")
    }

    fn check(before: &[u8], expect: &[u8]) {
        let (after, _) = merged(before, (LINE, COMMAND), is_meant);
        assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(expect));
        assert_eq!(after, expect);
        // Again it changes nothing.
        assert_eq!(merged(&after, (LINE, COMMAND), is_meant).0, after);
    }

    #[test]
    fn other_lines_stay_byte_for_byte() {
        let added = format!("{LINE}\n");
        for other in [
            &b""[..],
            b"*/10 * * * * howdah --db /srv/howdah.db status --check || mail -s \"howdah: no tick\" ops\n",
            b"15 2 * * * howdah --db /srv/howdah.db db backup /b.db && logger -t tick ok\n",
            b"* * * * * howdah --db /srv/other.db tick -q\n",
            b"# * * * * * howdah --db /srv/howdah.db tick\n",
            b"MAILTO=ann\nA = howdah --db /srv/howdah.db tick\n",
            b"7 7 * * * echo gr\xfcn\r\n",
            b"* * * * * echo howdah --db /srv/howdah.db tick\n",
            b"* * * * * howdah --db /srv/howdah.db 'tick\n",
        ] {
            check(other, &[other, added.as_bytes()].concat());
        }
        check(b"0 5 * * * /bin/backup", format!("0 5 * * * /bin/backup\n{LINE}\n").as_bytes());
    }

    #[test]
    fn a_line_that_ticks_keeps_what_is_its_own() {
        for (before, expect) in [
            ("* * * * * howdah --db /srv/howdah.db tick --quiet\n", format!("* * * * * {COMMAND} tick --quiet\n")),
            (
                "*/10 8-18 * * 1-5 PATH=/bin howdah --db /srv/howdah.db tick -q --ping https://h/x >> /l 2>&1\r\n",
                format!("*/10 8-18 * * 1-5 PATH=/bin {COMMAND} tick -q --ping https://h/x >> /l 2>&1\r\n"),
            ),
            (
                "@hourly /old/howdah --quiet --site /s.xml --db /srv/howdah.db --mount a=b tick && touch /done",
                format!("@hourly {COMMAND} --quiet tick && touch /done"),
            ),
        ] {
            check(before.as_bytes(), expect.as_bytes());
        }
    }
}
