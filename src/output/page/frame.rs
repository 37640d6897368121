//! The frame of every page, tables, and how texts become HTML.

use std::fmt::Write as _;

use crate::output::visible::{printable, visible_lines};

/// The style sheet.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Returns a text for HTML: characters with a meaning are escaped, control characters are made visible, credentials in
/// URLs become stars.
pub(crate) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(printable(text)).into_owned()
}

/// Returns a whole page; the body is HTML.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escaped(&visible_lines(title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title} - howdah</title><link rel=\"stylesheet\" href=\"/style.css\">\
         <link rel=\"icon\" href=\"data:,\"></head>\n<body><header><nav><a href=\"/\">Coordinators</a> \
         <a href=\"/?type=wf\">Workflows</a> <a href=\"/?type=bundle\">Bundles</a></nav></header>\n<main>\n\
         <h1>{title}</h1>\n{body}</main></body></html>\n"
    )
}

/// Returns a link to a job, an action or a node.
pub(super) fn link(id: &str, shown: &str) -> String {
    format!("<a href=\"/job/{}\">{}</a>", escaped(&encoded(id)), escaped(shown))
}

/// Returns an id for a URL.
pub(super) fn encoded(id: &str) -> String {
    howdah_engine::format::url_encoded(id)
}

/// Returns a status with its colour.
pub(super) fn status(word: &str) -> String {
    let class = match word {
        "SUCCEEDED" | "OK" | "DONE" => "good",
        "RUNNING" | "READY" | "SUBMITTED" => "running",
        "FAILED" | "KILLED" | "ERROR" | "TIMEDOUT" | "DONEWITHERROR" | "RUNNINGWITHERROR" => "bad",
        _ => "other",
    };
    format!("<span class=\"status {class}\">{}</span>", escaped(word))
}

/// Returns a table; the cells are HTML. Each cell names its column, for screens that show the cells of a row one below
/// the other.
pub(super) fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let heads = heads.map(escaped);
    let mut body = String::new();
    for cells in rows {
        body.push_str("<tr>");
        for (head, cell) in heads.iter().zip(cells) {
            // Writing to a String cannot fail.
            let _ = write!(body, "<td data-head=\"{head}\">{cell}</td>");
        }
        body.push_str("</tr>\n");
    }
    if body.is_empty() {
        return "<p>None.</p>\n".to_owned();
    }
    format!("<table><thead><tr><th>{}</th></tr></thead>\n<tbody>\n{body}</tbody></table>\n", heads.join("</th><th>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_never_html() {
        let evil = "<script>alert('x')</script>\"&\u{1b}[2J";
        for html in [
            escaped(evil),
            link(evil, evil),
            status(evil),
            page(evil, ""),
            table([evil], std::iter::once([String::new()])),
        ] {
            assert!(!html.contains("<script") && !html.contains('\u{1b}') && !html.contains("('x')"), "{html}");
        }
        assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
        assert!(!escaped("hdfs://ann:secret@host/x").contains("secret"));
    }
}
