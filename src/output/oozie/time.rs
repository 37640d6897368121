//! Times as Oozie's command line writes them.

use howdah_calendar::Zone;
use howdah_words::model::time::Timestamp;

/// The zone of times in Oozie's texts.
#[derive(Clone, Debug)]
pub(crate) struct OozieZone(Zone);

impl OozieZone {
    /// Returns the zone of an id; GMT for an unknown one, as in Java.
    pub(crate) fn of(id: &str) -> Self {
        Self(Zone::parse(id).or_else(|_| Zone::parse("GMT")).unwrap_or_else(|_| Zone::utc()))
    }

    /// Writes `yyyy-MM-dd HH:mm zzz`.
    pub(super) fn minutes(&self, at: Option<Timestamp>) -> String {
        self.formatted(at, "%Y-%m-%d %H:%M").unwrap_or_else(|| "-".to_owned())
    }

    /// Writes `yyyy-MM-dd HH:mm:ss zzz` in a verbose text, else without the seconds.
    pub(super) fn time(&self, at: Option<Timestamp>, verbose: bool) -> String {
        if !verbose {
            return self.minutes(at);
        }
        self.formatted(at, "%Y-%m-%d %H:%M:%S").unwrap_or_else(|| "-".to_owned())
    }

    /// Writes a time as Java's `Date` prints itself: `Mon Jun 22 15:06:00 UTC 2015`; `null` for none.
    pub(super) fn date(&self, at: Option<Timestamp>) -> String {
        let Some(time) = self.formatted(at, "%a %b %d %H:%M:%S") else { return "null".to_owned() };
        let year = at.map(|at| self.local(at)).and_then(Timestamp::to_utc).map(|local| local.format("%Y").to_string());
        format!("{time} {}", year.unwrap_or_default())
    }

    /// Writes a time as Oozie's web services do: `Mon, 22 Jun 2015 15:06:00 GMT`; `None` for none.
    pub(crate) fn web_date(&self, at: Option<Timestamp>) -> Option<String> {
        self.formatted(at, "%a, %d %b %Y %H:%M:%S")
    }

    /// Returns the short name of the zone at a time.
    #[cfg(feature = "serve")]
    pub(crate) fn abbreviation(&self, at: Timestamp) -> String {
        self.0.abbreviation(at)
    }

    /// Writes what the clocks of the zone show, then the short name of the zone.
    fn formatted(&self, at: Option<Timestamp>, form: &str) -> Option<String> {
        let at = at?;
        let local = self.local(at).to_utc()?;
        Some(format!("{} {}", local.format(form), self.0.abbreviation(at)))
    }

    fn local(&self, at: Timestamp) -> Timestamp {
        Timestamp::from_seconds(self.0.local_seconds(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_zones() {
        let at = Timestamp::from_seconds(1_434_985_565);
        for (zone, minutes, seconds, date) in [
            ("GMT", "2015-06-22 15:06 GMT", "2015-06-22 15:06:05 GMT", "Mon Jun 22 15:06:05 GMT 2015"),
            ("UTC", "2015-06-22 15:06 UTC", "2015-06-22 15:06:05 UTC", "Mon Jun 22 15:06:05 UTC 2015"),
            ("America/Los_Angeles", "2015-06-22 08:06 PDT", "2015-06-22 08:06:05 PDT", "Mon Jun 22 08:06:05 PDT 2015"),
            ("GMT+05:30", "2015-06-22 20:36 +05:30", "2015-06-22 20:36:05 +05:30", "Mon Jun 22 20:36:05 +05:30 2015"),
            ("No/Zone", "2015-06-22 15:06 GMT", "2015-06-22 15:06:05 GMT", "Mon Jun 22 15:06:05 GMT 2015"),
        ] {
            let of = OozieZone::of(zone);
            let web = of.web_date(Some(at)).unwrap_or_default();
            assert!(web.starts_with("Mon, 22 Jun 2015 ") && web.ends_with(&minutes[17..]), "{web}");
            let found = [of.time(Some(at), false), of.time(Some(at), true), of.date(Some(at))];
            assert_eq!(found, [minutes, seconds, date], "{zone}");
        }
        let zone = OozieZone::of("GMT");
        assert_eq!([zone.time(None, true), zone.date(None)], ["-", "null"]);
    }
}
