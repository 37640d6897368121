//! The client configuration of a Hadoop cluster: `core-site.xml` and `hdfs-site.xml` of a folder.
//!
//! Reads as Hadoop does: a later value replaces an earlier one unless that is final, `xi:include` inserts another file,
//! and `${name}` and `${env.NAME}` are replaced when a value is asked for. Must not depend on what the properties mean.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::super::found::{self, Verdict};
use super::super::{files, variables};
use super::StoreError;

/// The files, in the order in which they are read.
pub(super) const FILES: [&str; 2] = ["core-site.xml", "hdfs-site.xml"];
/// The largest file, in bytes.
const LARGEST_FILE: u64 = 4 << 20;
/// How many files may include each other.
const DEEPEST_INCLUDE: usize = 8;
/// How many references of one value are replaced; Hadoop's own bound.
const MOST_REFERENCES: usize = 20;

/// The properties of a cluster.
#[derive(Debug, Default)]
pub(super) struct HadoopConf {
    values: BTreeMap<String, String>,
    is_final: BTreeSet<String>,
}

/// A property that is being read.
#[derive(Default)]
struct Property {
    name: String,
    value: Option<String>,
    is_final: String,
}

impl HadoopConf {
    /// Reads the files of a folder; one of them may be missing.
    ///
    /// # Errors
    /// A [`StoreError`]: unknown when the machine cannot read a file at present, else refused.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let mut conf = Self::default();
        let mut found = false;
        for file in FILES {
            found |= conf.add_file(&folder.join(file), 0)?;
        }
        if found {
            return Ok(conf);
        }
        let text = format!("the folder [{}] has neither {} nor {}", folder.display(), FILES[0], FILES[1]);
        Err(StoreError::refused(io::ErrorKind::InvalidInput, text))
    }

    /// The value of a property, with its references replaced; `None` when it is unset or empty.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let value = self.expanded(self.values.get(name)?);
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// The values of a property that is a list.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let value = self.get(name).unwrap_or_default();
        value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    /// The names of all properties, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// A reference that cannot be replaced stays, as in Hadoop.
    fn expanded(&self, value: &str) -> String {
        let mut text = value.to_owned();
        for _ in 0..MOST_REFERENCES {
            let Some((start, end)) = innermost_reference(&text) else { break };
            let Some(replacement) = self.referenced(&text[start + 2..end]) else { break };
            text.replace_range(start..=end, &replacement);
        }
        text
    }

    fn referenced(&self, name: &str) -> Option<String> {
        let Some(variable) = name.strip_prefix("env.") else { return self.values.get(name).cloned() };
        let (variable, default) = variable.split_once('-').map_or((variable, None), |(v, d)| (v, Some(d)));
        let variable = variable.strip_suffix(':').unwrap_or(variable);
        variables::get(variable).or_else(|| default.map(str::to_owned))
    }

    /// Adds the properties of a file; `false` when it does not exist.
    fn add_file(&mut self, file: &Path, depth: usize) -> io::Result<bool> {
        let refuse = |why: &str| {
            StoreError::refused(io::ErrorKind::InvalidData, format!("[{}] cannot be used: {why}", file.display()))
        };
        if depth > DEEPEST_INCLUDE {
            return Err(refuse("too many files include each other"));
        }
        let bytes = match files::read_start(file, LARGEST_FILE + 1) {
            Ok(bytes) => bytes,
            Err(error) => return unread(file, &error),
        };
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(refuse(&format!("it is larger than {LARGEST_FILE} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8"))?;
        let include = |conf: &mut Self, href: &str| {
            let path = href.strip_prefix("file://").or_else(|| href.strip_prefix("file:")).unwrap_or(href);
            conf.add_file(&file.parent().unwrap_or(Path::new("/")).join(path), depth + 1)
        };
        match self.add_text(&text, include) {
            Ok(()) => Ok(true),
            Err(Problem::Text(why)) => Err(refuse(&why)),
            Err(Problem::Included(error)) => Err(error),
        }
    }

    /// Adds the properties of a text; `include` adds those of a file, and answers `false` when that does not exist.
    fn add_text(&mut self, text: &str, include: impl Fn(&mut Self, &str) -> io::Result<bool>) -> Result<(), Problem> {
        let mut reader = Reader::from_str(text);
        let mut property: Option<Property> = None;
        let mut open: Vec<String> = Vec::new();
        // How many of the open elements are outside of a fallback that is not needed.
        let mut skipped_from: Option<usize> = None;
        // Whether the include around a fallback has found its file.
        let mut included: Option<bool> = None;
        loop {
            let event = reader.read_event().map_err(|error| Problem::Text(format!("bad XML: {error}")))?;
            let is_empty = matches!(event, Event::Empty(_));
            let part = match event {
                Event::Start(tag) | Event::Empty(tag) => {
                    let name = tag.local_name().into_inner().to_owned();
                    if skipped_from.is_none() {
                        match name.as_str() {
                            "property" => property = Some(of_attributes(&tag)?),
                            "include" => {
                                let href = attribute(&tag, "href")?
                                    .ok_or_else(|| Problem::Text("an include has no href".to_owned()))?;
                                let found = include(self, &href).map_err(Problem::Included)?;
                                if !found && is_empty {
                                    return Err(absent(&href));
                                }
                                included = Some(found);
                            }
                            // An empty element is an empty value.
                            "value" => property.iter_mut().for_each(|property| property.add("value", "")),
                            "fallback" if included == Some(true) => skipped_from = Some(open.len()),
                            "fallback" => included = None,
                            _ => {}
                        }
                    }
                    open.push(name);
                    if is_empty {
                        self.close(&mut open, &mut property, &mut skipped_from);
                    }
                    continue;
                }
                Event::End(tag) => {
                    if tag.local_name().into_inner() == "include" && included.take() == Some(false) {
                        return Err(absent("the included file"));
                    }
                    self.close(&mut open, &mut property, &mut skipped_from);
                    continue;
                }
                Event::Text(part) => part.to_string(),
                Event::CData(part) => part.to_string(),
                Event::GeneralRef(name) => unescape(&format!("&{};", &*name))
                    .map_err(|error| Problem::Text(format!("bad XML: {error}")))?
                    .into_owned(),
                Event::Eof if open.is_empty() => return Ok(()),
                Event::Eof => return Err(Problem::Text("it ends too early".to_owned())),
                _ => continue,
            };
            if skipped_from.is_none()
                && let (Some(property), Some(field)) = (&mut property, open.last())
            {
                property.add(field, &part);
            }
        }
    }

    /// Closes the innermost element.
    fn close(&mut self, open: &mut Vec<String>, property: &mut Option<Property>, skipped_from: &mut Option<usize>) {
        let name = open.pop();
        if skipped_from.is_some_and(|from| open.len() <= from) {
            *skipped_from = None;
        } else if name.as_deref() == Some("property")
            && let Some(property) = property.take()
        {
            self.set(property);
        }
    }

    fn set(&mut self, property: Property) {
        let name = property.name.trim().to_owned();
        let Some(value) = property.value.filter(|_| !name.is_empty() && !self.is_final.contains(&name)) else { return };
        if property.is_final.trim() == "true" {
            self.is_final.insert(name.clone());
        }
        self.values.insert(name, value);
    }
}

#[cfg(test)]
impl HadoopConf {
    /// Properties of a test: `name=value`, separated by blanks.
    pub(super) fn of_pairs(pairs: &str) -> Self {
        let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { values: pairs.split_whitespace().filter_map(pair).collect(), ..Self::default() }
    }
}

/// What is wrong with a file.
enum Problem {
    Text(String),
    /// An included file cannot be used.
    Included(io::Error),
}

fn absent(href: &str) -> Problem {
    Problem::Text(format!("it includes [{href}], which does not exist"))
}

impl Property {
    fn add(&mut self, field: &str, part: &str) {
        match field {
            "name" => self.name.push_str(part),
            "value" => self.value.get_or_insert_default().push_str(part),
            "final" => self.is_final.push_str(part),
            _ => {}
        }
    }
}

/// A property whose parts are attributes, as Hadoop 3 allows.
fn of_attributes(tag: &BytesStart<'_>) -> Result<Property, Problem> {
    let get = |name: &str| attribute(tag, name);
    let (name, is_final) = (get("name")?.unwrap_or_default(), get("final")?.unwrap_or_default());
    Ok(Property { name, value: get("value")?, is_final })
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, Problem> {
    let bad = |error: &dyn std::fmt::Display| Problem::Text(format!("bad XML: {error}"));
    let Some(found) = tag.try_get_attribute(name).map_err(|error| bad(&error))? else { return Ok(None) };
    Ok(Some(unescape(&found.value).map_err(|error| bad(&error))?.into_owned()))
}

/// The answer for a file that cannot be read: `false` when it does not exist for certain.
fn unread(file: &Path, error: &io::Error) -> io::Result<bool> {
    let text = format!("[{}] cannot be read: {error}", file.display());
    match found::verdict(error) {
        Verdict::Absent => Ok(false),
        Verdict::Refused => Err(StoreError::refused(error.kind(), text)),
        Verdict::Unknown => Err(StoreError::unknown(text)),
    }
}

/// The first `${...}` without another one in it: the offsets of its first and its last byte.
fn innermost_reference(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(end) = text[from..].find('}').map(|end| from + end) {
        if let Some(start) = text[..end].rfind("${").filter(|start| *start >= from) {
            return Some((start, end));
        }
        from = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn property(name: &str, value: &str) -> String {
        format!("<property><name>{name}</name><value>{value}</value></property>")
    }

    fn site(properties: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">{properties}\
             </configuration>"
        )
    }

    #[test]
    fn values_are_read_as_hadoop_reads_them() {
        let core = [
            property("fs.defaultFS", "hdfs://${host}:8020"),
            property("host", "\n nn1.example \n"),
            property("nested", "${na${empty}me}"),
            property("name", "found"),
            property("empty", ""),
            property("open", "${nothing} ${name}"),
            property("unclosed", "${name"),
            property("endless", "x${endless}"),
            property("marks", "a &amp; b&#33; <![CDATA[<c>]]>"),
            property("home", "${env.HOWDAH_NO_SUCH_VARIABLE:-/none}"),
            property("list", " a, b ,,c"),
            "<property><name>fixed</name><value>1</value><final>true</final></property>".to_owned(),
            "<property name=\"short\" value=\"2\"/>".to_owned(),
            "<!-- <property><name>no</name><value>1</value></property> -->".to_owned(),
        ];
        let hdfs = site(&(property("fixed", "2") + &property("name", "later")));
        let folder = folder(&[("core-site.xml", &site(&core.concat())), ("hdfs-site.xml", &hdfs)]);
        let conf = HadoopConf::read(folder.path()).unwrap();
        let endless = format!("{}${{endless}}", "x".repeat(1 + MOST_REFERENCES));
        for (name, expect) in [
            ("fs.defaultFS", Some("hdfs://\n nn1.example \n:8020")),
            ("host", Some("nn1.example")),
            ("nested", Some("later")),
            ("open", Some("${nothing} ${name}")),
            ("unclosed", Some("${name")),
            ("endless", Some(endless.as_str())),
            ("marks", Some("a & b! <c>")),
            ("home", Some("/none")),
            ("fixed", Some("1")),
            ("short", Some("2")),
            ("empty", None),
            ("no", None),
        ] {
            assert_eq!(conf.get(name).as_deref(), expect, "{name}");
        }
        assert_eq!(conf.list("list"), ["a", "b", "c"]);
    }

    #[test]
    fn other_files_are_included() {
        let fallback = "<xi:include href=\"none.xml\"><xi:fallback><property><name>b</name><value>2</value></property>\
                        </xi:fallback></xi:include>";
        let unused = "<xi:include href=\"more.xml\"><xi:fallback><property><name>a</name><value>3</value></property>\
                      </xi:fallback></xi:include>";
        let text = site(&format!("{unused}{fallback}{}", property("c", "3")));
        let folder = folder(&[("core-site.xml", &text), ("more.xml", &site(&property("a", "1")))]);
        let conf = HadoopConf::read(folder.path()).unwrap();
        let values = ["a", "b", "c"].map(|name| conf.get(name).unwrap());
        assert_eq!(values, ["1", "2", "3"]);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let include = |file: &str| site(&format!("<xi:include href=\"{file}\"/>"));
        for (text, expect) in [
            ("<configuration>", "core-site.xml] cannot be used: it ends too early"),
            ("<configuration></c>", "core-site.xml] cannot be used: bad XML: "),
            (&site("<property><name>a&b;</name></property>"), "core-site.xml] cannot be used: bad XML: "),
            (&include("none.xml"), "core-site.xml] cannot be used: it includes [none.xml], which does not exist"),
            (&include("core-site.xml"), "core-site.xml] cannot be used: too many files include each other"),
        ] {
            let folder = folder(&[("core-site.xml", text)]);
            let error = HadoopConf::read(folder.path()).unwrap_err();
            assert_eq!(found::verdict(&error), Verdict::Refused, "{text}");
            assert!(error.to_string().contains(expect), "{text}: {error}");
        }
        let empty = folder(&[]);
        let error = HadoopConf::read(empty.path()).unwrap_err();
        assert!(error.to_string().ends_with("has neither core-site.xml nor hdfs-site.xml"), "{error}");
    }
}
