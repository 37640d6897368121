//! One line of a table: a JSON object of texts, numbers, dates and blobs.
//!
//! Most of a line is blobs, written as lists of numbers. A blob that is not asked for is skipped without being read.

use crate::oozie_export::blob::Blob;
use crate::oozie_export::date::LocalSeconds;

/// The most fields that a row may have; Oozie's have fewer than 60.
const MOST_FIELDS: usize = 1000;

/// The fields of a row, by name.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with the line, in words.
    pub fn read(line: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8")?;
        let mut scan = Scan { text, at: 0 };
        let mut fields = Vec::new();
        scan.expect(b'{')?;
        if !scan.found(b'}') {
            loop {
                if fields.len() == MOST_FIELDS {
                    return Err(format!("the row has more than {MOST_FIELDS} fields"));
                }
                fields.push(scan.field()?);
                if scan.found(b'}') {
                    break;
                }
                scan.expect(b',')?;
            }
        }
        scan.blanks();
        if scan.at < text.len() { Err(scan.wrong("the end of the line")) } else { Ok(Self(fields)) }
    }

    /// Returns the JSON text of a field; `None` when it is absent or `null`.
    fn value(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).filter(|value| *value != "null")
    }

    /// Returns a text.
    ///
    /// # Errors
    /// The field is not a text.
    pub fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = self.value(name) else { return Ok(None) };
        serde_json::from_str(value).map(Some).map_err(|_| format!("the field [{name}] is not a text"))
    }

    /// Returns a text that every row has.
    ///
    /// # Errors
    /// The field is absent, or not a text.
    pub fn required(&self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| format!("the field [{name}] is missing"))
    }

    /// Returns a whole number; 0 when it is absent, as in Java.
    ///
    /// # Errors
    /// The field is not a whole number.
    pub fn int(&self, name: &str) -> Result<i64, String> {
        let Some(value) = self.value(name) else { return Ok(0) };
        value.parse().map_err(|_| format!("the field [{name}] is not a whole number"))
    }

    /// Returns a date.
    ///
    /// # Errors
    /// The field is not a date.
    pub fn date(&self, name: &str) -> Result<Option<LocalSeconds>, String> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let wrong = || format!("the field [{name}] is not a date such as [Nov 4, 2012 7:00:00 PM]: [{text}]");
        LocalSeconds::parse(&text).map(Some).ok_or_else(wrong)
    }

    /// Returns a blob; its bytes are read when its text is asked for.
    ///
    /// # Errors
    /// The field is not a blob.
    pub fn blob(&self, name: &str) -> Result<Option<Blob>, String> {
        let Some(value) = self.value(name) else { return Ok(None) };
        if let Some(list) = plain_list(value) {
            return Ok(Some(Blob::of_list(list)));
        }
        let wrong = || format!("the field [{name}] is not {{\"rawBlob\":[...]}} with bytes");
        let inner = Fields::read(value.as_bytes()).map_err(|_| wrong())?;
        match inner.value("rawBlob") {
            Some(list) => {
                let inner = list.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
                inner.map(|inner| Some(Blob::of_list(inner))).ok_or_else(wrong)
            }
            None => Ok(None),
        }
    }
}

/// Returns the list of a blob in the form that Oozie writes, without a second parse as JSON; `None` for other values.
fn plain_list(value: &str) -> Option<&str> {
    let list = value.strip_prefix(r#"{"rawBlob":["#)?.strip_suffix("]}")?;
    let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b',' | b'-');
    // A loop without an early exit checks many bytes in one step.
    list.bytes().fold(true, |plain, byte| plain & is_part(byte)).then_some(list)
}

/// A position in a line.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// Passes a character, and the blanks before it, if it comes next.
    fn found(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.rest().first() == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.found(byte) { Ok(()) } else { Err(self.wrong(&format!("[{}]", char::from(byte)))) }
    }

    fn wrong(&self, expected: &str) -> String {
        if self.rest().is_empty() {
            return format!("the line ends where {expected} should be; it may be cut off");
        }
        format!("the line is not JSON: {expected} should be at byte {}", self.at + 1)
    }

    fn field(&mut self) -> Result<(&'a str, &'a str), String> {
        self.blanks();
        let name = self.string()?;
        self.expect(b':')?;
        self.blanks();
        let start = self.at;
        self.value()?;
        Ok((&name[1..name.len() - 1], &self.text[start..self.at]))
    }

    /// Passes a text; returns it with its quotes.
    fn string(&mut self) -> Result<&'a str, String> {
        let rest = self.rest();
        if rest.first() != Some(&b'"') {
            return Err(self.wrong("a text in quotes"));
        }
        let mut from = 1;
        while let Some(place) = memchr::memchr2(b'"', b'\\', &rest[from..]) {
            let place = from + place;
            if rest[place] == b'"' {
                let start = self.at;
                self.at += place + 1;
                return Ok(&self.text[start..self.at]);
            }
            from = (place + 2).min(rest.len());
        }
        self.at = self.text.len();
        Err(self.wrong("the end of a text"))
    }

    /// Passes any value. Lists of numbers are passed without being read.
    fn value(&mut self) -> Result<(), String> {
        match self.rest().first() {
            Some(b'"') => self.string().map(drop),
            Some(b'{' | b'[') => self.nested(),
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'-' => {
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'+' | b'.');
                self.at += self.rest().iter().take_while(is_part).count();
                Ok(())
            }
            _ => Err(self.wrong("a value")),
        }
    }

    /// Passes an object or a list.
    fn nested(&mut self) -> Result<(), String> {
        let mut depth = 0_usize;
        loop {
            let rest = self.rest();
            let Some(byte) = rest.first() else { return Err(self.wrong("the end of an object or a list")) };
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' => depth += 1,
                b'[' => {
                    depth += 1;
                    let until = memchr::memchr3(b']', b'"', b'{', &rest[1..]).unwrap_or(0);
                    let inner = &rest[1..=until];
                    if !inner.contains(&b'[') {
                        self.at += until;
                    }
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_name() {
        let line = r#" {"id":"a\"b\u003d", "n" : -7,"actions":[],"deep":{"x":[[1,2],{"y":"]}"}]},"none":null,
            "at":"Nov 4, 2012 7:00:00 PM","raw":{"rawBlob":[79, -1,127]},"empty":{"rawBlob":[]},"nothing":{}}"#;
        let fields = Fields::read(line.as_bytes()).unwrap();
        assert_eq!(fields.required("id").unwrap(), "a\"b=");
        assert_eq!((fields.int("n"), fields.int("absent")), (Ok(-7), Ok(0)));
        assert_eq!(fields.text("none"), Ok(None));
        assert!(fields.date("at").unwrap().is_some());
        assert_eq!(fields.blob("raw"), Ok(Some(Blob::new(vec![79, 255, 127]))));
        assert_eq!(fields.blob("empty"), Ok(Some(Blob::new(Vec::new()))));
        assert_eq!(fields.blob("nothing"), Ok(None));
        assert!(Fields::read(b"{}").unwrap().0.is_empty());
    }

    #[test]
    fn values_of_another_kind_are_refused() {
        let fields = Fields::read(br#"{"a":1,"b":"x","c":{"rawBlob":[1,300]},"d":{"rawBlob":"x"},"e":[1]}"#).unwrap();
        assert!(fields.text("a").unwrap_err().contains("[a] is not a text"));
        assert!(fields.required("z").unwrap_err().contains("[z] is missing"));
        assert!(fields.int("b").unwrap_err().contains("not a whole number"));
        assert!(fields.date("b").unwrap_err().contains("not a date"));
        for name in ["a", "b", "d", "e"] {
            assert!(fields.blob(name).unwrap_err().contains("rawBlob"), "{name}");
        }
        assert!(fields.blob("c").unwrap().unwrap().text().unwrap_err().contains("signed bytes"));
    }

    #[test]
    fn broken_lines_are_refused() {
        let line = r#"{"id":"x","n":1,"b":{"rawBlob":[1,2]},"l":[{"a":"]"}]}"#;
        assert!(Fields::read(line.as_bytes()).is_ok());
        for length in 0..line.len() {
            assert!(Fields::read(&line.as_bytes()[..length]).is_err(), "{}", &line[..length]);
        }
        for line in ["[]", "x", r#"{"a":1}}"#, r#"{"a" 1}"#, r#"{"a":}"#, r"{a:1}", r#"{"a":1 "b":2}"#, "{\"a\":\"\\"] {
            assert!(Fields::read(line.as_bytes()).is_err(), "{line}");
        }
        assert!(Fields::read(b"{\"a\":\"\xff\"}").is_err());
    }
}
