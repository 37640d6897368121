//! Lines, keys and values, and which reducer a key belongs to. Touches no file.
//!
//! Follows Hadoop's line records: a line ends with a line feed, a carriage return, or both in this order.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

/// Longest line that is read, in bytes: complete lines are kept in memory.
const LONGEST_LINE: usize = 64 << 20;

/// Where the key of a line ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fields {
    /// The text between two fields.
    pub(super) separator: String,
    /// How many fields the key has; 0 counts as 1.
    pub(super) in_key: usize,
}

impl Fields {
    /// Returns the key and the value of a line. A line with too few separators is a key without value.
    pub(super) fn split<'a>(&self, line: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let separator = self.separator.as_bytes();
        let mut next = 0;
        for field in 1.. {
            let Some(at) = find(&line[next..], separator).map(|at| next + at) else { break };
            next = at + separator.len();
            if field >= self.in_key {
                return (&line[..at], &line[next..]);
            }
        }
        (line, &[])
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Returns the reducer of a key among `reducers` (at least one): Hadoop's hash of a text's bytes, without its sign.
pub(super) fn partition(key: &[u8], reducers: u32) -> u32 {
    let hash = key.iter().fold(1_i32, |hash, byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte.cast_signed())));
    (hash & i32::MAX).cast_unsigned() % reducers.max(1)
}

/// Reads lines one after the other.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
}

impl<R: BufRead> Lines<R> {
    /// Returns the lines of an input.
    pub(super) const fn of(input: R) -> Self {
        Self { input }
    }

    /// Puts the next line without its end into `line`; how many bytes it took from the input, 0 when there is none.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> io::Result<u64> {
        line.clear();
        let mut taken = 0;
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(taken);
            }
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = end.unwrap_or(buffer.len());
            if line.len() + length > LONGEST_LINE {
                let why = format!("a line is longer than {LONGEST_LINE} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            line.extend_from_slice(&buffer[..length]);
            let is_return = end.is_some_and(|end| buffer[end] == b'\r');
            let consumed = length + usize::from(end.is_some());
            self.input.consume(consumed);
            taken += consumed as u64;
            if is_return && self.input.fill_buf()?.first() == Some(&b'\n') {
                self.input.consume(1);
                taken += 1;
            }
            if end.is_some() {
                return Ok(taken);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(separator: &str, in_key: usize, line: &str, expect: (&str, &str)) {
        let fields = Fields { separator: separator.to_owned(), in_key };
        let (key, value) = fields.split(line.as_bytes());
        assert_eq!((std::str::from_utf8(key).unwrap(), std::str::from_utf8(value).unwrap()), expect, "{line}");
    }

    #[test]
    fn a_key_ends_at_its_last_separator() {
        check("\t", 1, "a\tb\tc", ("a", "b\tc"));
        check("\t", 2, "a\tb\tc", ("a\tb", "c"));
        check("\t", 3, "a\tb\tc", ("a\tb\tc", ""));
        check("\t", 0, "a\tb\tc", ("a", "b\tc"));
        check("\t", 1, "abc", ("abc", ""));
        check("\t", 1, "\tb", ("", "b"));
        check("::", 2, "a::b:::c", ("a::b", ":c"));
        check("", 1, "a\tb", ("a\tb", ""));
    }

    #[test]
    fn a_key_belongs_to_the_reducer_that_hadoop_gives_it() {
        // The hash of an empty text is 1, of `a` 31 + 97; bytes above 127 count as negative numbers.
        for (key, reducers, expect) in [
            (&b""[..], 10, 1),
            (b"a", 1000, 128),
            (b"ab", 10_000, 128 * 31 + 98),
            (b"\xff", 1000, 30),
            (b"anything", 1, 0),
        ] {
            assert_eq!(partition(key, reducers), expect, "{key:?}");
        }
        let negative = b"zzzzzzzz";
        assert!(partition(negative, 7) < 7);
    }

    #[test]
    fn lines_end_in_three_ways() {
        for capacity in [1, 2, 3, 100] {
            let text = &b"a\nb\r\n\rc\r\r\n\n d"[..];
            let mut lines = Lines::of(io::BufReader::with_capacity(capacity, text));
            let (mut line, mut got) = (Vec::new(), Vec::new());
            loop {
                match lines.next(&mut line).unwrap() {
                    0 => break,
                    taken => got.push((String::from_utf8(line.clone()).unwrap(), taken)),
                }
            }
            let got: Vec<(&str, u64)> = got.iter().map(|(line, taken)| (line.as_str(), *taken)).collect();
            assert_eq!(got, [("a", 2), ("b", 3), ("", 1), ("c", 2), ("", 2), ("", 1), (" d", 2)], "{capacity}");
        }
    }
}
