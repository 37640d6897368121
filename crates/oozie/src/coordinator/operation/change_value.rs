//! The new values of `change`, in the form `--value "endtime=...;concurrency=...;pausetime=...;status=..."`
//! (coordinator specification 14; bundles accept two of them).

use std::collections::BTreeMap;

use howdah_calendar::ProcessingZone;
use howdah_calendar::notation::Notation;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::Timestamp;

/// The changes to a coordinator job; `None` keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewValues {
    pub end: Option<Timestamp>,
    /// Negative: no limit.
    pub concurrency: Option<i32>,
    pub pause: Option<NewPause>,
    pub status: Option<NewStatus>,
}

/// The changes to a bundle job; `None` keeps the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBundleValues {
    pub end: Option<Timestamp>,
    pub pause: Option<NewPause>,
}

/// A new pause time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewPause {
    At(Timestamp),
    /// The job has no pause time any more.
    Never,
}

/// A status that an operator may set on a coordinator job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewStatus {
    Running,
    Ignored,
}

impl NewStatus {
    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Ignored => "IGNORED",
        }
    }
}

impl NewValues {
    /// Returns them in the operator's notation, in the order of the names.
    pub fn text(&self, notation: Notation) -> String {
        let pause = self.pause.map(|pause| match pause {
            NewPause::At(at) => notation.time(at),
            NewPause::Never => String::new(),
        });
        let values = [
            ("concurrency", self.concurrency.map(|concurrency| concurrency.to_string())),
            ("endtime", self.end.map(|end| notation.time(end))),
            ("pausetime", pause),
            ("status", self.status.map(|status| status.as_str().to_owned())),
        ];
        let given = values.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        given.collect::<Vec<_>>().join(";")
    }
}

/// How the values of a job are read and refused.
struct Reader<'t> {
    text: &'t str,
    code: ErrorCode,
    /// The names, as a refusal lists them.
    names: &'static str,
    processing: ProcessingZone,
}

impl NewValues {
    /// Reads the new values of a coordinator job.
    ///
    /// # Errors
    /// E1015.
    pub fn parse(text: &str, processing: ProcessingZone) -> Result<Self> {
        let names = "endtime|concurrency|pausetime|status";
        let reader = Reader { text, code: ErrorCode::E1015, names, processing };
        let mut values = Self::default();
        for (name, value) in reader.pairs()? {
            match name {
                "endtime" => values.end = Some(reader.date(reader.present(name, value)?)?),
                "concurrency" => values.concurrency = Some(reader.integer(reader.present(name, value)?)?),
                "pausetime" => values.pause = Some(reader.pause(value)?),
                "status" => values.status = Some(reader.status(reader.present(name, value)?)?),
                _ => return Err(reader.unknown()),
            }
        }
        Ok(values)
    }
}

impl NewBundleValues {
    /// Reads the new values of a bundle job.
    ///
    /// # Errors
    /// E1317; E1015 for a part that is not a pair of name and value.
    pub fn parse(text: &str, processing: ProcessingZone) -> Result<Self> {
        let reader = Reader { text, code: ErrorCode::E1317, names: "endtime|pausetime", processing };
        let mut values = Self::default();
        for (name, value) in reader.pairs()? {
            match name {
                "endtime" => values.end = Some(reader.date(reader.present(name, value)?)?),
                "pausetime" => values.pause = Some(reader.pause(value)?),
                _ => return Err(reader.unknown()),
            }
        }
        Ok(values)
    }
}

impl<'t> Reader<'t> {
    fn refuse(&self, value: &str, why: &str) -> Error {
        Error::with(self.code, &[&value, &why]).help(format!("write name=value;name=value with {}", self.names))
    }

    fn unknown(&self) -> Error {
        self.refuse(self.text, &format!("must change {}", self.names))
    }

    /// Splits the text into pairs, in the order of their names; semicolons at the end do not count.
    ///
    /// A text that is not a list of pairs is E1015, for bundles too.
    fn pairs(&self) -> Result<BTreeMap<&'t str, &'t str>> {
        let no_pairs = |part: &str, why: &str| {
            let error = Error::with(ErrorCode::E1015, &[&part, &why]);
            Err(error.help(format!("write name=value;name=value with {}", self.names)))
        };
        if self.text.trim().is_empty() {
            return no_pairs(self.text, "change value can not be empty string");
        }
        let mut pairs = BTreeMap::new();
        for pair in self.text.trim_end_matches(';').split(';') {
            let Some((name, value)) = pair.split_once('=') else {
                return no_pairs(pair, "change value must be name=value pair or name=(empty string)");
            };
            if value.contains('=') {
                return no_pairs(pair, "elements on value string must be less than 2");
            }
            if pairs.insert(name, value).is_some() {
                return no_pairs(self.text, &format!("can not specify repeated change values on {name}"));
            }
        }
        Ok(pairs)
    }

    fn present(&self, name: &str, value: &'t str) -> Result<&'t str> {
        if value.is_empty() {
            return Err(self.refuse(self.text, &format!("value on {name} can not be empty")));
        }
        Ok(value)
    }

    fn date(&self, value: &str) -> Result<Timestamp> {
        // As in Oozie, blanks around a time do not count, and around any other value they do.
        let date = self.processing.parse_datetime(value.trim());
        date.map_err(|error| Error::with(self.code, &[&value, &"must be a valid date"]).help(error.help()))
    }

    fn pause(&self, value: &str) -> Result<NewPause> {
        if value.is_empty() { Ok(NewPause::Never) } else { self.date(value).map(NewPause::At) }
    }

    fn integer(&self, value: &str) -> Result<i32> {
        value.parse().map_err(|_| self.refuse(value, "must be a valid integer"))
    }

    fn status(&self, value: &str) -> Result<NewStatus> {
        let statuses = [NewStatus::Running, NewStatus::Ignored];
        let found = statuses.into_iter().find(|status| status.as_str() == value);
        found.ok_or_else(|| self.refuse(value, "must be RUNNING or IGNORED"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<NewValues, &str>) {
        let values = NewValues::parse(text, ProcessingZone::UTC).map_err(|error| error.to_string());
        match (values, expect) {
            (Ok(values), Ok(expect)) => {
                assert_eq!(values, expect, "{text}");
                assert_eq!(NewValues::parse(&values.text(Notation::UTC), ProcessingZone::UTC), Ok(values));
            }
            (Err(error), Err(part)) => assert!(error.starts_with("E1015") && error.contains(part), "{text}: {error}"),
            (values, expect) => panic!("{text}: {values:?}, expected {expect:?}"),
        }
    }

    fn at(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).unwrap()
    }

    #[test]
    fn reads_the_given_values() {
        let none = NewValues::default();
        let time = "2011-12-01T05:00Z";
        check(&format!("endtime={time};"), Ok(NewValues { end: Some(at(time)), ..none.clone() }));
        check("concurrency=-1", Ok(NewValues { concurrency: Some(-1), ..none.clone() }));
        let pause = Some(NewPause::Never);
        check("pausetime=;concurrency=005", Ok(NewValues { concurrency: Some(5), pause, ..none.clone() }));
        let (pause, status) = (Some(NewPause::At(at(time))), Some(NewStatus::Ignored));
        check(&format!("status=IGNORED;pausetime={time}"), Ok(NewValues { pause, status, ..none }));
    }

    #[test]
    fn refuses_the_rest() {
        for (text, part) in [
            ("  ", "can not be empty"),
            ("foo", "name=value pair"),
            ("foo=", "must change endtime"),
            ("=", "must change endtime"),
            ("Endtime=2011-12-01T05:00Z", "must change endtime"),
            ("endtime=a=b", "less than 2"),
            ("endtime=2011-12-01", "valid date"),
            ("concurrency=", "value on concurrency can not be empty"),
            ("concurrency=2147483648", "valid integer"),
            ("concurrency=1;concurrency=1", "repeated"),
            ("status=running", "must be RUNNING or IGNORED"),
            ("status=KILLED", "must be RUNNING or IGNORED"),
        ] {
            check(text, Err(part));
        }
    }

    #[test]
    fn bundles_have_an_end_and_a_pause() {
        let code = |text| NewBundleValues::parse(text, ProcessingZone::UTC).map_err(|error| error.code().as_str());
        let end = Some(at("2030-12-01T05:00Z"));
        assert_eq!(
            code("endtime=2030-12-01T05:00Z;pausetime="),
            Ok(NewBundleValues { end, pause: Some(NewPause::Never) })
        );
        assert_eq!(code("pausetime=x"), Err("E1317"));
        assert_eq!(code("concurrency=1"), Err("E1317"));
        assert_eq!(code("endtime="), Err("E1317"));
        assert_eq!(code("endtime"), Err("E1015"));
        assert_eq!(code("pausetime=;pausetime="), Err("E1015"));
    }
}
