//! What is shipped with an action: the entries of `lib/` and of its `file` and `archive` elements, each under a name in
//! the working folder.
//!
//! Follows the workflow specification, section 3.2.2.1. Accesses no file: the shim links and unpacks.

use std::collections::BTreeMap;
use std::path::Path;

use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_host::located::{Located, Unlocated};
use howdah_xml::Element;

/// The file with an action's configuration in its working folder. Nothing else may use its name; in `lib/` it is
/// ignored.
pub(super) const CONFIGURATION_FILE: &str = "action.xml";

/// The names in the working folder and their targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shipped {
    /// Links to files and folders.
    pub(super) links: BTreeMap<String, Located>,
    /// Folders that an archive is unpacked into.
    pub(super) archives: BTreeMap<String, Located>,
    /// The links that belong on the class path, in the order in which they were named.
    pub(super) jars: Vec<String>,
}

impl Shipped {
    /// Returns what `element` ships: `lib/` first, so that its own entries win.
    /// A failure for an entry without a name, with one that is not UTF-8, or in a store without mount.
    pub(super) fn of(element: &Element, context: &ActionContext<'_>) -> Result<Self, Failure> {
        let mut shipped = Self::default();
        for path in context.library {
            let Some(name) = path.path().file_name() else { continue };
            let refuse = || {
                let message = format!("[{}] of lib/ or oozie.libpath: its name is not UTF-8; rename it", path.shown());
                Failure::error("IllegalArgumentException", message)
            };
            let name = path.path().to_str().and(name.to_str()).ok_or_else(refuse)?;
            if name == CONFIGURATION_FILE {
                continue;
            }
            shipped.link(name.to_owned(), path.clone());
        }
        for item in items(element, "file") {
            let entry = entry("file", &item, context)?;
            if entry.has_own_name { shipped.link(entry.name, entry.target) } else { shipped.alias(entry) }
        }
        for item in items(element, "archive") {
            let entry = entry("archive", &item, context)?;
            shipped.links.remove(&entry.name);
            shipped.archives.insert(entry.name, entry.target);
        }
        Ok(shipped)
    }

    /// Checks whether something is shipped under this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.links.contains_key(name) || self.archives.contains_key(name)
    }

    fn link(&mut self, name: String, target: Located) {
        let is_jar = Path::new(&name).extension().is_some_and(|extension| extension == "jar");
        if is_jar && !self.jars.contains(&name) {
            self.jars.push(name.clone());
        }
        self.links.insert(name, target);
    }

    /// Adds a file under another name: it is a plain file, because only the jar's own name puts it on the class path.
    fn alias(&mut self, entry: Entry) {
        self.jars.retain(|jar| *jar != entry.name);
        self.links.insert(entry.name, entry.target);
    }
}

/// One entry `path[#name]`.
struct Entry {
    name: String,
    target: Located,
    /// Without `#`: the last step of the path is the name.
    has_own_name: bool,
}

/// Returns the place on this machine of a path in an action: a relative one is in the application's folder, an absolute
/// one without scheme in the application's store (decision W30).
pub(super) fn place(path: &str, context: &ActionContext<'_>) -> Result<Located, Unlocated> {
    context.mounts.locate(path, context.application)
}

fn items(element: &Element, name: &str) -> Vec<String> {
    let texts = element.children_named(name).map(|child| child.text().value);
    let split = |text: String| text.split(',').map(|item| item.trim().to_owned()).collect::<Vec<_>>();
    texts.flat_map(split).filter(|item| !item.is_empty()).collect()
}

fn entry(what: &str, item: &str, context: &ActionContext<'_>) -> Result<Entry, Failure> {
    let refuse = |why: &str| Failure::error("IllegalArgumentException", format!("{what} [{item}]: {why}"));
    let (path, fragment) = item.split_once('#').map_or((item, None), |(path, name)| (path, Some(name)));
    let target = place(path, context).map_err(|why| refuse(&why.to_string()))?;
    let name = match fragment {
        Some(name) => name.to_owned(),
        None => target.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    if matches!(name.as_str(), "" | "." | ".." | CONFIGURATION_FILE) || name.contains('/') {
        return Err(refuse("it has no name for the working folder"));
    }
    Ok(Entry { name, target, has_own_name: fragment.is_none() })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element, here};
    use super::*;

    fn check(body: &str, links: &[&str], archives: &[&str], jars: &[&str]) {
        let mut sandbox = Sandbox::new();
        sandbox.library = ["tool.jar", "data.txt", "action.xml"].map(|name| here(&format!("/app/lib/{name}"))).into();
        let shipped = Shipped::of(&element(&format!("<java>{body}</java>")), &sandbox.context()).unwrap();
        assert_eq!(shipped.links.keys().collect::<Vec<_>>(), links, "{body}");
        assert_eq!(shipped.archives.keys().collect::<Vec<_>>(), archives, "{body}");
        assert_eq!(shipped.jars, jars, "{body}");
    }

    #[test]
    fn everything_has_a_name_in_the_working_folder() {
        check("", &["data.txt", "tool.jar"], &[], &["tool.jar"]);
        check("<file>/a/b, lib/c#d</file>", &["b", "d", "data.txt", "tool.jar"], &[], &["tool.jar"]);
        check(
            "<file>x.jar</file><file>y.jar#z.jar</file>",
            &["data.txt", "tool.jar", "x.jar", "z.jar"],
            &[],
            &["tool.jar", "x.jar"],
        );
        check("<archive>a.zip#data.txt,b.tgz</archive>", &["tool.jar"], &["b.tgz", "data.txt"], &["tool.jar"]);
    }

    #[test]
    fn entries_are_in_the_application_or_in_their_store() {
        let sandbox = Sandbox::new();
        let body = "<shell><file>data.txt</file><file>hdfs://nn/e</file><file>lib/c#d</file></shell>";
        let links = Shipped::of(&element(body), &sandbox.context()).unwrap().links;
        for (name, end) in [("data.txt", "app/data.txt"), ("e", "store/e"), ("d", "app/lib/c")] {
            assert!(links[name].path().ends_with(end), "{name} {links:?}");
        }
    }

    #[test]
    fn entries_without_name_or_place_are_refused() {
        for body in
            ["<file>a#../b</file>", "<file>a#</file>", "<archive>s3a://b/c.zip</archive>", "<file>x#action.xml</file>"]
        {
            let sandbox = Sandbox::new();
            let refused = Shipped::of(&element(&format!("<shell>{body}</shell>")), &sandbox.context()).unwrap_err();
            assert_eq!(refused.code, "IllegalArgumentException", "{body}");
        }
    }
}
