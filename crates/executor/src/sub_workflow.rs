//! The `sub-workflow` action: the submission of the child workflow job.
//!
//! Follows decision W24. Starts nothing and accesses no file: the submission finds out which of the candidate locations
//! exists.

use std::path::Path;

use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_host::located::{Base, Located};
use howdah_words::model::Properties;
use howdah_xml::Element;

const APPLICATION_PATH: &str = "oozie.wf.application.path";
const NOTIFICATION_URL: &str = "oozie.wf.workflow.notification.url";
const EXTERNAL_ID: &str = "oozie.wf.external.id";
const PARENT_ID: &str = "oozie.wf.parent.id";
const SUPERPARENT_ID: &str = "oozie.wf.superparent.id";
const DEPTH: &str = "oozie.action.subworkflow.depth";
/// The property with the files of the parent's `lib/` for a child: paths of this machine and URIs of servers, separated
/// by commas.
pub const LIBRARY: &str = "oozie.wf.application.lib";

/// The job that a child inherits from.
#[derive(Clone, Debug)]
pub struct ParentJob<'a> {
    /// The id of the parent job.
    pub id: &'a str,
    /// The id of the action with its run, `<action id>@<run>`; an existing child with this id is used again, not
    /// started twice.
    pub recovery_id: &'a str,
    /// The configuration of the parent job.
    pub configuration: &'a Properties,
    /// The inline configuration of the action over that of `global`.
    pub inline: &'a Properties,
    /// The folder of the parent's application, and its store.
    pub application: &'a Base,
    /// The user of the job.
    pub user: &'a str,
    /// The user's home folder.
    pub home: &'a Path,
    /// The entries of its `lib/` and of `oozie.libpath`, which a child can inherit.
    pub library: &'a [Located],
    /// `oozie.action.subworkflow.max.depth`.
    pub max_depth: u32,
}

/// A child job to be submitted and started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildRequest {
    /// Where the application may be; the first that exists is used.
    pub app_paths: Vec<String>,
    /// The configuration; `oozie.wf.application.path` is the first of `app_paths` until one is chosen.
    pub configuration: Properties,
    /// How deep below the top job the child is, from 1.
    pub depth: u32,
}

/// Returns the child of an action that starts; as [`plan`].
pub(super) fn start(element: &Element, context: &ActionContext<'_>) -> Result<ChildRequest, Failure> {
    let recovery_id = format!("{}@{}@{}", context.job_id, context.node, context.run);
    let parent = ParentJob {
        id: context.job_id,
        recovery_id: &recovery_id,
        configuration: context.job_configuration,
        inline: context.configuration,
        application: context.application,
        user: context.user,
        home: context.home,
        library: context.library,
        max_depth: context.depth_max,
    };
    plan(element, &parent)
}

/// Returns the child of a `sub-workflow` element. SUBWF001 when the nesting is too deep.
pub fn plan(element: &Element, parent: &ParentJob<'_>) -> Result<ChildRequest, Failure> {
    let depth = parent.configuration.get(DEPTH).and_then(|text| text.trim().parse::<u32>().ok()).unwrap_or(0);
    let depth = depth.saturating_add(1);
    if depth > parent.max_depth {
        let message = format!("Depth [{depth}] cannot exceed maximum subworkflow depth [{}]", parent.max_depth);
        return Err(Failure::error("SUBWF001", format!("SUBWF001: {message}")));
    }
    let app_path = element.child("app-path").map(|child| child.text().value).unwrap_or_default();
    if app_path.is_empty() {
        return Err(Failure::error("IllegalArgumentException", "app-path cannot be empty"));
    }
    let app_paths = candidates(&app_path, parent);
    let mut configuration = inherited(element, parent);
    // Notifications of the parent are not sent for the child, unless the child sets its own URL. Oozie uses the
    // parent's callback here; howdah reads the child's status from the database.
    configuration.remove(NOTIFICATION_URL);
    configuration.insert(APPLICATION_PATH.to_owned(), app_paths[0].clone());
    configuration.extend(parent.inline.iter().map(|(name, value)| (name.clone(), value.clone())));
    let superparent = parent.configuration.get(SUPERPARENT_ID).map_or(parent.id, String::as_str);
    for (name, value) in [(EXTERNAL_ID, parent.recovery_id), (PARENT_ID, parent.id), (SUPERPARENT_ID, superparent)] {
        configuration.insert(name.to_owned(), value.to_owned());
    }
    configuration.insert(DEPTH.to_owned(), depth.to_string());
    configuration.remove(LIBRARY);
    configuration.extend(library(parent).map(|library| (LIBRARY.to_owned(), library)));
    Ok(ChildRequest { app_paths, configuration, depth })
}

/// Returns the parent's files for a child that inherits them. A name with a comma is left out.
fn library(parent: &ParentJob<'_>) -> Option<String> {
    let uris = parent.library.iter().map(Located::uri).filter(|uri| !uri.contains(','));
    let uris = uris.collect::<Vec<_>>().join(",");
    (!uris.is_empty()).then_some(uris)
}

/// Returns the possible locations. A path without scheme is in the store of the parent's application (decision W30); a
/// relative one is searched in the folder of that application, then in the user's home (decision W24).
fn candidates(app_path: &str, parent: &ParentJob<'_>) -> Vec<String> {
    let in_application = parent.application.uri_of(app_path);
    if app_path.starts_with('/') || app_path.contains(':') {
        return vec![in_application];
    }
    let home = Base::with_home(parent.application.default_store().clone(), parent.user, parent.home);
    vec![in_application, home.uri_of(app_path)]
}

/// Returns all of the parent's configuration with `propagate-configuration`, otherwise the user and every `oozie.`
/// property.
fn inherited(element: &Element, parent: &ParentJob<'_>) -> Properties {
    let everything = element.child("propagate-configuration").is_some();
    let is_inherited = |name: &str| everything || name == "user.name" || name.starts_with("oozie.");
    let own = parent.configuration.iter().filter(|(name, _)| is_inherited(name));
    own.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{element, here};
    use super::*;
    use howdah_host::mounts::Mounts;

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn planned(body: &str, depth: &str) -> Result<ChildRequest, Failure> {
        planned_with(body, depth, &[("oozie.libpath", "/own"), ("in", "y")])
    }

    fn planned_with(body: &str, depth: &str, inline: &[(&str, &str)]) -> Result<ChildRequest, Failure> {
        planned_in(&Base::of_application("/app", here("/app")), body, depth, inline)
    }

    fn planned_in(
        application: &Base,
        body: &str,
        depth: &str,
        inline: &[(&str, &str)],
    ) -> Result<ChildRequest, Failure> {
        let configuration = properties(&[
            ("user.name", "ann"),
            ("nominal", "x"),
            ("oozie.libpath", "/lib"),
            (LIBRARY, "/grandparent/lib/old.jar"),
            (NOTIFICATION_URL, "http://parent"),
            (DEPTH, depth),
        ]);
        let parent = ParentJob {
            id: "1-W",
            recovery_id: "1-W@sub@0",
            configuration: &configuration,
            inline: &properties(inline),
            library: &["/app/lib/a.jar", "/app/lib/b,c"].map(here),
            application,
            user: "ann",
            home: Path::new("/home/ann"),
            max_depth: 50,
        };
        plan(&element(&format!("<sub-workflow>{body}</sub-workflow>")), &parent)
    }

    #[test]
    fn the_child_gets_its_configuration() {
        let child = planned("<app-path>/child</app-path>", "3").unwrap();
        let expect = properties(&[
            ("user.name", "ann"),
            ("oozie.libpath", "/own"),
            ("in", "y"),
            (APPLICATION_PATH, "/child"),
            (EXTERNAL_ID, "1-W@sub@0"),
            (PARENT_ID, "1-W"),
            (SUPERPARENT_ID, "1-W"),
            (DEPTH, "4"),
            (LIBRARY, "/app/lib/a.jar"),
        ]);
        assert_eq!(child.configuration, expect);
        let all = planned("<app-path>/child</app-path><propagate-configuration/>", "0").unwrap();
        assert_eq!(all.configuration.get("nominal").map(String::as_str), Some("x"));
    }

    #[test]
    fn the_child_has_its_own_notification_url() {
        for (inline, expect) in [(&[][..], None), (&[(NOTIFICATION_URL, "http://child")], Some("http://child"))] {
            for body in ["<app-path>/c</app-path>", "<app-path>/c</app-path><propagate-configuration/>"] {
                let child = planned_with(body, "0", inline).unwrap();
                assert_eq!(child.configuration.get(NOTIFICATION_URL).map(String::as_str), expect, "{body}");
            }
        }
    }

    #[test]
    fn a_relative_application_has_two_places() {
        for (path, expect) in [
            ("child", &["/app/child", "/home/ann/child"][..]),
            ("/child", &["/child"]),
            ("hdfs://nn/child", &["hdfs://nn/child"]),
        ] {
            let child = planned(&format!("<app-path>{path}</app-path>"), "0").unwrap();
            assert_eq!(child.app_paths, expect, "{path}");
        }
    }

    #[test]
    fn a_child_without_scheme_is_in_the_store_of_its_parent() {
        let mounts = Mounts::parse(["hdfs://nn=/mnt/nn"]).unwrap();
        let folder = mounts.locate("hdfs://nn/apps/wf", &Base::this_machine()).unwrap();
        let application = Base::of_application("hdfs://nn/apps/wf", folder);
        for (path, expect) in [
            ("child", &["hdfs://nn/apps/wf/child", "hdfs://nn/user/ann/child"][..]),
            ("../child", &["hdfs://nn/apps/child", "hdfs://nn/user/child"]),
            ("/child", &["hdfs://nn/child"]),
            ("hdfs://other/child", &["hdfs://other/child"]),
            ("file:///child", &["file:///child"]),
        ] {
            let child = planned_in(&application, &format!("<app-path>{path}</app-path>"), "0", &[]).unwrap();
            assert_eq!(child.app_paths, expect, "{path}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        assert_eq!(planned("<app-path>/c</app-path>", "49").unwrap().depth, 50);
        let failure = planned("<app-path>/c</app-path>", "50").unwrap_err();
        assert_eq!(failure.code, "SUBWF001");
        assert!(failure.message.contains("Depth [51] cannot exceed maximum subworkflow depth [50]"));
        assert_eq!(planned("", "0").unwrap_err().code, "IllegalArgumentException");
    }
}
