//! The table of ill-formed texts, and of texts that only look ill formed.

use proptest::prelude::*;

use super::*;
use crate::{Document, read};
use howdah_words::error::ErrorCode;

fn document(xml: &str) -> Document {
    compare(xml);
    read(&SourceText::new("f.xml", xml)).unwrap_or_else(|errors| panic!("{xml}: {errors:?}"))
}

/// What the quick reader accepts the complete one accepts too, and reads the same.
fn compare(xml: &str) {
    let Some(root) = quick::read(xml) else { return };
    let complete = read_completely(&SourceText::new("f.xml", xml));
    let complete = complete.unwrap_or_else(|errors| panic!("only the quick reader accepts {xml:?}: {errors:?}"));
    assert_eq!(format!("{root:?}"), format!("{:?}", complete.root), "{xml:?}");
}

/// The text is refused; the places of all problems are as given.
fn check(xml: &str, places: &[(usize, usize)], words: &str) {
    compare(xml);
    let errors = read(&SourceText::new("f.xml", xml)).expect_err(xml);
    let got: Vec<_> = errors.iter().map(|error| error.location().expect("a place").line_column()).collect();
    assert_eq!(got, places, "{xml:?}: {errors:?}");
    assert!(errors[0].message().contains(words), "{xml:?}: {}", errors[0]);
    for error in &errors {
        assert_eq!((error.code(), error.oozie_code()), (ErrorCode::E0700, Some(ErrorCode::E0701)), "{xml:?}");
        assert!(error.help_text().is_some(), "{xml:?}: no help");
    }
}

#[test]
fn refuses_anything_but_one_closed_element() {
    check("", &[(1, 1)], "no element");
    check(" \n", &[(2, 1)], "no element");
    check("<!-- c -->", &[(1, 11)], "no element");
    check("x", &[(1, 1)], "outside of the root");
    check("<a/>\nx", &[(2, 1)], "outside of the root");
    check("<a/>&lt;", &[(1, 5)], "outside of the root");
    check("<a/><![CDATA[x]]>", &[(1, 5)], "outside of the root");
    check("<a/>\n<b/>", &[(2, 2)], "second root");
    check("<a>\n <b>", &[(2, 3)], "`<b>` is never closed");
    check("<a>", &[(1, 2)], "`<a>` is never closed");
    check("<a>\n <b></a>", &[(2, 5)], "`</a>` where `</b>` was expected");
    check("</a>", &[(1, 1)], "has no start tag");
    check("<a></a></a>", &[(1, 8)], "has no start tag");
    check("<a></ a>", &[(1, 4)], "where `</a>` was expected");
}

#[test]
fn refuses_unclosed_markup() {
    check("<a", &[(1, 1)], "tag is never closed");
    check("<a><b x='1></a>", &[(1, 4)], "attribute value in this tag is never closed");
    check("<a><!-- x</a>", &[(1, 4)], "comment is never closed");
    check("<a><![CDATA[x]]</a>", &[(1, 4)], "CDATA section is never closed");
    check("<a><?x</a>", &[(1, 4)], "instruction is never closed");
    check("<a><!x></a>", &[(1, 4)], "neither a comment nor");
    check("<a>1 < 2</a>", &[(1, 6)], "does not start a tag");
}

#[test]
fn refuses_bad_names_and_prefixes() {
    check("<1a/>", &[(1, 2)], "`1a` is not a name");
    check("<a 1='x'/>", &[(1, 4)], "`1` is not a name");
    check("<a:b:c xmlns:a='u'/>", &[(1, 2)], "not a name");
    check("<a:/>", &[(1, 2)], "not a name");
    check("< a/>", &[(1, 1)], "does not start a tag");
    check("<a>\n<s:b/><s:c s:d='1'/></a>", &[(2, 2), (2, 8), (2, 12)], "the prefix `s` is not declared");
    check("<xmlns:a/>", &[(1, 2)], "reserved");
    check("<a xmlns:p=''/>", &[(1, 4)], "has no namespace");
}

#[test]
fn refuses_bad_attributes() {
    check("<a x='1' y='2' x='3'/>", &[(1, 16)], "`x` is given twice");
    check("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", &[(1, 36)], "`x` is given twice");
    check("<a x/>", &[(1, 5)], "without value");
    check("<a x=1/>", &[(1, 6)], "without quotes");
    check("<a x='1'y='2'/>", &[(1, 9)], "no blank");
    check("<a x='1<2' y='&'/>", &[(1, 8), (1, 15)], "`<` inside");
    check("<a x='&nbsp;'/>", &[(1, 7)], "`&nbsp;` is not defined");
}

#[test]
fn refuses_bad_text() {
    check("<a>b & c</a>", &[(1, 6)], "`&` does not start a reference");
    check("<a>&nbsp;</a>", &[(1, 4)], "`&nbsp;` is not defined");
    check("<a>&#0;&#xD800;</a>", &[(1, 4), (1, 8)], "`&#0;` is not defined");
    check("<a>&a b;</a>", &[(1, 4)], "`&` does not start a reference");
    check("<a>]]></a>", &[(1, 4)], "outside of a CDATA");
    check("<a>\n\u{1}</a>", &[(2, 1)], "U+0001");
    check("<a>\u{FFFE}</a>", &[(1, 4)], "U+FFFE");
    check("<a><!-- a -- b --></a>", &[(1, 11)], "`--` inside");
    check("<a><!-- a-b - c--d --></a>", &[(1, 16)], "`--` inside");
    check("<a><!-- a ---></a>", &[(1, 11)], "`--` inside");
}

#[test]
fn refuses_bad_prologs() {
    check(" <?xml version='1.0'?><a/>", &[(1, 2)], "not at the start");
    check("<?xml version='2.0'?><a/>", &[(1, 1)], "malformed");
    check("<?xml encoding='UTF-8'?><a/>", &[(1, 1)], "malformed");
    check("<?xml version='1.0'encoding='UTF-8'?><a/>", &[(1, 1)], "malformed");
    check("<?xml?><a/>", &[(1, 1)], "malformed");
    check("<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>", &[(1, 1)], "malformed");
    check("<?xml version='1.0' encoding='8'?><a/>", &[(1, 1)], "malformed");
    check("<?XML x?><a/>", &[(1, 1)], "not the name of a processing");
    check("<!DOCTYPE a><a/>", &[(1, 1)], "document type");
    check("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", &[(1, 1)], "document type");
    check("<!DOCTYPE a [", &[(1, 1)], "document type");
    check("<a><!DOCTYPE></a>", &[(1, 4)], "document type");
}

#[test]
fn accepts_what_only_looks_ill_formed() {
    for xml in [
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='no' ?>\n<!-- c --><?p?><a/>\n<!-- d -->\n",
        "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>",
        "<a\n x = '>'\ty=\"'\"></a\n>",
        "<a>> ]] ></a>",
        "<a xmlns=''/>",
        "<a><![CDATA[]]></a>",
        "<é.1-_/>",
        "<a xml:space='preserve'/>",
    ] {
        document(xml);
    }
}

#[test]
fn bounds_depth_attributes_and_sizes() {
    let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    document(&nested(MAX_DEPTH));
    check(&nested(100_000), &[(1, 3 * MAX_DEPTH + 2)], "more than 200 levels");
    let many = (0..=MAX_ATTRIBUTES).fold(String::new(), |many, number| many + &format!("\nx{number}='1'"));
    check(&format!("<a{many}/>"), &[(MAX_ATTRIBUTES + 2, 1)], "more than 200 attributes");
    check(&format!("<a x='{}'/>", "x".repeat(10 << 20)), &[(1, 7)], "more than 1048576 bytes");
    check(&format!("<a>{}</a>", "x".repeat(MAX_BYTES)), &[(1, 1)], "the document has more than");
    let faults = read(&SourceText::new("f.xml", format!("<a>{}</a>", "&x;".repeat(1000)))).unwrap_err();
    let says_so = |fault: &Error| fault.help_text().is_some_and(|help| help.contains("only the first 50 problems"));
    assert_eq!(faults.iter().map(says_so).collect::<Vec<_>>(), [vec![false; MAX_PROBLEMS - 1], vec![true]].concat());
}

#[test]
fn a_byte_order_mark_only_shifts_offsets() {
    let root = document("\u{FEFF}<?xml version='1.0'?><a x='1'>t</a>").root;
    assert_eq!((root.span, root.tag), (Span::new(24, 38), Span::new(25, 26)));
    assert_eq!(root.text().span, Span::new(33, 34));
    check("\u{FEFF}<a>\n<b></a>", &[(2, 4)], "expected");
}

#[test]
fn references_in_a_namespace_are_replaced() {
    let root = document("<a xmlns='u&#58;x' xmlns:p='u:x'><p:b/></a>").root;
    assert_eq!((root.namespace.as_deref(), root.child("b").unwrap().namespace.as_deref()), (Some("u:x"), Some("u:x")));
    check("<a xmlns:p='&#117;' xmlns:q='u' p:x='' q:x=''/>", &[(1, 40)], "given twice");
}

#[test]
fn spans_cover_elements_names_and_values() {
    let xml = "<a>\n <s:b xmlns:s='u' s:x = \"1\" y='&lt;'>t</s:b></a>";
    let root = document(xml).root;
    let b = root.child("b").unwrap();
    let part = |span: Span| &xml[span.start..span.end];
    assert_eq!(part(root.span), xml);
    assert_eq!(part(b.tag), "s:b");
    assert_eq!(part(b.attributes[0].span), "s:x = \"1\"");
    assert_eq!(part(b.attributes[0].value.span), "1");
    assert!(!b.attributes[1].value.verbatim);
    assert_eq!((b.namespace.as_deref(), b.attributes[0].namespace.as_deref()), (Some("u"), Some("u")));
    assert_eq!(b.attributes[1].namespace, None);
}

#[test]
fn usual_documents_are_read_quickly() {
    for xml in [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n<a xmlns='u'>\n  <b x='1' y=\"2\"/> <c> t </c>\n</a>\n",
        "<s:a xmlns:s='u' xmlns='v'><s:b s:x='1' x='&lt;'>1 &lt; 2<!-- d -->&#65;</s:b><c xmlns='w' /></s:a>",
        "<a>\r\n<![CDATA[ <b> ]]> é </a>",
    ] {
        assert!(quick::read(xml).is_some(), "{xml}");
        document(xml);
    }
}

/// A document, most often without faults.
fn documents() -> impl Strategy<Value = String> {
    let attribute =
        r#"( |\n)(x|y|s:x|t:x|a-b|é)( ?= ?)("[ -~\t]{0,3}"|'(1|&lt;|&amp;|é|\n)*')|( xmlns(:[st])?=['"][uv]?['"])"#;
    let text = r"[ \n\ra&;\]>é]{0,3}|&(lt|gt|#65|x);|<!--[ a-]{0,4}-->|<!\[CDATA\[[a\] <]{0,4}\]\]>|<\?p\?>";
    text.prop_recursive(4, 24, 4, move |inner| {
        let attributes = prop::collection::vec(attribute, 0..4);
        let name = "a|b|s:c|t:d|e.1|xmlns:f";
        (name, attributes, prop::collection::vec(inner, 0..4), " ?").prop_map(|(name, attributes, inner, blank)| {
            let (attributes, inner) = (attributes.concat(), inner.concat());
            match inner.as_str() {
                "" => format!("<{name}{attributes}{blank}/>"),
                _ => format!("<{name}{attributes}{blank}>{inner}</{name}{blank}>"),
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_agree(
        xml in documents(),
        prolog in r#"(<\?xml version="1.0"( encoding="UTF-8")?\?>)?\n?"#,
        cut in any::<prop::sample::Index>(),
        damage in "[<>/!'\"= \\]x&;-]?",
    ) {
        let root = format!("{prolog}<r xmlns:s='u' xmlns:t='v'>{xml}</r>\n");
        compare(&root);
        let at = cut.index(root.len());
        if root.is_char_boundary(at) && root.is_char_boundary(at + 1) {
            // One character is replaced, or left out.
            compare(&format!("{}{damage}{}", &root[..at], &root[at + 1..]));
        }
    }
}

proptest! {
    #[test]
    fn reading_never_panics(text in concat!(
        r#"[<>/!?&;#'"= \[\]\-abx1:é\n]{0,60}|\PC{0,40}|"#,
        r"(<a( x='[^<]{0,3}')?>|</a>|<!--|-->|<!\[CDATA\[|\]\]>|&#x41;|<\?|\?>|t){0,20}",
    )) {
        compare(&text);
        let source = SourceText::new("f.xml", text);
        match read(&source) {
            Ok(document) => prop_assert!(document.root.span.end <= source.text.len()),
            Err(errors) => prop_assert!(!errors.is_empty() && errors.iter().all(|error| error.location().is_some())),
        }
    }
}
