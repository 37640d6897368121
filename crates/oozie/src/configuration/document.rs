//! Hadoop `<configuration>` XML: reads it to properties and writes it.
//!
//! Follows `XConfiguration.parse`: names are trimmed, values are not, `<configuration>` may be nested, the last value
//! of a name counts. An empty value is an empty string (Oozie loses it). Values are taken unchanged;
//! [`substitute`](super::substitute) replaces `${name}`.

use std::fmt::Write as _;
use std::sync::Arc;

use super::properties::{ParsedProperties, PropertySpans};
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{Element, escape_text};

/// Returns the properties of a `<configuration>` element of `source`, in any namespace.
///
/// # Errors
///
/// E0700, with the place, for another element or a child that is not a `<property>`.
pub fn read_configuration(element: &Element, source: &Arc<SourceText>) -> Result<ParsedProperties> {
    let mut parsed = ParsedProperties::of(source);
    if element.name != "configuration" {
        return Err(bad(element, source, "the top-level element is not <configuration>"));
    }
    read_properties(element, source, &mut parsed)?;
    Ok(parsed)
}

/// Returns the properties as in Oozie's configurations: the job's user also under Hadoop's name for it.
pub fn with_user_names(mut properties: Properties) -> Properties {
    if let Some(user) = properties.get("user.name").cloned() {
        properties.entry("mapreduce.job.user.name".to_owned()).or_insert(user);
    }
    properties
}

fn read_properties(element: &Element, source: &Arc<SourceText>, parsed: &mut ParsedProperties) -> Result<()> {
    for child in element.elements() {
        match child.name.as_str() {
            "configuration" => read_properties(child, source, parsed)?,
            "property" => read_property(child, source, parsed)?,
            _ => return Err(bad(child, source, "an element is not <property>")),
        }
    }
    Ok(())
}

/// Skips a property without name or without value, as Hadoop does.
fn read_property(property: &Element, source: &Arc<SourceText>, parsed: &mut ParsedProperties) -> Result<()> {
    let (Some(name), Some(value)) = (property.children_named("name").last(), property.children_named("value").last())
    else {
        return Ok(());
    };
    if let Some(inner) = name.elements().chain(value.elements()).next() {
        return Err(bad(inner, source, "an element inside a <name> or <value>"));
    }
    let name = name.text();
    if !name.value.is_empty() {
        let value = value.raw_text();
        parsed.set(name.value, value.value, PropertySpans { name: name.span, value: value.span });
    }
    Ok(())
}

fn bad(element: &Element, source: &Arc<SourceText>, what: &str) -> Error {
    Error::new(ErrorCode::E0700, format_args!("bad conf file: {what}, but <{}>", element.name))
        .reported_by_oozie_as(ErrorCode::E0803)
        .at(Location::new(source, element.tag))
        .help("write <configuration><property><name>...</name><value>...</value></property></configuration>")
}

/// Returns the properties as a configuration document, one property per line, in the order of the names.
pub fn write_configuration(properties: &Properties) -> String {
    let mut out = "<configuration>\n".to_owned();
    for (name, value) in properties {
        let (name, value) = (escape_text(name), escape_text(value));
        writeln!(out, "  <property><name>{name}</name><value>{value}</value></property>")
            .expect("writing to a string succeeds");
    }
    out + "</configuration>\n"
}

#[cfg(test)]
mod tests {
    use howdah_xml::read;

    use super::*;

    fn parse(xml: &str) -> Result<ParsedProperties> {
        let source = SourceText::new("f.xml", xml);
        let document = read(&source).unwrap();
        read_configuration(&document.root, &source)
    }

    #[test]
    fn reads_names_trimmed_and_values_unchanged() {
        let parsed = parse(
            "<configuration><property><value> 1 </value><name>\n a </name><final>true</final></property>\
             <configuration><property><name>b</name><value/></property></configuration>\
             <property><name>c</name></property><property><name> </name><value>x</value></property></configuration>",
        )
        .unwrap();
        let expect = [("a", " 1 "), ("b", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parsed.values, expect.into());
        assert_eq!(parsed.locate("a").unwrap().line_column(), (2, 2));
    }

    #[test]
    fn refuses_other_elements_at_their_place() {
        for (xml, column) in [
            ("<config/>", 2),
            ("<configuration><prop/></configuration>", 17),
            ("<configuration><property><name>a</name><value><b/></value></property></configuration>", 48),
        ] {
            let error = parse(xml).unwrap_err();
            assert_eq!(error.location().unwrap().line_column(), (1, column), "{xml}: {error}");
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let properties: Properties =
            [("a<b", " x & \r\n"), ("é", ""), ("z", "${a}")].map(|(n, v)| (n.to_owned(), v.to_owned())).into();
        assert_eq!(parse(&write_configuration(&properties)).unwrap().values, properties);
    }
}
