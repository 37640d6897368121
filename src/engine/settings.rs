//! The site's settings under Oozie's own names.
//!
//! Unknown properties are ignored, so an `oozie-site.xml` can be passed as it is; known ones are checked.

pub(crate) mod delivery;
pub(crate) mod purge;

use std::num::NonZeroU32;
use std::path::PathBuf;

use crate::calendar::{CronZone, ProcessingZone};
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
use crate::workflow::user_retry::RetrySettings;

/// Instances that a search asks for unless the site says otherwise: two months of a dataset with one every minute.
pub(crate) const MOST_TRIED: u64 = 100_000;

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
    /// `oozie.configuration.check-and-set.user.name`: a `user.name` of an action's configuration is replaced, not refused.
    pub(crate) check_and_set_user_name: bool,
    /// `howdah.mounts`: `URI-PREFIX=DIRECTORY`, separated by commas or blanks.
    pub(crate) mounts: Vec<String>,
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
    properties: &'a Properties,
    problems: Vec<Error>,
}

impl Settings {
    /// The settings of a site; every value that cannot be used is a problem (H0121) and keeps its default.
    pub(crate) fn from_site(properties: &Properties) -> (Self, Vec<Error>) {
        let mut site = Site { properties, problems: Vec::new() };
        let mut settings = Self { properties: properties.clone(), ..Self::default() };
        site.submission(&mut settings.submit);
        site.materialization(&mut settings.window);
        match RetrySettings::from_site(properties) {
            Ok(retry) => settings.retry = retry,
            Err(error) => site.problems.push(error),
        }
        site.sla(&mut settings.sla);
        site.number("oozie.coord.execution.none.tolerance", &mut settings.none_tolerance_minutes);
        let mut latest_from_now = true;
        site.flag("oozie.service.ELService.latest-el.use-current-time", &mut latest_from_now);
        settings.latest_from_creation = !latest_from_now;
        // Read with each workflow; only its form is judged here.
        site.flag(ForkJoinCheck::OF_SITE, &mut true);
        site.number("howdah.latest.instances", &mut settings.most_tried);
        site.delivery(&mut settings.delivery);
        site.purge(&mut settings.purge);
        site.flag("oozie.configuration.check-and-set.user.name", &mut settings.check_and_set_user_name);
        // None at all would be no step.
        let mut per_tick = NonZeroU32::new(settings.most_actions_per_tick).unwrap_or(NonZeroU32::MIN);
        site.number("howdah.actions.per.tick", &mut per_tick);
        settings.most_actions_per_tick = per_tick.get();
        site.number("howdah.clock.leap.days", &mut settings.longest_leap_days);
        if let Some(mounts) = site.text("howdah.mounts") {
            settings.mounts =
                mounts.split([',', ' ', '\n', '\t']).filter(|mount| !mount.is_empty()).map(str::to_owned).collect();
        }
        match site.text(ZoneChoice::PROPERTY).map(|word| ZoneChoice::parse(ZoneChoice::PROPERTY, word)) {
            Some(Ok(choice)) => settings.zone_data = choice,
            Some(Err(problem)) => site.problems.push(problem),
            None => {}
        }
        (settings, site.problems)
    }
}

impl Site<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn refuse(&mut self, name: &str, value: &str, why: &str) {
        self.problems.push(Error::with(ErrorCode::H0121, &[&name, &value, &why]));
    }

    fn number<T: std::str::FromStr>(&mut self, name: &str, setting: &mut T) {
        let Some(value) = self.text(name).map(str::to_owned) else { return };
        match value.parse() {
            Ok(number) => *setting = number,
            Err(_) => self.refuse(name, &value, "it must be a whole number within bounds"),
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
        self.number("oozie.service.coord.normal.default.timeout", &mut submit.default_timeout_minutes);
        let mut most = i64::MIN;
        self.number("oozie.service.coord.default.max.timeout", &mut most);
        submit.max_timeout_minutes = (most != i64::MIN).then_some(most);
        self.number("oozie.service.coord.default.concurrency", &mut submit.default_concurrency);
        self.number("oozie.service.coord.default.throttle", &mut submit.default_throttle);
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
        self.number(&format!("{service}.job.event.latency"), &mut latency_milliseconds);
        sla.latency_seconds = latency_milliseconds.clamp(0, DAY * 1000) / 1000;
        self.number(alerts::OLDER_THAN, &mut sla.older_than_hours);
        let command = self.text("howdah.sla.alert.command").unwrap_or_default();
        sla.command = command.split_whitespace().map(str::to_owned).collect();
    }

    /// The throttle's bound is the queue size times the throttling factor.
    fn throttle_limit(&mut self, submit: &mut SubmitSettings) {
        let (mut queue, mut factor) = (10_000_u32, 0.05_f64);
        self.number("oozie.service.CallableQueueService.queue.size", &mut queue);
        self.number("oozie.service.coord.materialization.throttling.factor", &mut factor);
        let limit = (f64::from(queue) * factor).clamp(1.0, f64::from(u32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range just above")]
        let limit = limit as u32;
        submit.max_throttle = limit;
    }

    fn materialization(&mut self, window: &mut Window) {
        let service = "oozie.service.CoordMaterializeTriggerService";
        self.number(&format!("{service}.lookup.interval"), &mut window.lookup_seconds);
        self.number(&format!("{service}.materialization.window"), &mut window.window_seconds);
        let mut batch = 10_000_i64;
        self.number(&format!("{service}.action.batch.size"), &mut batch);
        window.catch_up_limit = u32::try_from(batch).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let properties = site.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
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
}
