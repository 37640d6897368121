//! The names of settings, and those that look like a slip of one (W0131).
//!
//! An `oozie-site.xml` holds hundreds of names that mean nothing here, so one of Oozie's is reported only when it is
//! nearly a name that is read; one of ours is reported whenever no part of howdah reads it.

use std::collections::BTreeSet;

use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, Suggestions, is_slip};

/// Settings that are read where they are used, not with the others.
pub(super) const READ_ELSEWHERE: [&str; 30] = [
    "howdah.hadoop.streaming.jar",
    "howdah.java.classpath",
    "howdah.map-reduce",
    "howdah.slurm.command",
    "howdah.slurm.options",
    "howdah.spark.rest",
    "howdah.ssh.options",
    "oozie.action.fs.glob.max",
    "oozie.action.shell.setup.hadoop.conf.dir",
    "oozie.action.shell.setup.hadoop.conf.dir.log4j.content",
    "oozie.action.shell.setup.hadoop.conf.dir.write.log4j.properties",
    "oozie.action.sqoop.shellsplitter",
    "oozie.actions.default.name-node",
    "oozie.external.stats.max.size",
    "oozie.service.HadoopAccessorService.action.configurations",
    "oozie.subworkflow.classpath.inheritance",
    "oozie.action.mapreduce.uber.jar.enable",
    "oozie.action.max.output.data",
    "oozie.action.retries.max",
    "oozie.action.retry.interval",
    "oozie.action.retry.policy",
    "oozie.action.ssh.allow.user.at.host",
    "oozie.action.subworkflow.max.depth",
    "oozie.base.url",
    "oozie.credentials.skip",
    "oozie.email.attachment.enabled",
    "oozie.service.CallbackService.base.url",
    "oozie.service.HadoopAccessorService.hadoop.configurations",
    "oozie.servlet.CallbackServlet.max.data.len",
    "oozie.wf.rerun.disablechild",
];

/// How names begin that go on with the name of an action type or a program.
pub(super) const FAMILIES: [&str; 2] = ["howdah.command.", "howdah.executor."];

/// A name of a site that no part of howdah reads.
#[derive(Debug)]
pub(crate) struct Unread<'a> {
    pub name: &'a str,
    /// The name that was probably meant.
    pub near: Option<&'a str>,
}

/// Returns the names of a site that no part of howdah reads; `read` are those that were asked for.
pub(super) fn unread<'a>(site: &'a ParsedProperties, read: &'a BTreeSet<String>) -> Vec<Unread<'a>> {
    let known: BTreeSet<&str> = read.iter().map(String::as_str).chain(READ_ELSEWHERE).collect();
    let is_known = |name: &str| known.contains(name) || FAMILIES.iter().any(|family| name.starts_with(family));
    let mut suggestions = Suggestions::default();
    let mut near = |name: &str| {
        let may_be_meant = name.starts_with("howdah.") || name.starts_with("oozie.");
        let near = may_be_meant.then(|| suggestions.near(name, known.iter().copied())).flatten();
        near.filter(|near| is_slip(name, near))
    };
    let names = site.values.keys().map(String::as_str).filter(|name| !is_known(name));
    names.map(|name| Unread { name, near: near(name) }).collect()
}

/// W0131 for each name of a site that no part of howdah reads and that was probably meant for one; `read` are the names
/// that were asked for.
pub(super) fn unknown(site: &ParsedProperties, read: &BTreeSet<String>) -> Vec<Error> {
    let warning = |unread: Unread<'_>| {
        let warning = Error::new(ErrorCode::W0131, unread.name);
        match unread.near {
            Some(near) => Some(site.place(unread.name, warning.help(format!("did you mean {near}?")))),
            None if unread.name.starts_with("howdah.") => Some(site.place(unread.name, warning)),
            None => None,
        }
    };
    unread(site, read).into_iter().filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    #[test]
    fn slips_are_told_and_the_rest_of_an_oozie_site_is_not() {
        let read = BTreeSet::from(["oozie.service.coord.default.throttle".to_owned(), "howdah.mounts".to_owned()]);
        for (name, expect) in [
            ("howdah.mount", Some("did you mean howdah.mounts?")),
            ("howdah.colour", Some("remove it, or correct its name: docs/settings.md lists the settings")),
            ("howdah.command.hive", None),
            ("howdah.mounts", None),
            ("oozie.service.coord.default.throtle", Some("did you mean oozie.service.coord.default.throttle?")),
            ("oozie.service.coord.default.timeout", None),
            ("oozie.services", None),
            ("mapred.job.queue", None),
        ] {
            let site = parse_properties(&SourceText::new("site", format!("{name}=1"))).unwrap();
            let told = unknown(&site, &read);
            assert_eq!(told.first().and_then(Error::help_text), expect, "{name}");
            assert!(told.iter().all(|warning| warning.location().is_some()), "{name}");
        }
    }
}
