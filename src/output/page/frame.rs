//! The frame of every page, tables, and how texts become HTML.

use crate::output::visible::visible_lines;

/// The style sheet.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Returns a text for HTML: characters with a meaning are escaped, control characters are made visible, credentials in
/// URLs become stars.
pub(crate) fn escaped(text: &str) -> String {
    let text = crate::output::visible::printable(text);
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => out.push(character),
        }
    }
    out
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
    crate::engine::format::url_encoded(id)
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

/// Returns a table; the cells are HTML.
pub(super) fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let head = heads.map(escaped).join("</th><th>");
    let rows: Vec<String> = rows.map(|cells| cells.join("</td><td>")).collect();
    let rows = match &rows[..] {
        [] => String::new(),
        rows => format!("<tr><td>{}</td></tr>\n", rows.join("</td></tr>\n<tr><td>")),
    };
    format!("<table><thead><tr><th>{head}</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_never_html() {
        let evil = "<script>alert('x')</script>\"&\u{1b}[2J";
        for html in [escaped(evil), link(evil, evil), status(evil), page(evil, ""), table([evil], std::iter::empty())] {
            assert!(!html.contains("<script") && !html.contains('\u{1b}') && !html.contains("('x')"), "{html}");
        }
        assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
        assert!(!escaped("hdfs://ann:secret@host/x").contains("secret"));
    }
}
