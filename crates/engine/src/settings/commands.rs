//! What the site says of how many commands run at once.

use crate::settings::Settings;
use crate::settings::site::{MANY, Site};
use howdah_executor as executor;
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::Properties;
use howdah_words::model::row::CLUSTER;

/// The setting for all commands of this machine; those of one type, and of a cluster, follow a dot.
const COMMANDS: &str = "howdah.commands";
/// The property that names the pool of an action or a job; in a site, the sizes of pools follow a dot.
pub(crate) const POOL: &str = "howdah.pool";

impl Settings {
    /// Refuses (H0125) a pool that the site does not have.
    pub(crate) fn check_pool(&self, name: &str) -> Result<()> {
        if self.pools.contains_key(name) {
            return Ok(());
        }
        let add = format!("add {POOL}.{name}=N to the site file");
        let names: Vec<&str> = self.pools.keys().map(String::as_str).collect();
        let help = match did_you_mean(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}? Or {add}"),
            None if names.is_empty() => add,
            None => format!("{add}, or use one that it has: {}", names.join(", ")),
        };
        Err(Error::new(ErrorCode::H0125, name).help(help))
    }
}

/// Returns the pool that properties name.
pub(crate) fn pool_in(properties: &Properties) -> Option<&str> {
    properties.get(POOL).map(|name| name.trim()).filter(|name| !name.is_empty())
}

impl Site<'_> {
    /// Reads how many commands run at once: on this machine, of each type, on a cluster, and of each pool.
    pub(super) fn commands(&mut self, settings: &mut Settings) {
        settings.commands = self.places(COMMANDS);
        for of in executor::TYPES.into_iter().filter(|kind| *kind != "sub-workflow").chain([CLUSTER]) {
            let most = self.places(&format!("{COMMANDS}.{of}"));
            settings.commands_of.extend(most.map(|most| (of.to_owned(), most)));
        }
        let prefix = format!("{POOL}.");
        let given = self.given;
        for name in given.values.keys().filter_map(|name| name.strip_prefix(&prefix)).filter(|name| !name.is_empty()) {
            let most = self.places(&format!("{prefix}{name}"));
            settings.pools.extend(most.map(|most| (name.to_owned(), most)));
        }
    }

    /// A number of places; at least one, because without any nothing would ever run.
    fn places(&mut self, name: &str) -> Option<usize> {
        self.number_or_none(name, 1..=MANY).and_then(|most| usize::try_from(most).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    #[test]
    fn each_limit_has_its_name_and_is_at_least_one() {
        let check = |line: &str, expect: &str| {
            let site = parse_properties(&SourceText::new("site", line)).unwrap();
            let (settings, problems) = Settings::from_site(&site);
            let Settings { commands, commands_of, pools, .. } = settings;
            let problems: Vec<&str> = problems.iter().map(|problem| problem.code().as_str()).collect();
            assert_eq!(format!("{commands:?} {commands_of:?} {pools:?} {problems:?}"), expect, "{line}");
        };
        check("howdah.commands=3", "Some(3) {} {} []");
        check("howdah.commands.ssh=2", "None {\"ssh\": 2} {} []");
        check("howdah.commands.slurm=9", "None {\"slurm\": 9} {} []");
        check("howdah.pool.db=2", "None {} {\"db\": 2} []");
        check("howdah.pool.a.b=1", "None {} {\"a.b\": 1} []");
        check("howdah.commands=0", "None {} {} [\"H0121\"]");
        check("howdah.commands.shell=0", "None {} {} [\"H0121\"]");
        check("howdah.pool.db=many", "None {} {} [\"H0121\"]");
        check("howdah.commands.sub-workflow=1", "None {} {} [\"W0131\"]");
        check("howdah.pool=2", "None {} {} [\"W0131\"]");
        check("howdah.pool.=2", "None {} {} [\"W0131\"]");
    }
}
