//! Writes an element as XML text that reads back as the same tree.
//!
//! Adds no white space. Declares a namespace where it differs from the one in scope.

use std::sync::Arc;

use super::character::is_legal;
use super::element::{Attribute, Element, Node};

/// Returns the element and everything in it as XML text, readable on its own.
pub fn write(element: &Element) -> String {
    let mut out = String::new();
    write_element(element, &mut Vec::new(), &mut out);
    out
}

/// Returns the text as it is written between tags; characters that XML does not allow become U+FFFD.
pub fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(text, IN_TEXT, &mut out);
    out
}

/// The namespace of a prefix (`None`: no prefix) at each depth; later entries win.
type Scope = Vec<(Option<Arc<str>>, Option<Arc<str>>)>;

fn write_element(element: &Element, scope: &mut Scope, out: &mut String) {
    let depth = scope.len();
    out.push('<');
    push_name(element.prefix.as_deref(), &element.name, out);
    declare(element.prefix.as_ref(), element.namespace.as_ref(), scope, out);
    for attribute in &element.attributes {
        if attribute.prefix.is_some() {
            declare(attribute.prefix.as_ref(), attribute.namespace.as_ref(), scope, out);
        }
        write_attribute(attribute, out);
    }
    if element.children.is_empty() {
        out.push_str("/>");
    } else {
        out.push('>');
        for child in &element.children {
            match child {
                Node::Element(child) => write_element(child, scope, out),
                Node::Text(text) => push_escaped(&text.value, IN_TEXT, out),
            }
        }
        out.push_str("</");
        push_name(element.prefix.as_deref(), &element.name, out);
        out.push('>');
    }
    scope.truncate(depth);
}

fn write_attribute(attribute: &Attribute, out: &mut String) {
    out.push(' ');
    push_name(attribute.prefix.as_deref(), &attribute.name, out);
    push_value(&attribute.value.value, out);
}

/// Declares the namespace of a prefix unless it is in scope already.
fn declare(prefix: Option<&Arc<str>>, namespace: Option<&Arc<str>>, scope: &mut Scope, out: &mut String) {
    let known = scope.iter().rev().find(|(name, _)| name.as_ref() == prefix);
    let in_scope = known.and_then(|(_, namespace)| namespace.as_ref());
    if in_scope == namespace || prefix.is_some_and(|prefix| &**prefix == "xml") {
        return;
    }
    out.push_str(" xmlns");
    if let Some(prefix) = prefix {
        out.push(':');
        out.push_str(prefix);
    }
    push_value(namespace.map_or("", |namespace| namespace), out);
    scope.push((prefix.cloned(), namespace.cloned()));
}

fn push_name(prefix: Option<&str>, name: &str, out: &mut String) {
    if let Some(prefix) = prefix {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(name);
}

fn push_value(value: &str, out: &mut String) {
    out.push_str("=\"");
    push_escaped(value, IN_ATTRIBUTE, out);
    out.push('"');
}

/// Characters to escape in a text. A bare carriage return would read back as a line feed.
const IN_TEXT: &[char] = &['&', '<', '>', '\r'];

/// Characters to escape between double quotes. Bare white space would read back as a blank.
const IN_ATTRIBUTE: &[char] = &['&', '<', '>', '"', '\t', '\n', '\r'];

fn push_escaped(mut text: &str, special: &[char], out: &mut String) {
    while let Some(at) = text.find(|character| special.contains(&character) || !is_legal(character)) {
        out.push_str(&text[..at]);
        text = &text[at..];
        let mut rest = text.chars();
        out.push_str(match rest.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some('\t') => "&#9;",
            Some('\n') => "&#10;",
            Some('\r') => "&#13;",
            _ => "\u{FFFD}",
        });
        text = rest.as_str();
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use crate::read;
    use howdah_words::error::SourceText;

    use super::*;

    fn check(xml: &str, expect: &str) {
        let written = write(&read(&SourceText::new("f.xml", xml)).unwrap().root);
        assert_eq!(written, expect, "{xml}");
        let again = write(&read(&SourceText::new("f.xml", written.as_str())).unwrap().root);
        assert_eq!(again, expect, "written again: {xml}");
    }

    #[test]
    fn writes_what_reads_back_the_same() {
        check("<a  b = '1' ></a >", r#"<a b="1"/>"#);
        check("<a> x\n</a>", "<a> x\n</a>");
        check("<a>&lt;<![CDATA[&]]>]]&gt;&#13;</a>", "<a>&lt;&amp;]]&gt;&#13;</a>");
        check(r#"<a b='"&#10;&#9;&amp;'/>"#, r#"<a b="&quot;&#10;&#9;&amp;"/>"#);
        check("<a>\n <b/>\n <!-- c --> <c>t</c></a>", "<a><b/><c>t</c></a>");
    }

    #[test]
    fn declares_namespaces_where_they_change() {
        check(r#"<a xmlns="u"><b/><c xmlns="v"><d/></c></a>"#, r#"<a xmlns="u"><b/><c xmlns="v"><d/></c></a>"#);
        check(r#"<a xmlns="u"><b xmlns=""/></a>"#, r#"<a xmlns="u"><b xmlns=""/></a>"#);
        check(
            r#"<s:a xmlns:s="u" xmlns:t="w" t:x="1"><s:b t:y="2"/></s:a>"#,
            r#"<s:a xmlns:s="u" xmlns:t="w" t:x="1"><s:b t:y="2"/></s:a>"#,
        );
        check(r#"<a xml:lang="en"/>"#, r#"<a xml:lang="en"/>"#);
    }

    #[test]
    fn escapes_a_text() {
        assert_eq!(escape_text("a<b>&\"\u{1}\u{FFFF}\r\n"), "a&lt;b&gt;&amp;\"\u{FFFD}\u{FFFD}&#13;\n");
    }

    #[test]
    fn a_part_of_a_document_is_readable_alone() {
        let source = SourceText::new("f.xml", r#"<a xmlns="u" xmlns:s="v"><b><s:c/></b></a>"#);
        let root = read(&source).unwrap().root;
        assert_eq!(write(root.child("b").unwrap()), r#"<b xmlns="u"><s:c xmlns:s="v"/></b>"#);
    }
}
