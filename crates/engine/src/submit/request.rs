//! A job that is to be submitted, and its machine.

use std::path::Path;

use crate::application_path::{WORKFLOW_PATH, application_path};
use crate::definition_file::{self, ApplicationFile};
use crate::settings::Settings;
use crate::submit::warnings::DataCheck;
use howdah_host::located::Base;
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{ParsedProperties, resolve_parsed, unresolved};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_xml::{self as xml, DocumentKind};

/// A job that is to be submitted, and its machine.
#[derive(Clone, Copy)]
pub struct Submission<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    pub properties: &'a ParsedProperties,
    /// Whether missing data and programs of the machine are reported.
    pub data: DataCheck,
}

impl Submission<'_> {
    /// Checks whether the property names the application whose definition this is: other files may be checked with the
    /// same properties.
    pub fn names(&self, property: &str, definition: &SourceText) -> bool {
        let path = application_path(self.properties, property);
        let Ok(named) = path.and_then(|path| definition_file::locate(self.mounts, &path, &Base::this_machine())) else {
            return false;
        };
        let (definition, named) = (Path::new(&definition.name), named.place());
        let named = Path::new(named.as_ref());
        definition == named || definition.parent() == Some(named)
    }

    /// Reads the application that a property names: the file itself, or `definition_name` in the folder.
    ///
    /// # Errors
    /// Those of [`definition_file::read_application`], at the property; E0303 and E0401 for the property itself. With
    /// them W0140 for unresolved references: they are the likely reason.
    pub fn read_application(&self, property: &str, definition_name: &str) -> Result<ApplicationFile, Vec<Error>> {
        let path = application_path(self.properties, property).map_err(|error| vec![error])?;
        definition_file::read_application(self.mounts, &path, definition_name).map_err(|error| {
            let finished = resolve_parsed(self.properties).unwrap_or_default();
            let is_workflow = property == WORKFLOW_PATH;
            let kind = if is_workflow { DocumentKind::Workflow } else { DocumentKind::Coordinator };
            let references = unresolved(kind, None, self.properties, &finished);
            std::iter::once(self.properties.place(property, error)).chain(references).collect()
        })
    }
}

/// Returns the definition in a file, which must be of a kind; `by` names it, such as a property.
pub fn read_document(file: &ApplicationFile, kind: DocumentKind, by: &str) -> Result<xml::Document, Vec<Error>> {
    let document = xml::read(&file.source)?;
    if xml::kind_of(&document) == Some(kind) {
        return Ok(document);
    }
    let root = kind.root();
    let error = Error::new(ErrorCode::E0701, format!("<{}> is no {root}", document.root.name));
    let place = document.locate(document.root.tag);
    Err(vec![error.at(place).help(format!("{by} must name a file whose root element is <{root}>"))])
}
