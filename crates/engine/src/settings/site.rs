//! The site file while it is read: each name once, what is wrong with a value at its place.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::settings::sla::SlaSettings;
use howdah_calendar::{CronZone, ProcessingZone};
use howdah_host::environment;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::materialize::Window;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_oozie::sla::alerts;
use howdah_oozie::workflow::user_retry::{RetryPolicy, RetrySettings};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::delivery::wrong_url;
use howdah_words::model::status::SlaEvent;
use howdah_words::model::time::DAY;

/// The properties of a site file as they are read, one by one.
pub struct Site<'a> {
    pub given: &'a ParsedProperties,
    /// The names that were asked for.
    pub read: RefCell<BTreeSet<String>>,
    /// The defaults of the numbers and flags among them.
    pub defaults: RefCell<BTreeMap<String, String>>,
    pub problems: Vec<Error>,
    /// The names whose values cannot be used.
    pub refused: BTreeSet<String>,
}

/// How many characters of a system's id are part of ids (`Services.MAX_SYSTEM_ID_LEN`).
const LONGEST_SYSTEM_ID: usize = 10;

impl<'a> Site<'a> {
    /// Returns the properties, of which none is read yet.
    pub fn of(given: &'a ParsedProperties) -> Self {
        Self {
            given,
            read: RefCell::default(),
            defaults: RefCell::default(),
            problems: Vec::new(),
            refused: BTreeSet::new(),
        }
    }
}

impl Site<'_> {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.read.borrow_mut().insert(name.to_owned());
        self.given.values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    pub(crate) fn refuse(&mut self, name: &str, value: &str, why: &str) {
        self.refused.insert(name.to_owned());
        let error = Error::with(ErrorCode::H0121, &[&name, &value, &why]);
        self.problems.push(match self.given.locate_value(name) {
            Some(place) => error.at(place),
            None => error,
        });
    }

    /// A number, of which both bounds are allowed.
    pub fn number<T: FromStr + PartialOrd + Display>(
        &mut self,
        name: &str,
        bounds: RangeInclusive<T>,
        setting: &mut T,
    ) {
        self.note_default(name, setting);
        if let Some(number) = self.number_or_none(name, bounds) {
            *setting = number;
        }
    }

    /// A number without a default.
    pub(crate) fn number_or_none<T: FromStr + PartialOrd + Display>(
        &mut self,
        name: &str,
        bounds: RangeInclusive<T>,
    ) -> Option<T> {
        let value = self.text(name).map(str::to_owned)?;
        match value.parse() {
            Ok(number) if bounds.contains(&number) => Some(number),
            _ => {
                let why = format!("it must be a number from {} to {}", bounds.start(), bounds.end());
                self.refuse(name, &value, &why);
                None
            }
        }
    }

    /// Refuses a word that no executor has as its name. The executors themselves read it where work is started.
    pub fn executors(&mut self) {
        let name_of_all = "howdah.executor";
        let of_types = self.given.values.keys().filter(|name| name.starts_with("howdah.executor."));
        let names: Vec<String> = of_types.cloned().chain([name_of_all.to_owned()]).collect();
        for name in names {
            let value = self.text(&name).unwrap_or("local").to_owned();
            if !matches!(value.as_str(), "local" | "slurm") {
                self.refuse(&name, &value, "it must be local or slurm");
            }
        }
    }

    /// A URL that can be fetched.
    pub fn url(&mut self, name: &str) -> Option<String> {
        let url = self.text(name)?.to_owned();
        match wrong_url(&url) {
            None => Some(url),
            Some(why) => {
                self.refuse(name, &url, why);
                None
            }
        }
    }

    fn note_default(&self, name: &str, value: &impl Display) {
        self.defaults.borrow_mut().insert(name.to_owned(), value.to_string());
    }

    pub(crate) fn flag(&mut self, name: &str, setting: &mut bool) {
        self.note_default(name, setting);
        let Some(value) = self.text(name).map(str::to_owned) else { return };
        match value.to_ascii_lowercase().as_str() {
            "true" => *setting = true,
            "false" => *setting = false,
            _ => self.refuse(name, &value, "it must be true or false"),
        }
    }

    /// The middle of ids, of which Oozie keeps the first ten characters; `${user.name}` is the user of this process.
    pub fn system_id(&mut self, setting: &mut String) {
        const NAME: &str = "oozie.system.id";
        self.note_default(NAME, setting);
        let Some(value) = self.text(NAME).map(str::to_owned) else { return };
        let user = if value.contains("${user.name}") { environment::user_name() } else { Ok(String::new()) };
        let id = match user {
            Ok(user) => value.replace("${user.name}", &user),
            Err(error) => return self.refuse(NAME, &value, error.message()),
        };
        let id: String = id.chars().take(LONGEST_SYSTEM_ID).collect();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if id.chars().all(is_plain) {
            *setting = id;
        } else {
            self.refuse(NAME, &value, "it must have letters of ASCII, digits, hyphens, underscores and dots only");
        }
    }

    pub(crate) fn submission(&mut self, submit: &mut SubmitSettings) {
        if let Some(zone) = self.text("oozie.processing.timezone").map(str::to_owned) {
            match ProcessingZone::parse(&zone) {
                Ok(zone) => submit.processing = zone,
                Err(_) => self.refuse("oozie.processing.timezone", &zone, "it must be UTC or GMT+hhmm"),
            }
        }
        let minutes = || -1..=MINUTES;
        self.number("oozie.service.coord.normal.default.timeout", minutes(), &mut submit.default_timeout_minutes);
        submit.max_timeout_minutes = self.number_or_none("oozie.service.coord.default.max.timeout", minutes());
        self.number("oozie.service.coord.default.concurrency", -1..=MANY.into(), &mut submit.default_concurrency);
        self.number("oozie.service.coord.default.throttle", 1..=MANY, &mut submit.default_throttle);
        self.flag("oozie.service.coord.check.maximum.frequency", &mut submit.check_maximum_frequency);
        let mut follow = false;
        self.flag("howdah.coord.cron.follow.job.timezone", &mut follow);
        submit.cron_zone = if follow { CronZone::Job } else { CronZone::Processing };
        self.throttle_limit(submit);
    }

    pub(crate) fn sla(&mut self, sla: &mut SlaSettings) {
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

    pub(crate) fn materialization(&mut self, window: &mut Window) {
        let service = "oozie.service.CoordMaterializeTriggerService";
        self.number(&format!("{service}.lookup.interval"), 0..=366 * DAY, &mut window.lookup_seconds);
        self.number(&format!("{service}.materialization.window"), 1..=366 * DAY, &mut window.window_seconds);
        let mut batch = 10_000_i64;
        self.number(&format!("{service}.action.batch.size"), -1..=i64::MAX, &mut batch);
        window.catch_up_limit = u32::try_from(batch).ok();
    }

    pub(crate) fn retries(&mut self, retry: &mut RetrySettings) {
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

/// The largest number of things that a setting may ask for.
pub const MANY: u32 = 1_000_000_000;

/// The longest time that a setting may name, in minutes: a thousand years.
pub const MINUTES: i64 = 1000 * 366 * 24 * 60;
