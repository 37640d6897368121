//! What this version reads and does not act on: a job that asks for it is accepted, with a warning (W0107).
//!
//! Nothing that changes what a command does may stand here: that is refused.

use crate::error::{Error, ErrorCode};
use crate::xml::{Document, Element};

/// The warnings about a definition and its configuration: SLA elements of workflows.
pub(crate) fn warnings(document: &Document) -> Vec<Error> {
    let mut warnings = Vec::new();
    collect(&document.root, document, &mut warnings);
    warnings
}

fn collect(element: &Element, document: &Document, warnings: &mut Vec<Error>) {
    let is_sla = element.namespace.as_deref().is_some_and(|namespace| namespace.starts_with("uri:oozie:sla:"));
    let of_coordinator = document.root.name == "coordinator-app";
    if is_sla && element.name == "info" && !of_coordinator {
        warnings.push(Error::new(ErrorCode::W0107, "sla:info").at(document.locate(element.tag)));
        return;
    }
    for child in element.elements() {
        collect(child, document, warnings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SourceText;
    use crate::xml;

    fn check(text: &str, expect: &[&str]) {
        let document = xml::read(&SourceText::new("w.xml", text)).unwrap();
        let found = warnings(&document);
        assert_eq!(found.iter().map(Error::message).collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn names_what_has_no_effect() {
        let sla = "[sla:info] is not supported by this version of howdah and has no effect";
        check("<a><info xmlns='uri:oozie:sla:0.2'><info/></info></a>", &[sla]);
        check("<a><info/></a>", &[]);
        check("<coordinator-app><info xmlns='uri:oozie:sla:0.2'/></coordinator-app>", &[]);
    }
}
