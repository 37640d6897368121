//! The site's settings under Oozie's own names.
//!
//! Properties that mean nothing here are passed over, so that an `oozie-site.xml` can be used as it is; what is read
//! has bounds, and a value outside of them is refused at its place.

pub mod alert;
pub mod catalogue;
pub mod commands;
pub mod delivery;
mod environment;
pub mod failure_policy;
mod names;
pub mod purge;
pub mod site;
pub mod sla;
mod stores;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::settings::alert::AlertSettings;
use crate::settings::delivery::DeliverySettings;
use crate::settings::failure_policy::FailurePolicy;
use crate::settings::purge::PurgeSettings;
use crate::settings::site::{MANY, MINUTES, Site};
use crate::settings::sla::SlaSettings;
use howdah_host::command_environment::CommandVariables;
use howdah_host::file_store::StoreSettings;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::materialize::Window;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_oozie::workflow::ForkJoinCheck;
use howdah_oozie::workflow::user_retry::RetrySettings;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;

pub use crate::settings::stores::HADOOP_FOLDER;

/// Instances that a search asks for unless the site says otherwise: two months of a dataset with one every minute.
pub const MOST_TRIED: u64 = 100_000;

/// Everything a site file can change.
#[derive(Clone, Debug)]
pub struct Settings {
    pub submit: SubmitSettings,
    pub window: Window,
    /// `oozie.coord.execution.none.tolerance`, in minutes.
    pub none_tolerance_minutes: i64,
    /// `oozie.service.ELService.latest-el.use-current-time` is false: `latest` looks back from an action's creation.
    pub latest_from_creation: bool,
    /// `howdah.latest.instances`: the most instances that one search of `latest` or `future` asks for.
    pub most_tried: u64,
    /// `howdah.actions.per.tick`: the most actions one tick creates for one job.
    pub(crate) most_actions_per_tick: u32,
    /// `howdah.commands`: how many commands run at once on this machine; `None`: by the number of its cores.
    pub commands: Option<usize>,
    /// `howdah.commands.<type>` and `howdah.commands.slurm`: how many of these run at once.
    pub(crate) commands_of: BTreeMap<String, usize>,
    /// `howdah.pool.<name>`: how many commands of each pool run at once.
    pub pools: BTreeMap<String, usize>,
    /// `howdah.clock.leap.days`: how far the clock may be ahead of the last tick.
    pub(crate) longest_leap_days: u32,
    pub retry: RetrySettings,
    pub sla: SlaSettings,
    pub delivery: DeliverySettings,
    pub purge: PurgeSettings,
    pub alerts: AlertSettings,
    /// Of jobs that name none.
    pub failure_policy: FailurePolicy,
    /// `howdah.tick.ping`: the URL of a dead-man's switch.
    pub tick_ping: Option<String>,
    /// `oozie.configuration.check-and-set.user.name`: a `user.name` of an action's configuration is replaced, not
    /// refused.
    pub(crate) check_and_set_user_name: bool,
    /// `oozie.system.id`: what the ids of a new database have behind the time.
    pub system_id: String,
    /// `howdah.mounts`: `URI-PREFIX=DIRECTORY` or `URI-PREFIX=SERVER`, separated by commas or blanks.
    pub mounts: Vec<String>,
    /// `howdah.folders.group`: the group whose members may write in the folders of databases and backups.
    pub folders_group: Option<String>,
    /// `howdah.slurm.outcome.wait`: how many minutes the outcome of a Slurm job that is COMPLETED may take to be seen.
    pub(crate) slurm_outcome_minutes: u32,
    pub stores: StoreSettings,
    /// `howdah.env.pass` and `howdah.env.NAME`: the environment of commands.
    pub command_variables: CommandVariables,
    /// What looks wrong in the site file although every value can be used.
    pub warnings: Vec<Error>,
    /// `howdah.zone.data`: whose rules of time zones count.
    pub zone_data: ZoneChoice,
    /// The site file, for processes that are started with the same settings.
    pub file: Option<PathBuf>,
    /// The site's properties as read, for settings of single action types.
    pub properties: Properties,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            submit: SubmitSettings::default(),
            window: Window::default(),
            none_tolerance_minutes: 1,
            latest_from_creation: false,
            most_tried: MOST_TRIED,
            most_actions_per_tick: 1000,
            commands: None,
            commands_of: BTreeMap::new(),
            pools: BTreeMap::new(),
            longest_leap_days: 400,
            retry: RetrySettings::default(),
            sla: SlaSettings::default(),
            delivery: DeliverySettings::default(),
            purge: PurgeSettings::default(),
            alerts: AlertSettings::default(),
            failure_policy: FailurePolicy::default(),
            tick_ping: None,
            check_and_set_user_name: false,
            system_id: JobId::SYSTEM.to_owned(),
            mounts: Vec::new(),
            folders_group: None,
            slurm_outcome_minutes: 10,
            stores: StoreSettings::default(),
            command_variables: CommandVariables::default(),
            warnings: Vec::new(),
            zone_data: ZoneChoice::default(),
            file: None,
            properties: Properties::new(),
        }
    }
}

/// Whose rules of time zones count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZoneChoice {
    /// `auto`: the machine's when they are newer than those that are compiled in.
    #[default]
    Auto,
    /// `system`: the machine's.
    System,
    /// `built-in`: those that are compiled in.
    BuiltIn,
}

impl ZoneChoice {
    /// The property of the site.
    pub const PROPERTY: &str = "howdah.zone.data";
    /// Why another word is refused.
    const WORDS: &str = "it must be auto, system or built-in";

    /// Reads a word.
    ///
    /// # Errors
    /// H0121 for any other text, with the name under which it was given.
    pub fn parse(name: &str, word: &str) -> Result<Self> {
        match word {
            "auto" => Ok(Self::Auto),
            "system" => Ok(Self::System),
            "built-in" => Ok(Self::BuiltIn),
            _ => Err(Error::with(ErrorCode::H0121, &[&name, &word, &Self::WORDS])),
        }
    }
}

impl Settings {
    /// The settings of a site. Every value that cannot be used is a problem (H0121) and keeps its default; a name that
    /// looks like a slip is a warning (W0131). Each is placed where the site gives it.
    pub fn from_site(given: &ParsedProperties) -> (Self, Vec<Error>) {
        let mut site = Site::of(given);
        let settings = Self::read(&mut site);
        let unknown = names::unknown(given, &site.read.borrow());
        site.problems.extend(unknown);
        (settings, site.problems)
    }

    /// Reads every setting, and notes what was read.
    fn read(site: &mut Site<'_>) -> Self {
        let given = site.given;
        let mut settings = Self { properties: given.values.clone(), ..Self::default() };
        site.submission(&mut settings.submit);
        site.materialization(&mut settings.window);
        site.retries(&mut settings.retry);
        site.sla(&mut settings.sla);
        site.number("oozie.coord.execution.none.tolerance", 0..=MINUTES, &mut settings.none_tolerance_minutes);
        let mut latest_from_now = true;
        site.flag("oozie.service.ELService.latest-el.use-current-time", &mut latest_from_now);
        settings.latest_from_creation = !latest_from_now;
        // Read with each workflow; only its form is judged here.
        site.flag(ForkJoinCheck::OF_SITE, &mut true);
        site.number("howdah.latest.instances", 1..=MANY.into(), &mut settings.most_tried);
        site.delivery(&mut settings.delivery);
        site.purge(&mut settings.purge);
        site.alerts(&mut settings.alerts);
        site.failure_policy(&mut settings.failure_policy);
        settings.tick_ping = site.url("howdah.tick.ping");
        site.flag("oozie.configuration.check-and-set.user.name", &mut settings.check_and_set_user_name);
        site.system_id(&mut settings.system_id);
        // None at all would be no step.
        site.number("howdah.actions.per.tick", 1..=MANY, &mut settings.most_actions_per_tick);
        site.commands(&mut settings);
        site.executors();
        site.environment(&mut settings.command_variables);
        settings.delivery.command_variables = settings.command_variables.clone();
        site.number("howdah.clock.leap.days", 0..=100_000, &mut settings.longest_leap_days);
        if let Some(mounts) = site.text("howdah.mounts") {
            settings.mounts =
                mounts.split([',', ' ', '\n', '\t']).filter(|mount| !mount.is_empty()).map(str::to_owned).collect();
        }
        settings.folders_group = site.text("howdah.folders.group").map(str::to_owned);
        site.number("howdah.slurm.outcome.wait", 0..=1440, &mut settings.slurm_outcome_minutes);
        site.stores(&mut settings.stores);
        match site.text(ZoneChoice::PROPERTY).map(|word| ZoneChoice::parse(ZoneChoice::PROPERTY, word)) {
            Some(Ok(choice)) => settings.zone_data = choice,
            Some(Err(_)) => {
                let word = given.values.get(ZoneChoice::PROPERTY).map(|word| word.trim().to_owned());
                site.refuse(ZoneChoice::PROPERTY, &word.unwrap_or_default(), ZoneChoice::WORDS);
            }
            None => {}
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_oozie::configuration::parse_properties;
    use howdah_oozie::workflow::user_retry::RetryPolicy;
    use howdah_words::error::SourceText;
    use howdah_words::model::status::SlaEvent;
    use std::collections::BTreeSet;

    #[test]
    fn reads_known_names_and_reports_what_it_cannot_use() {
        let site = [
            ("oozie.service.coord.normal.default.timeout", "120"),
            ("oozie.service.coord.default.max.timeout", "86400"),
            ("oozie.service.CallableQueueService.queue.size", "100"),
            ("oozie.service.ELService.latest-el.use-current-time", "no"),
            ("oozie.sla.service.SLAService.alert.events", "start_miss, END_MISS"),
            ("oozie.sla.service.SLAService.job.event.latency", "5500"),
            ("howdah.sla.alert.command", " page --quick "),
            ("something.else", "x"),
            ("oozie.service.PurgeService.coord.older.than", "14"),
            ("howdah.actions.per.tick", "0"),
            ("oozie.validate.ForkJoin", "maybe"),
        ];
        let text = site.map(|(name, value)| format!("{name}={value}\n")).concat();
        let properties = parse_properties(&SourceText::new("site", text)).unwrap();
        let (settings, problems) = Settings::from_site(&properties);
        assert_eq!(settings.submit.default_timeout_minutes, 120);
        assert_eq!(settings.submit.max_timeout_minutes, Some(86_400));
        assert_eq!(settings.submit.max_throttle, 5);
        assert_eq!(settings.sla.alert_events, [SlaEvent::StartMiss, SlaEvent::EndMiss]);
        assert_eq!((settings.purge.workflow_days, settings.purge.coordinator_days), (30, 14));
        assert_eq!(settings.sla.latency_seconds, 5);
        assert_eq!(settings.sla.command, ["page", "--quick"]);
        let problems: Vec<String> = problems.iter().map(|problem| problem.message().to_string()).collect();
        let names = ["use-current-time", "validate.ForkJoin", "per.tick"];
        assert_eq!(problems.len(), names.len());
        assert!(problems.iter().zip(names).all(|(problem, name)| problem.contains(name)), "{problems:?}");
    }

    #[test]
    fn retries_are_as_in_oozie_unless_the_site_says_otherwise() {
        let read = |name: &str, value: &str| {
            let site: Properties = [(format!("{}{name}", RetrySettings::SITE_PREFIX), value.to_owned())].into();
            Settings::from_site(&site.into()).0.retry
        };
        assert_eq!(Settings::from_site(&ParsedProperties::default()).0.retry, RetrySettings::default());
        let codes = read("error.code.ext", " 1, EL 2,,").error_codes;
        assert!(["1", "EL2", "JA018"].iter().all(|code| codes.contains(*code)) && codes.len() == 10, "{codes:?}");
        assert_eq!(read("error.code", "1").error_codes, BTreeSet::from(["1".to_owned()]));
        assert_eq!(read("inteval", "7").interval_minutes, 7);
        assert_eq!(read("policy", "exponential").policy, RetryPolicy::Exponential);
    }

    #[test]
    fn values_out_of_bounds_are_refused_at_their_place() {
        let service = "oozie.service.LiteWorkflowStoreService.user.retry";
        for (name, value) in [
            ("howdah.clock.leap.days", "-1"),
            ("howdah.latest.instances", "0"),
            ("howdah.delivery.retry.interval", "-5"),
            ("oozie.service.coord.normal.default.timeout", "-2"),
            ("oozie.service.coord.default.throttle", "99999999999"),
            ("oozie.service.coord.materialization.throttling.factor", "1.5"),
            ("oozie.service.CoordMaterializeTriggerService.materialization.window", "0"),
            ("oozie.service.PurgeService.older.than", "-1"),
            ("oozie.email.smtp.port", "0"),
            ("howdah.executor", "cloud"),
            ("howdah.executor.shell", "Slurm"),
            ("howdah.alert.mail", "not a mail"),
            ("howdah.alert.night.mail", "ann@x.org, @x.org"),
            ("howdah.zone.data", "mine"),
            ("howdah.store.requests", "0"),
            ("howdah.store.requests", "65"),
            (&format!("{service}.max"), "x"),
            (&format!("{service}.policy"), "often"),
        ] {
            let properties = parse_properties(&SourceText::new("site", format!("a=1\n{name} = {value}\n"))).unwrap();
            let (_, problems) = Settings::from_site(&properties);
            let [problem] = problems.as_slice() else { panic!("{name}: {problems:?}") };
            let place = problem.location().expect("a place");
            assert_eq!(
                (problem.code(), &place.source.text[place.span.start..place.span.end]),
                (ErrorCode::H0121, value)
            );
        }
    }
}
