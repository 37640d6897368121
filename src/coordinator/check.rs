//! Judges a coordinator application, or a file of datasets, before anybody gives it properties: everything that
//! submission would refuse whatever the properties are.
//!
//! The defaults of the `parameters` are taken for granted (specification 4.5). There are no rules here: the reading of
//! submission judges, with partial knowledge. Must never refuse what some properties would make right.

use crate::configuration::{Parameter, parameters};
use crate::coordinator::parse::{Includes, Knowledge, check_datasets, read};
use crate::coordinator::settings::SubmitSettings;
use crate::error::Error;
use crate::model::Properties;
use crate::xml::{Document, DocumentKind};

/// Every problem of a document whose root element is `coordinator-app` or `datasets`, but for those of its schema:
/// errors with the codes of submission.
///
/// An included file that cannot be read is passed over, and with it whatever its datasets would decide.
pub(crate) fn check(document: &Document, includes: &dyn Includes, settings: &SubmitSettings) -> Vec<Error> {
    let (declared, mut problems) = match parameters(document) {
        Ok(declared) => (declared, Vec::new()),
        Err(error) => (None, vec![error]),
    };
    let known: Properties = declared.iter().flatten().filter_map(Parameter::with_default).collect();
    if document.root.name == DocumentKind::Datasets.root() {
        return check_datasets(document, (Knowledge::Partial, &known), includes, settings);
    }
    problems.extend(read(document, (Knowledge::Partial, &known), includes, settings).problems);
    problems
}
