//! Every setting with its value, for `config`; and the names in a site file that no part of howdah reads.
//!
//! The list follows from what is read. Numbers and flags bring their defaults along; those of texts are in a table.

use std::collections::BTreeSet;

use crate::settings::Settings;
use crate::settings::names::{self, FAMILIES, READ_ELSEWHERE};
use crate::settings::site::Site;
use howdah_host::command_environment::DEFAULT_PASS;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::workflow::user_retry::{RetryPolicy, RetrySettings};

/// The defaults that reading does not show, in words where they follow from something else.
const DEFAULTS: [(&str, &str); 33] = [
    ("howdah.alert.jobs", "all"),
    ("howdah.alert.on", "FAILED, KILLED, TIMEDOUT, SUSPENDED, OVERDUE, RUNNER"),
    ("howdah.commands", "4 for each core, at least 8"),
    ("howdah.delivery.command.timeout", "60"),
    ("howdah.executor", "local"),
    ("howdah.map-reduce", "hadoop with howdah.command.hadoop, else local"),
    ("howdah.writable", "everywhere"),
    ("howdah.zone.data", "auto"),
    ("oozie.action.fs.glob.max", "50000"),
    ("oozie.action.mapreduce.uber.jar.enable", "false"),
    ("oozie.action.max.output.data", "2048"),
    ("oozie.action.retries.max", "3"),
    ("oozie.action.retry.interval", "10"),
    ("oozie.action.retry.policy", "periodic"),
    ("oozie.action.shell.setup.hadoop.conf.dir", "false"),
    ("oozie.action.shell.setup.hadoop.conf.dir.write.log4j.properties", "true"),
    ("oozie.action.sqoop.shellsplitter", "false"),
    ("oozie.action.ssh.allow.user.at.host", "true"),
    ("oozie.action.subworkflow.max.depth", "50"),
    ("oozie.base.url", "http://localhost:11000/oozie"),
    ("oozie.credentials.skip", "false"),
    ("oozie.email.attachment.enabled", "true"),
    ("oozie.email.from.address", "oozie@localhost"),
    ("oozie.email.smtp.host", "localhost"),
    ("oozie.email.smtp.socket.timeout.ms", "10000"),
    ("oozie.external.stats.max.size", "-1"),
    ("oozie.notification.url.connection.timeout", "10000"),
    ("oozie.processing.timezone", "UTC"),
    ("oozie.service.LiteWorkflowStoreService.user.retry.policy", "periodic"),
    ("oozie.servlet.CallbackServlet.max.data.len", "2048"),
    ("oozie.sla.service.SLAService.alert.events", "END_MISS"),
    ("oozie.subworkflow.classpath.inheritance", "false"),
    ("oozie.wf.rerun.disablechild", "false"),
];

/// The setting whose default is a list of names.
const ENVIRONMENT: &str = "howdah.env.pass";

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// As the site gives it, else the default; empty when there is none.
    pub value: String,
    /// Whether the site gives it.
    pub is_given: bool,
    /// What the site gives when it cannot be used; then the value is the default.
    pub unusable: Option<String>,
}

/// A name of the site file that no part of howdah reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    pub name: String,
    /// The setting that was probably meant.
    pub near: Option<String>,
}

/// Returns every setting by name, and the names that no part of howdah reads.
pub fn catalogue(given: &ParsedProperties) -> (Vec<Setting>, Vec<UnknownName>) {
    let mut site = Site::of(given);
    // What is wrong with a value is reported where the settings are read for use.
    let _ = Settings::read(&mut site);
    let (read, defaults, refused) = (site.read.borrow(), site.defaults.borrow(), &site.refused);
    let of_families = given.values.keys().filter(|name| FAMILIES.iter().any(|family| name.starts_with(family)));
    let names: BTreeSet<&str> = read.iter().chain(of_families).map(String::as_str).chain(READ_ELSEWHERE).collect();
    let default = |name: &str| {
        let of_reading = || defaults.get(name).cloned().unwrap_or_default();
        listed_default(name).unwrap_or_else(of_reading)
    };
    let setting = |name: &str| {
        let given = given.values.get(name).map(|value| value.trim());
        // An empty text counts as not given, except where it says "none".
        let given = given.filter(|value| !value.is_empty() || name.starts_with("howdah.env."));
        let unusable = given.filter(|value| refused.contains(name) || is_passed_over(name, value)).map(str::to_owned);
        let value = given.filter(|_| unusable.is_none()).map_or_else(|| default(name), str::to_owned);
        Setting { name: name.to_owned(), value, is_given: given.is_some(), unusable }
    };
    let unknown =
        |unread: names::Unread<'_>| UnknownName { name: unread.name.to_owned(), near: unread.near.map(str::to_owned) };
    let listed = names.into_iter().map(setting).collect();
    (listed, names::unread(given, &read).into_iter().map(unknown).collect())
}

/// Checks whether a value is passed over where it is used, as in Oozie: it is no number or word that can be meant.
fn is_passed_over(name: &str, value: &str) -> bool {
    if !READ_ELSEWHERE.contains(&name) {
        return false;
    }
    if name == "oozie.action.retry.policy" {
        return RetryPolicy::from_word(value).is_none();
    }
    let is_number = listed_default(name).is_some_and(|default| default.parse::<i64>().is_ok());
    is_number && value.parse::<u32>().is_err() && listed_default(name).is_none_or(|default| default != value)
}

/// Returns the default of a setting that does not bring it along.
fn listed_default(name: &str) -> Option<String> {
    if name == ENVIRONMENT {
        return Some(DEFAULT_PASS.join(" "));
    }
    if name.strip_prefix(RetrySettings::SITE_PREFIX) == Some("error.code") {
        return Some(RetrySettings::default().error_codes.into_iter().collect::<Vec<_>>().join(","));
    }
    DEFAULTS.iter().find(|(of, _)| *of == name).map(|(_, default)| (*default).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    fn of(site: &str) -> (Vec<Setting>, Vec<UnknownName>) {
        catalogue(&parse_properties(&SourceText::new("site", site)).unwrap())
    }

    #[test]
    fn every_setting_of_the_page_is_listed_and_the_other_way_round() {
        let page = include_str!("../../../../docs/settings.md");
        let (listed, _) = of("");
        let names: BTreeSet<&str> = listed.iter().map(|setting| setting.name.as_str()).collect();
        let quoted: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
        let is_on_page = |name: &&&str| {
            let endings = name.match_indices('.').map(|(at, _)| &name[at..]);
            let of_type = name.starts_with("howdah.commands.");
            !of_type && !quoted.contains(**name) && !endings.into_iter().any(|ending| quoted.contains(ending))
        };
        let missing: Vec<&&str> = names.iter().filter(is_on_page).collect();
        assert!(missing.is_empty(), "docs/settings.md lacks {missing:?}");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        // Programs are listed where the site names them.
        let is_family = |name: &&str| FAMILIES.iter().any(|family| name.starts_with(family));
        let patterns = |name: &&str| !name.contains('<') && !name.contains(".NAME") && !is_family(name);
        let unlisted: Vec<&str> = rows.filter(patterns).filter(|name| !names.contains(name)).collect();
        assert!(unlisted.is_empty(), "`config` lacks {unlisted:?}");
    }

    #[test]
    fn a_setting_has_the_value_in_force() {
        let check = |site: &str, name: &str, expect: Option<(&str, bool)>| {
            let (listed, _) = of(site);
            let setting = listed.iter().find(|setting| setting.name == name);
            let got = setting.map(|setting| (setting.value.as_str(), setting.is_given));
            assert_eq!(got, expect, "{site} {name}");
        };
        check("", "howdah.actions.per.tick", Some(("1000", false)));
        check("howdah.actions.per.tick=5", "howdah.actions.per.tick", Some(("5", true)));
        check("", "howdah.commands.ssh", Some(("", false)));
        check("howdah.command.java=/opt/java", "howdah.command.java", Some(("/opt/java", true)));
        check("howdah.pool.db=2", "howdah.pool.db", Some(("2", true)));
        check("howdah.env.A=", "howdah.env.A", Some(("", true)));
        check("oozie.email.smtp.host=", "oozie.email.smtp.host", Some(("localhost", false)));
        check("", "oozie.service.PurgeService.purge.interval", Some(("3600", false)));
        check("x.y=1", "x.y", None);
        // What cannot be used is not in force.
        check("oozie.action.retries.max=abc", "oozie.action.retries.max", Some(("3", true)));
        check("oozie.action.retries.max=5", "oozie.action.retries.max", Some(("5", true)));
        check("oozie.external.stats.max.size=-1", "oozie.external.stats.max.size", Some(("-1", true)));
        check("oozie.action.retry.policy=never", "oozie.action.retry.policy", Some(("periodic", true)));
        check("howdah.executor=cloud", "howdah.executor", Some(("local", true)));
        check("howdah.commands=none", "howdah.commands", Some(("4 for each core, at least 8", true)));
        let codes = "oozie.service.LiteWorkflowStoreService.user.retry.error.code";
        check("", codes, Some(("FS008,FS009,FS014,JA008,JA009,JA017,JA018,JA019", false)));
    }

    #[test]
    fn names_that_are_not_read_have_near_names() {
        let (_, unknown) = of("howdah.mount=x\noozie.services=y\nhowdah.mounts=\n");
        let found: Vec<(&str, Option<&str>)> =
            unknown.iter().map(|unknown| (unknown.name.as_str(), unknown.near.as_deref())).collect();
        assert_eq!(found, [("howdah.mount", Some("howdah.mounts")), ("oozie.services", None)]);
    }
}
