//! The site's settings under Oozie's own names.
//!
//! Properties that mean nothing here are passed over, so that an `oozie-site.xml` can be used as it is; what is read
//! has bounds, and a value outside of them is refused at its place.

pub(crate) mod delivery;
mod names;
pub(crate) mod purge;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use crate::calendar::{CronZone, ProcessingZone};
use crate::configuration::ParsedProperties;
use crate::coordinator::materialize::Window;
use crate::coordinator::settings::SubmitSettings;
use crate::engine::settings::delivery::DeliverySettings;
use crate::engine::settings::purge::PurgeSettings;
use crate::error::{Error, ErrorCode, Result};
use crate::model::Properties;
use crate::model::status::SlaEvent;
use crate::model::time::DAY;
use crate::sla::alerts;
use crate::workflow::ForkJoinCheck;
use crate::workflow::user_retry::{RetryPolicy, RetrySettings};

/// Instances that a search asks for unless the site says otherwise: two months of a dataset with one every minute.
pub(crate) const MOST_TRIED: u64 = 100_000;
/// The largest number of things that a setting may ask for.
const MANY: u32 = 1_000_000_000;
/// The longest time that a setting may name, in minutes: a thousand years.
const MINUTES: i64 = 1000 * 366 * 24 * 60;

/// Everything a site file can change.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) submit: SubmitSettings,
    pub(crate) window: Window,
    /// `oozie.coord.execution.none.tolerance`, in minutes.
    pub(crate) none_tolerance_minutes: i64,
    /// `oozie.service.ELService.latest-el.use-current-time` is false: `latest` looks back from an action's creation.
    pub(crate) latest_from_creation: bool,
    /// `howdah.latest.instances`: the most instances that one search of `latest` or `future` asks for.
    pub(crate) most_tried: u64,
    /// `howdah.actions.per.tick`: the most actions one tick creates for one job.
    pub(crate) most_actions_per_tick: u32,
    /// `howdah.clock.leap.days`: how far the clock may be ahead of the last tick.
    pub(crate) longest_leap_days: u32,
    pub(crate) retry: RetrySettings,
    pub(crate) sla: SlaSettings,
    pub(crate) delivery: DeliverySettings,
    pub(crate) purge: PurgeSettings,
    /// `oozie.configuration.check-and-set.user.name`: a `user.name` of an action's configuration is replaced, not
    /// refused.
    pub(crate) check_and_set_user_name: bool,
    /// `howdah.mounts`: `URI-PREFIX=DIRECTORY`, separated by commas or blanks.
    pub(crate) mounts: Vec<String>,
    /// What looks wrong in the site file although every value can be used.
    pub(crate) warnings: Vec<Error>,
    /// `howdah.zone.data`: whose rules of time zones count.
    pub(crate) zone_data: ZoneChoice,
    /// The site file, for processes that are started with the same settings.
    pub(crate) file: Option<PathBuf>,
    /// The site's properties as read, for settings of single action types.
    pub(crate) properties: Properties,
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
            longest_leap_days: 400,
            retry: RetrySettings::default(),
            sla: SlaSettings::default(),
            delivery: DeliverySettings::default(),
            purge: PurgeSettings::default(),
            check_and_set_user_name: false,
            mounts: Vec::new(),
            warnings: Vec::new(),
            zone_data: ZoneChoice::default(),
            file: None,
            properties: Properties::new(),
        }
    }
}

/// Whose rules of time zones count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ZoneChoice {
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
    pub(crate) const PROPERTY: &str = "howdah.zone.data";

    /// Reads a word.
    ///
    /// # Errors
    /// H0121 for any other text, with the name under which it was given.
    pub(crate) fn parse(name: &str, word: &str) -> Result<Self> {
        match word {
            "auto" => Ok(Self::Auto),
            "system" => Ok(Self::System),
            "built-in" => Ok(Self::BuiltIn),
            _ => Err(Error::with(ErrorCode::H0121, &[&name, &word, &"it must be auto, system or built-in"])),
        }
    }
}

/// When SLA registrations are looked at, and who is told of their events.
#[derive(Clone, Debug)]
pub(crate) struct SlaSettings {
    /// `oozie.sla.service.SLAService.alert.events`: told of where an SLA element names none.
    pub(crate) alert_events: Vec<SlaEvent>,
    /// `oozie.sla.service.SLAService.job.event.latency`, given in milliseconds: how long beyond a promised time a
    /// registration waits for news of its subject.
    pub(crate) latency_seconds: i64,
    /// `oozie.sla.disable.alerts.older.than`, in hours.
    pub(crate) older_than_hours: i64,
    /// `howdah.sla.alert.command`: a program and its arguments; empty: none.
    pub(crate) command: Vec<String>,
}

impl Default for SlaSettings {
    fn default() -> Self {
        Self { alert_events: vec![SlaEvent::EndMiss], latency_seconds: 90, older_than_hours: 48, command: Vec::new() }
    }
}

/// The properties of a site file as they are read, one by one.
struct Site<'a> {
    given: &'a ParsedProperties,
    /// The names that were asked for.
    read: RefCell<BTreeSet<String>>,
    problems: Vec<Error>,
}

impl Settings {
    /// The settings of a site. Every value that cannot be used is a problem (H0121) and keeps its default; a name that
    /// looks like a slip is a warning (W0131). Each is placed where the site gives it.
    pub(crate) fn from_site(given: &ParsedProperties) -> (Self, Vec<Error>) {
        let mut site = Site { given, read: RefCell::default(), problems: Vec::new() };
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
        site.flag("oozie.configuration.check-and-set.user.name", &mut settings.check_and_set_user_name);
        // None at all would be no step.
        site.number("howdah.actions.per.tick", 1..=MANY, &mut settings.most_actions_per_tick);
        site.number("howdah.clock.leap.days", 0..=100_000, &mut settings.longest_leap_days);
        if let Some(mounts) = site.text("howdah.mounts") {
            settings.mounts =
                mounts.split([',', ' ', '\n', '\t']).filter(|mount| !mount.is_empty()).map(str::to_owned).collect();
        }
        match site.text(ZoneChoice::PROPERTY).map(|word| ZoneChoice::parse(ZoneChoice::PROPERTY, word)) {
            Some(Ok(choice)) => settings.zone_data = choice,
            Some(Err(problem)) => site.problems.push(match given.locate_value(ZoneChoice::PROPERTY) {
                Some(place) => problem.at(place),
                None => problem,
            }),
            None => {}
        }
        let unknown = names::unknown(given, &site.read.borrow());
        site.problems.extend(unknown);
        (settings, site.problems)
    }
}

impl Site<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.read.borrow_mut().insert(name.to_owned());
        self.given.values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn refuse(&mut self, name: &str, value: &str, why: &str) {
        let error = Error::with(ErrorCode::H0121, &[&name, &value, &why]);
        self.problems.push(match self.given.locate_value(name) {
            Some(place) => error.at(place),
            None => error,
        });
    }

    /// A number, of which both bounds are allowed.
    fn number<T: FromStr + PartialOrd + Display>(&mut self, name: &str, bounds: RangeInclusive<T>, setting: &mut T) {
        let Some(value) = self.text(name).map(str::to_owned) else { return };
        match value.parse() {
            Ok(number) if bounds.contains(&number) => *setting = number,
            _ => {
                let why = format!("it must be a number from {} to {}", bounds.start(), bounds.end());
                self.refuse(name, &value, &why);
            }
        }
    }

    fn flag(&mut self, name: &str, setting: &mut bool) {
        let Some(value) = self.text(name).map(str::to_owned) else { return };
        match value.to_ascii_lowercase().as_str() {
            "true" => *setting = true,
            "false" => *setting = false,
            _ => self.refuse(name, &value, "it must be true or false"),
        }
    }

    fn submission(&mut self, submit: &mut SubmitSettings) {
        if let Some(zone) = self.text("oozie.processing.timezone").map(str::to_owned) {
            match ProcessingZone::parse(&zone) {
                Ok(zone) => submit.processing = zone,
                Err(_) => self.refuse("oozie.processing.timezone", &zone, "it must be UTC or GMT+hhmm"),
            }
        }
        let minutes = || -1..=MINUTES;
        self.number("oozie.service.coord.normal.default.timeout", minutes(), &mut submit.default_timeout_minutes);
        let mut most = i64::MIN;
        self.number("oozie.service.coord.default.max.timeout", minutes(), &mut most);
        submit.max_timeout_minutes = (most != i64::MIN).then_some(most);
        self.number("oozie.service.coord.default.concurrency", -1..=MANY.into(), &mut submit.default_concurrency);
        self.number("oozie.service.coord.default.throttle", 1..=MANY, &mut submit.default_throttle);
        self.flag("oozie.service.coord.check.maximum.frequency", &mut submit.check_maximum_frequency);
        let mut follow = false;
        self.flag("howdah.coord.cron.follow.job.timezone", &mut follow);
        submit.cron_zone = if follow { CronZone::Job } else { CronZone::Processing };
        self.throttle_limit(submit);
    }

    fn sla(&mut self, sla: &mut SlaSettings) {
        let service = "oozie.sla.service.SLAService";
        let name = format!("{service}.alert.events");
        if let Some(list) = self.text(&name).map(str::to_owned) {
            let word = |word: &str| SlaEvent::from_word(&word.trim().to_ascii_uppercase());
            match list.split(',').map(word).collect() {
                Some(events) => sla.alert_events = events,
                None => self.refuse(&name, &list, "it must be events such as START_MISS,END_MISS"),
            }
        }
        let mut latency_milliseconds = sla.latency_seconds * 1000;
        self.number(&format!("{service}.job.event.latency"), 0..=DAY * 1000, &mut latency_milliseconds);
        sla.latency_seconds = latency_milliseconds / 1000;
        self.number(alerts::OLDER_THAN, 0..=MINUTES, &mut sla.older_than_hours);
        let command = self.text("howdah.sla.alert.command").unwrap_or_default();
        sla.command = command.split_whitespace().map(str::to_owned).collect();
    }

    /// The throttle's bound is the queue size times the throttling factor.
    fn throttle_limit(&mut self, submit: &mut SubmitSettings) {
        let (mut queue, mut factor) = (10_000_u32, 0.05_f64);
        self.number("oozie.service.CallableQueueService.queue.size", 1..=u32::MAX, &mut queue);
        self.number("oozie.service.coord.materialization.throttling.factor", 0.0..=1.0, &mut factor);
        let limit = (f64::from(queue) * factor).clamp(1.0, f64::from(u32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range just above")]
        let limit = limit as u32;
        submit.max_throttle = limit;
    }

    fn materialization(&mut self, window: &mut Window) {
        let service = "oozie.service.CoordMaterializeTriggerService";
        self.number(&format!("{service}.lookup.interval"), 0..=366 * DAY, &mut window.lookup_seconds);
        self.number(&format!("{service}.materialization.window"), 1..=366 * DAY, &mut window.window_seconds);
        let mut batch = 10_000_i64;
        self.number(&format!("{service}.action.batch.size"), -1..=i64::MAX, &mut batch);
        window.catch_up_limit = u32::try_from(batch).ok();
    }

    fn retries(&mut self, retry: &mut RetrySettings) {
        let name = |name: &str| format!("{}{name}", RetrySettings::SITE_PREFIX);
        self.number(&name("max"), 0..=MANY, &mut retry.max);
        self.number(&name("default"), 0..=MANY, &mut retry.default_max);
        // Oozie's own spelling.
        self.number(&name("inteval"), 0..=MANY, &mut retry.interval_minutes);
        if let Some(word) = self.text(&name("policy")).map(str::to_owned) {
            match RetryPolicy::from_word(&word) {
                Some(policy) => retry.policy = policy,
                None => self.refuse(&name("policy"), &word, "it must be periodic or exponential"),
            }
        }
        if let Some(codes) = self.text(&name("error.code")) {
            retry.error_codes = RetrySettings::codes(codes).collect();
        }
        retry.error_codes.extend(self.text(&name("error.code.ext")).into_iter().flat_map(RetrySettings::codes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::parse_properties;
    use crate::error::SourceText;

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
