//! Finds paths of a workflow in stores without a mount, if they are known before it runs (decision W30).
//!
//! Oozie does not check this at submission, so nothing is refused: an action with such a path fails when it is reached,
//! before it changes anything. Accesses no file.

use std::collections::BTreeSet;

use crate::settings::Settings;
use howdah_executor::default_name_node;
use howdah_host::located::{Base, DefaultStore, Unlocated, help};
use howdah_host::mounts::Mounts;
use howdah_oozie::workflow::definition::{Action, ActionKind, NodeKind, Workflow};
use howdah_oozie::workflow::global::with_global;
use howdah_oozie::workflow::submission::evaluate_over_properties;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;
use howdah_words::model::partition::HCATALOG;
use howdah_xml::{Element, Text};

/// The attributes of `fs` and `prepare` with paths.
const ATTRIBUTES: [&str; 3] = ["path", "source", "target"];
/// The elements of all actions with paths of the application's store.
const ELEMENTS: [&str; 5] = ["job-xml", "file", "archive", "script", "app-path"];

/// The elements of `git` with paths of the name-node's store.
const OF_GIT: [&str; 2] = ["destination-uri", "key-path"];

/// A job as it would be submitted.
pub struct Submitted<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    pub app_path: &'a str,
    pub configuration: &'a Properties,
}

impl Submitted<'_> {
    /// W0170 for each store without a mount, at the first path that is in it.
    pub fn warnings(&self, graph: &Workflow) -> Vec<Error> {
        let mut reported = BTreeSet::new();
        let mut warnings = Vec::new();
        for node in graph.nodes() {
            let NodeKind::Action(action) = &node.kind else { continue };
            for (path, base) in self.paths(graph, action) {
                let Some((uri, store)) = self.unmounted(&path, &base) else { continue };
                if reported.insert(store.clone()) {
                    let warning = Error::with(ErrorCode::W0170, &[&store, &uri]).help(help(&store));
                    warnings.push(warning.at(graph.location(path.span)));
                }
            }
        }
        warnings
    }

    /// Returns the paths that an action names, each with its store if it names none itself.
    fn paths(&self, graph: &Workflow, action: &Action) -> Vec<(Text, Base)> {
        let body = with_global(action.kind, &action.body, graph.global.as_ref());
        let mut paths = Vec::new();
        if let Some(base) = self.name_node(&body, graph) {
            let operations = if action.kind == ActionKind::Fs { Some(&body) } else { body.child("prepare") };
            let elements = operations.into_iter().flat_map(Element::elements);
            let named = elements.flat_map(|element| ATTRIBUTES.iter().filter_map(|name| element.attribute(name)));
            paths.extend(named.map(|path| (path.clone(), base.clone())));
            let of_git = OF_GIT.iter().filter_map(|name| body.child(name).filter(|_| action.kind == ActionKind::Git));
            paths.extend(of_git.map(|element| (element.text(), base.clone())));
        }
        let base = Base::store(DefaultStore::of(self.app_path));
        let elements = body.elements().filter(|element| ELEMENTS.contains(&&*element.name));
        paths.extend(elements.map(|element| (element.text(), base.clone())));
        paths
    }

    /// Returns the store of an action's name-node; `None` when it is not known before the run.
    fn name_node(&self, body: &Element, graph: &Workflow) -> Option<Base> {
        let value = |text: &Text| evaluate_over_properties(&text.value, self.configuration).ok();
        if let Some(own) = body.child("name-node") {
            return Some(Base::store(DefaultStore::of_name_node(&value(&own.text())?)));
        }
        let sections = graph.global.iter().chain([body]).filter_map(|section| section.child("configuration"));
        let given = sections.flat_map(|section| section.children_named("property")).filter_map(|property| {
            let [name, text] = ["name", "value"].map(|part| property.child(part).map(Element::text));
            Some((name?.value, value(&text?)?))
        });
        let configured = given.collect();
        let named = default_name_node(&configured, &self.settings.properties);
        Some(Base::store(DefaultStore::of_name_node(named)))
    }

    /// Returns the URI and the store of a path without a mount; `None` also for a path that is not known before the
    /// run.
    fn unmounted(&self, path: &Text, base: &Base) -> Option<(String, String)> {
        let path = evaluate_over_properties(&path.value, self.configuration).ok()?;
        let is_partition = |path: &&str| path.starts_with(HCATALOG);
        let mut items = path.split(',').map(|item| item.split('#').next().unwrap_or(item).trim());
        items.find_map(|item| match self.mounts.locate(item, base) {
            Err(Unlocated::Unmounted { uri, store }) if !is_partition(&item) => Some((uri, store)),
            _ => None,
        })
    }
}
