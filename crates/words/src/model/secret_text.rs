//! Secret values inside of longer texts: in a definition, an element of an action, a command line, a connection string.
//!
//! A value is found by the name before it: `<name>x.password</name><value>..`, `<password>..`, `PGPASSWORD=..`,
//! `--password ..`, `"token": ".."`, `Authorization: Bearer ..`. Texts need not be well formed.

use std::borrow::Cow;
use std::ops::Range;

use super::Properties;
use super::delivery::authority;
use super::secret_name::{HIDDEN, is_plain, is_secret, is_secret_value};

/// Words before the secret in a header.
const SCHEMES: [&str; 5] = ["basic", "bearer", "digest", "negotiate", "token"];
/// How a quote is written, in XML too.
const QUOTES: [&str; 4] = ["\"", "'", "&quot;", "&apos;"];

/// Returns where an XML text has secret values, in their order.
pub fn in_xml(text: &str) -> Vec<Range<usize>> {
    let mut search = Search { text, ..Search::default() };
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let end = |mark: &str| rest.find(mark).map_or(text.len(), |found| start + found + mark.len());
        at = if rest.starts_with("<!--") {
            end("-->")
        } else if rest.starts_with("<![CDATA[") {
            end("]]>")
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            end(">")
        } else {
            search.tag(start)
        };
    }
    search.found.sort_unstable_by_key(|range| range.start);
    search.found
}

/// Returns where a text without elements has secret values, in their order.
pub fn in_words(text: &str) -> Vec<Range<usize>> {
    Words { text, leaf: 0..text.len() }.secrets()
}

/// Returns the text with stars in these places.
pub fn hide<'t>(text: &'t str, places: &[Range<usize>]) -> Cow<'t, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for place in places.iter().filter(|place| !place.is_empty()) {
        if place.start >= at {
            out.extend([&text[at..place.start], HIDDEN]);
            at = place.end;
        }
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Returns a value as it is shown: stars when its name says that it is a secret, and for secrets inside of it.
pub fn shown(name: &str, value: String) -> String {
    if is_secret_value(name, &value) {
        return HIDDEN.to_owned();
    }
    let places = in_words(&value);
    if places.is_empty() { value } else { hide(&value, &places).into_owned() }
}

/// Checks whether a value has the stars of [`shown`].
pub fn has_stars(name: &str, value: &str) -> bool {
    let is_hidden = |place: Range<usize>| value[place].trim() == HIDDEN;
    (is_secret(name) && value.trim() == HIDDEN) || in_words(value).into_iter().any(is_hidden)
}

/// Returns the value of a setting as it is shown: also only the scheme and the host of a URL that lets a program in.
pub fn shown_setting(name: &str, value: String) -> String {
    let is_url =
        name == "howdah.tick.ping" || name.starts_with("howdah.alert.") && name.rsplit('.').next() == Some("url");
    if !is_url || value.is_empty() {
        return shown(name, value);
    }
    let start = authority(&value);
    match start.split_once("://") {
        Some((scheme, host)) => format!("{scheme}://{}/{HIDDEN}", host.rsplit('@').next().unwrap_or_default()),
        None => HIDDEN.to_owned(),
    }
}

/// Returns the values as they are shown.
pub fn without_secrets(values: Properties) -> Properties {
    values
        .into_iter()
        .map(|(name, value)| {
            let value = shown(&name, value);
            (name, value)
        })
        .collect()
}

/// The elements of a text.
#[derive(Default)]
struct Search<'t> {
    text: &'t str,
    found: Vec<Range<usize>>,
    /// An element that was opened last, and where its content begins.
    open: Option<(&'t str, usize)>,
    /// The name and the value of the current property.
    name: Option<&'t str>,
    value: Option<Range<usize>>,
    /// Elements of this name follow one that has only the name of an option.
    awaited: Option<&'t str>,
}

impl<'t> Search<'t> {
    /// Reads the tag at `start`; returns where it ends.
    fn tag(&mut self, start: usize) -> usize {
        let end = tag_end(self.text, start);
        let inside = self.text[start + 1..end].trim_end_matches('>');
        match inside.strip_prefix('/') {
            Some(name) => self.close(local(name), start),
            None if inside.ends_with('/') => self.open = None,
            None => self.open = Some((local(inside), end)),
        }
        end
    }

    fn close(&mut self, name: &str, start: usize) {
        match self.open.take() {
            Some((opened, begin)) if opened == name => self.leaf(opened, begin..start),
            _ => self.end_property(),
        }
    }

    /// Reads an element without elements in it.
    fn leaf(&mut self, name: &'t str, content: Range<usize>) {
        let text = &self.text[content.clone()];
        match name {
            "name" => self.name = Some(text.trim()),
            "value" => self.value = Some(content),
            _ if is_secret(name) || self.awaited == Some(name) => {
                self.awaited = None;
                self.found.extend((!is_plain(text)).then(|| trimmed(self.text, content)));
            }
            _ => {
                let option = text.trim();
                let is_option = option.starts_with('-') && option.bytes().all(is_of_name) && is_secret(bare(option));
                self.awaited = is_option.then_some(name);
                self.found.extend(Words { text: self.text, leaf: content }.secrets());
            }
        }
    }

    fn end_property(&mut self) {
        self.awaited = None;
        let (name, value) = (self.name.take(), self.value.take());
        let Some(value) = value else { return };
        if name.is_some_and(is_secret) {
            self.found.extend((!is_plain(&self.text[value.clone()])).then(|| trimmed(self.text, value)));
        } else {
            self.found.extend(Words { text: self.text, leaf: value }.secrets());
        }
    }
}

/// Returns where a tag ends; a `>` in the value of an attribute belongs to it.
fn tag_end(text: &str, start: usize) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Returns the name at the start of a tag, without its prefix.
fn local(tag: &str) -> &str {
    let name = tag.split(|character: char| character.is_whitespace() || character == '/').next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default()
}

/// Returns a range without the blanks at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..start + inside.trim().len()
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// Returns the name of an option: `--password`, `-Dmy.password`.
fn bare(word: &str) -> &str {
    let name = word.trim_start_matches('-');
    if name.len() == word.len() { name } else { name.strip_prefix('D').unwrap_or(name) }
}

/// A text of words and assignments, in a longer text.
struct Words<'t> {
    text: &'t str,
    leaf: Range<usize>,
}

impl Words<'_> {
    fn secrets(&self) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut found = Vec::new();
        let mut at = self.leaf.start;
        while at < self.leaf.end {
            if !is_of_name(bytes[at]) {
                at += 1;
                continue;
            }
            let length = bytes[at..self.leaf.end].iter().take_while(|byte| is_of_name(**byte)).count();
            let name = at..at + length;
            at = name.end;
            if is_secret(bare(&self.text[name.clone()]))
                && let Some(value) = self.value_of(&name)
            {
                at = value.end.max(at);
                found.extend((!is_plain(&self.text[value.clone()])).then_some(value));
            }
        }
        found
    }

    /// Returns the value that follows a name.
    fn value_of(&self, name: &Range<usize>) -> Option<Range<usize>> {
        let is_option = self.text[name.clone()].starts_with('-');
        let behind = self.blanks(name.end + self.quote(name.end).map_or(0, str::len));
        let is_first = self.text[self.leaf.start..name.start].trim().is_empty();
        let (start, is_assigned) = match &self.text.as_bytes()[behind..self.leaf.end] {
            [b'=', ..] => (self.blanks(behind + 1), true),
            [b':', next, ..] if next.is_ascii_whitespace() || self.quote(behind + 1).is_some() => {
                (self.blanks(behind + 1), true)
            }
            [next, ..] if is_option && behind > name.end && *next != b'-' => (behind, false),
            _ => return None,
        };
        if let Some(quote) = self.quote(start) {
            let start = start + quote.len();
            let end = self.text[start..self.leaf.end].find(quote).map_or(self.leaf.end, |found| start + found);
            return Some(start..end);
        }
        if is_assigned && is_first && !is_option {
            return Some(trimmed(self.text, start..self.leaf.end));
        }
        let word = self.word(start, is_option);
        if SCHEMES.iter().any(|scheme| self.text[word.clone()].eq_ignore_ascii_case(scheme)) {
            return Some(self.word(self.blanks(word.end), is_option));
        }
        Some(word)
    }

    /// Returns the word at a place: an option takes all up to a blank.
    fn word(&self, start: usize, is_option: bool) -> Range<usize> {
        let ends = |character: char| {
            character.is_whitespace()
                || matches!(character, '"' | '\'' | '<' | '>')
                || (!is_option && matches!(character, ';' | ',' | '&'))
        };
        let rest = &self.text[start..self.leaf.end];
        start..start + rest.find(ends).unwrap_or(rest.len())
    }

    fn blanks(&self, at: usize) -> usize {
        let rest = &self.text[at..self.leaf.end];
        at + (rest.len() - rest.trim_start().len())
    }

    fn quote(&self, at: usize) -> Option<&'static str> {
        QUOTES.into_iter().find(|quote| self.text[at..self.leaf.end].starts_with(quote))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_words_tell_secrets() {
        for (text, expect) in [
            ("PGPASSWORD=a b c", "PGPASSWORD=*****"),
            ("auth=Bearer abc", "auth=*****"),
            ("curl -H 'Authorization: Bearer abc' http://h", "curl -H 'Authorization: Bearer *****' http://h"),
            ("curl -H \"X-Auth-Token: abc\"", "curl -H \"X-Auth-Token: *****\""),
            ("import --password abc --table t", "import --password ***** --table t"),
            ("import --password --table t", "import --password --table t"),
            ("--password=a;b,c --x", "--password=***** --x"),
            ("-Dmy.password=abc -Xmx1g", "-Dmy.password=***** -Xmx1g"),
            ("--conf spark.hadoop.fs.s3a.secret.key=abc", "--conf spark.hadoop.fs.s3a.secret.key=*****"),
            ("jdbc:x://h;user=a;password=abc;z=1", "jdbc:x://h;user=a;password=*****;z=1"),
            ("jdbc:x://h?password=abc&amp;z=1", "jdbc:x://h?password=*****&amp;z=1"),
            ("{\"user\": \"a\", \"password\": \"abc\"}", "{\"user\": \"a\", \"password\": \"*****\"}"),
            ("{&quot;token&quot;:&quot;abc&quot;}", "{&quot;token&quot;:&quot;*****&quot;}"),
            ("--password ${pw} token=${t}", "--password ${pw} token=${t}"),
            ("--password p${pw}", "--password *****"),
            ("the password is long, author=x", "the password is long, author=x"),
            ("hdfs://key:8020/a", "hdfs://key:8020/a"),
            ("\u{e4} token=\u{e4}\u{df} \u{e4}", "\u{e4} token=***** \u{e4}"),
            ("--password", "--password"),
            ("token=", "token="),
            ("", ""),
        ] {
            let got = hide(text, &in_words(text));
            // A word of a scheme may stay or not.
            assert_eq!(got.replace("Bearer *****", "*****"), expect.replace("Bearer *****", "*****"), "{text}");
        }
    }

    #[test]
    fn elements_tell_secrets() {
        let property = |inside: &str| format!("<c><property>{inside}</property></c>");
        for (xml, expect) in [
            (
                property("<name>a.password</name><value>x</value>"),
                property("<name>a.password</name><value>*****</value>"),
            ),
            (
                property("<value>\n x </value><name>token</name>"),
                property("<value>\n ***** </value><name>token</name>"),
            ),
            (
                property("<name>key</name>\n<value><![CDATA[<x>]]></value><description>d</description>"),
                property("<name>key</name>\n<value>*****</value><description>d</description>"),
            ),
            (
                property("<name>url</name><value>jdbc:x;password=y;</value>"),
                property("<name>url</name><value>jdbc:x;password=*****;</value>"),
            ),
            (property("<name>a.token</name><value>${t}</value>"), property("<name>a.token</name><value>${t}</value>")),
            (property("<name>a</name><value>x</value>"), property("<name>a</name><value>x</value>")),
            (
                "<w:a x='>'><w:password>x</w:password><b/><env-var>A_TOKEN=a b</env-var></w:a>".to_owned(),
                "<w:a x='>'><w:password>*****</w:password><b/><env-var>A_TOKEN=*****</env-var></w:a>".to_owned(),
            ),
            (
                "<s><argument>--password</argument><!-- c -->\n<argument>x y</argument><argument>z</argument></s>"
                    .to_owned(),
                "<s><argument>--password</argument><!-- c -->\n<argument>*****</argument><argument>z</argument></s>"
                    .to_owned(),
            ),
            ("<a><password>x</password".to_owned(), "<a><password>*****</password".to_owned()),
            ("<a><".to_owned(), "<a><".to_owned()),
        ] {
            assert_eq!(hide(&xml, &in_xml(&xml)), expect, "{xml}");
        }
    }

    #[test]
    fn only_the_value_is_hidden() {
        let values = [("A", "1"), ("A_TOKEN", "x"), ("B_TOKEN", "")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let shown: Vec<(String, String)> = without_secrets(values.into()).into_iter().collect();
        let expect = [("A", "1"), ("A_TOKEN", HIDDEN), ("B_TOKEN", "")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(shown, expect);
    }
}
