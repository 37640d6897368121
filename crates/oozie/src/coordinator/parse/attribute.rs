//! Attributes and controls of the application (decisions C2, C3, C7).

use crate::coordinator::definition::Controls;
use crate::coordinator::outline::Outline;
use crate::coordinator::parse::parser::Parser;
use crate::coordinator::phase::{FrequencyPhase, TimeoutPhase};
use crate::coordinator::timing::{self, invalid};
use howdah_calendar::{Frequency, Schedule, Zone, whole_number};
use howdah_words::error::{Error, ErrorCode, Location, did_you_mean};
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;
use howdah_xml::{Element, Text};

impl Parser<'_> {
    /// Returns the frequency of the application and its evaluated text.
    pub(super) fn app_frequency(&mut self, root: &Element) -> Option<(Frequency, String)> {
        let text = root.attribute("frequency")?;
        let mut phase = FrequencyPhase::new(self.job);
        let value = self.evaluate(text, &mut phase)?;
        let frequency = Frequency::parse(&value, phase.unit, phase.end_of);
        let frequency = self.keep(frequency.map_err(|why| timing::no_frequency(&value, &why)), text)?;
        if let Some(problem) = timing::too_fast(&frequency, self.settings) {
            let is_refused = !problem.is_warning();
            self.report(problem, text);
            if is_refused {
                return None;
            }
        }
        // As written, signs and zeros included, but without the fraction of a division whose result is whole.
        let written = if value.contains('.') { frequency.value() } else { value };
        Some((frequency, written))
    }

    /// Reads a datetime attribute.
    pub(super) fn datetime(&mut self, element: &Element, name: &str) -> Option<Timestamp> {
        let text = element.attribute(name)?;
        let value = self.plain(text)?;
        self.parse_datetime(name, &value, text)
    }

    /// Reads a datetime that was evaluated from `text`.
    pub(super) fn parse_datetime(&mut self, name: &str, value: &str, text: &Text) -> Option<Timestamp> {
        self.warn_of_digits(value, text);
        self.keep(timing::datetime(name, value, self.job.processing), text)
    }

    /// Reports W0142 for each datetime in `value` whose fields have too few or too many digits.
    pub(super) fn warn_of_digits(&mut self, value: &str, text: &Text) {
        // Most texts are no datetimes.
        if !value.contains('T') {
            return;
        }
        let separates = |character: char| {
            matches!(character, '\'' | '"' | '(' | ')' | ',' | '{' | '}' | '$') || character.is_whitespace()
        };
        let words = value.split(separates);
        for word in words.filter(|word| word.contains('T')) {
            if let Some(read) = self.job.processing.written_out(word) {
                self.report(Error::with(ErrorCode::W0142, &[&word, &read]), text);
            }
        }
    }

    /// Reads the `timezone` attribute.
    pub(super) fn zone(&mut self, element: &Element) -> Option<Zone> {
        let text = element.attribute("timezone")?;
        let value = self.plain(text)?;
        let zone = self.keep(timing::zone(&value), text)?;
        if let Some(warning) = timing::abbreviated_zone(&zone) {
            self.report(warning, text);
        }
        Some(zone)
    }

    /// Builds the schedule, when its parts are known and valid together.
    pub(super) fn schedule(
        &mut self,
        root: &Element,
        frequency: Option<Frequency>,
        bounds: (Option<Timestamp>, Option<Timestamp>),
        zone: Option<Zone>,
    ) -> Option<Schedule> {
        let bounds = match bounds {
            (Some(start), Some(end)) => {
                let checked = timing::check_bounds((start, end), self.settings.processing);
                Some(self.keep(checked.map(|()| (start, end)), root.attribute("end")?)?)
            }
            _ => None,
        };
        let frequency = frequency?;
        if let Frequency::Cron(cron) = &frequency {
            let checked = timing::check_cron(cron, bounds, self.settings.processing);
            self.keep(checked, root.attribute("frequency")?)?;
        }
        let (start, end) = bounds?;
        Some(Schedule {
            frequency,
            start,
            end,
            zone: zone?,
            processing: self.settings.processing,
            cron_zone: self.settings.cron_zone,
        })
    }

    /// Reads the `controls` element, with the defaults for what it leaves out.
    pub(super) fn controls(&mut self, controls: Option<&Element>, outline: &mut Outline) -> Option<Controls> {
        let child = |name| controls.and_then(|controls| controls.child(name)).map(Element::text);
        let timeout = self.timeout(child("timeout"));
        let concurrency = self.whole_control("concurrency", child("concurrency"), self.settings.default_concurrency);
        let throttle = self.whole_control("throttle", child("throttle"), i64::from(self.settings.default_throttle));
        let most = self.settings.max_throttle;
        let throttle = throttle
            .map(|wanted| u32::try_from(wanted).ok().filter(|wanted| (1..=most).contains(wanted)).unwrap_or(most));
        let execution = self.execution(child("execution"));
        let written = |text: Option<Text>| text.filter(|text| !text.value.is_empty());
        let concurrency_text = written(child("concurrency"));
        outline.concurrency = concurrency.zip(concurrency_text.map(|text| Location::new(&self.source, text.span)));
        outline.throttle = throttle.filter(|_| written(child("throttle")).is_some()).map(i64::from);
        Some(Controls {
            timeout_minutes: timeout?,
            concurrency: concurrency?,
            execution: execution?,
            throttle: throttle?,
        })
    }

    fn timeout(&mut self, text: Option<Text>) -> Option<i64> {
        let Some(text) = text else { return Some(self.limit_timeout(self.settings.default_timeout_minutes)) };
        let mut phase = TimeoutPhase::new(self.job);
        let value = self.evaluate(&text, &mut phase)?;
        let number = whole_number(&value).ok_or_else(|| {
            let error = invalid("timeout", &value, "must be an integer");
            error.help("write minutes, ${coord:hours(n)} or ${coord:days(n)}; -1 waits without limit")
        });
        let minutes = self.keep(number, &text)?.saturating_mul(phase.minutes_per_unit);
        Some(self.limit_timeout(minutes))
    }

    /// Applies the site's largest timeout, when it has one (decision C3).
    fn limit_timeout(&self, minutes: i64) -> i64 {
        match self.settings.max_timeout_minutes {
            Some(most) if minutes < 0 || minutes > most => most,
            _ => minutes.max(-1),
        }
    }

    fn whole_control(&mut self, name: &str, text: Option<Text>, default: i64) -> Option<i64> {
        let Some(text) = text else { return Some(default) };
        let value = self.plain(&text)?;
        if value.is_empty() {
            return Some(default);
        }
        let number = whole_number(&value).ok_or_else(|| {
            invalid(name, &value, "must be an integer").help("write how many actions, as a whole number")
        });
        self.keep(number, &text)
    }

    fn execution(&mut self, text: Option<Text>) -> Option<Execution> {
        let Some(text) = text else { return Some(Execution::Fifo) };
        let value = self.plain(&text)?;
        let execution = Execution::from_word(&value).ok_or_else(|| {
            let error = invalid("execution", &value, "must be one of FIFO, LIFO, LAST_ONLY, NONE");
            match did_you_mean(&value, Execution::ALL.iter().map(|execution| execution.as_str())) {
                Some(near) => error.help(format!("did you mean {near}?")),
                None => error,
            }
        });
        self.keep(execution, &text)
    }
}

/// Returns the location of a whole element's tag.
pub(super) fn tag_location(parser: &Parser<'_>, element: &Element) -> Location {
    Location::new(&parser.source, element.tag)
}
