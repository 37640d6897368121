//! Finds names of job properties that look like a misspelling of one that Oozie knows (W0127).

use super::properties::ParsedProperties;
use howdah_words::error::{Error, ErrorCode, Suggestions, is_slip};

/// The properties of a job that Oozie or howdah reads.
const KNOWN: [&str; 38] = [
    "oozie.action.sharelib.for.hive",
    "oozie.action.sharelib.for.java",
    "oozie.action.sharelib.for.map-reduce",
    "oozie.action.sharelib.for.pig",
    "oozie.action.sharelib.for.spark",
    "oozie.action.sharelib.for.sqoop",
    "oozie.bundle.application.path",
    "oozie.coord.action.notification.proxy",
    "oozie.coord.action.notification.url",
    "oozie.coord.application.path",
    "oozie.credentials.skip",
    "oozie.default.configuration.path",
    "oozie.job.acl",
    "oozie.launcher.action.main.class",
    "oozie.libpath",
    "oozie.sla.disable.alerts",
    "oozie.sla.disable.alerts.coord",
    "oozie.sla.enable.alerts",
    "oozie.suspend.on.nodes",
    "oozie.system.libpath",
    "oozie.use.system.libpath",
    "oozie.use.system.libpath.for.mapreduce.and.pig.jobs",
    "oozie.wf.action.max.retries",
    "oozie.wf.action.notification.url",
    "oozie.wf.action.retry.interval",
    "oozie.wf.application.path",
    "oozie.wf.external.id",
    "oozie.wf.rerun.disablechild",
    "oozie.wf.rerun.failnodes",
    "oozie.wf.rerun.skip.nodes",
    "oozie.wf.subworkflow.classpath.inheritance",
    "oozie.wf.validate.ForkJoin",
    "oozie.wf.workflow.notification.proxy",
    "oozie.wf.workflow.notification.url",
    "howdah.executor",
    "howdah.pool",
    // A setting of the site, which has a warning of its own.
    "oozie.validate.ForkJoin",
    "user.name",
];

impl ParsedProperties {
    /// Returns warnings about the properties of any job: names that are given more than once (W0103), and those that
    /// are close to one of Oozie's (W0127).
    pub fn warnings(&self) -> Vec<Error> {
        self.repetitions().into_iter().chain(misspelt(self)).collect()
    }
}

/// Returns W0127 for each property whose name starts as Oozie's do and is close to one of them, at its place.
fn misspelt(properties: &ParsedProperties) -> Vec<Error> {
    let starts = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["oozie", "howdah", "user"].iter().any(|word| name.starts_with(word))
    };
    let names = properties.values.keys().filter(|name| starts(name) && !KNOWN.contains(&name.as_str()));
    let mut suggestions = Suggestions::default();
    names
        .filter_map(|name| {
            let near = suggestions.near(name, KNOWN).filter(|near| is_slip(name, near))?;
            Some(properties.place(name, Error::new(ErrorCode::W0127, name).help(format!("did you mean {near}?"))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse_properties;
    use howdah_words::error::{Error, SourceText};

    #[test]
    fn misspellings_of_known_names() {
        for (name, expect) in [
            ("oozie.wf.aplication.path", Some("did you mean oozie.wf.application.path?")),
            ("oozie.coord.application.pth", Some("did you mean oozie.coord.application.path?")),
            ("oozie.use.system.libpaht", Some("did you mean oozie.use.system.libpath?")),
            ("Oozie.libpath", Some("did you mean oozie.libpath?")),
            ("oozie.libpath", None),
            ("oozie.validate.ForkJoin", None),
            ("oozie.launcher.mapreduce.map.memory.mb", None),
            ("oozie.action.sharelib.for.distcp", None),
            ("oozieUrl", None),
            ("nameNode", None),
        ] {
            let properties = parse_properties(&SourceText::new("p", format!("{name}=1"))).unwrap();
            let warnings = super::misspelt(&properties);
            assert_eq!(warnings.first().and_then(Error::help_text), expect, "{name}");
        }
    }
}
