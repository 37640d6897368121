//! What a user may have meant by an id that is no time zone.
//!
//! Two ids may differ by one letter or sign and by half a day of time. So an offset is rewritten, known names get their
//! region, and a spelling is corrected only where nothing else is as near.

use super::built_in;
use super::zone::{REFUSED, Zone, ZoneError, offset_of_digits};
use howdah_words::error::did_you_mean;

/// Names that people use and that are no ids: abbreviations of zones, and cities that have the time of another one.
const KNOWN: &[(&str, &str)] = &[
    ("ACDT", "Australia/Adelaide"),
    ("ACST", "Australia/Adelaide"),
    ("ADT", "America/Halifax"),
    ("AEDT", "Australia/Sydney"),
    ("AEST", "Australia/Sydney"),
    ("AKDT", "America/Anchorage"),
    ("AKST", "America/Anchorage"),
    ("AWST", "Australia/Perth"),
    ("BRT", "America/Sao_Paulo"),
    ("CDT", "America/Chicago"),
    ("CEST", "Europe/Berlin"),
    ("COT", "America/Bogota"),
    ("EDT", "America/New_York"),
    ("EEST", "Europe/Athens"),
    ("GST", "Asia/Dubai"),
    ("HKT", "Asia/Hong_Kong"),
    ("ICT", "Asia/Bangkok"),
    ("IDT", "Asia/Jerusalem"),
    ("KST", "Asia/Seoul"),
    ("MDT", "America/Denver"),
    ("MESZ", "Europe/Berlin"),
    ("MEZ", "Europe/Berlin"),
    ("MSK", "Europe/Moscow"),
    ("NDT", "America/St_Johns"),
    ("NZDT", "Pacific/Auckland"),
    ("NZST", "Pacific/Auckland"),
    ("PDT", "America/Los_Angeles"),
    ("PHT", "Asia/Manila"),
    ("PKT", "Asia/Karachi"),
    ("SAST", "Africa/Johannesburg"),
    ("SGT", "Asia/Singapore"),
    ("TRT", "Europe/Istanbul"),
    ("WEST", "Europe/Lisbon"),
    ("WIB", "Asia/Jakarta"),
    ("Africa/Cape_Town", "Africa/Johannesburg"),
    ("America/Boston", "America/New_York"),
    ("America/Miami", "America/New_York"),
    ("America/San_Francisco", "America/Los_Angeles"),
    ("America/Seattle", "America/Los_Angeles"),
    ("America/Washington", "America/New_York"),
    ("Asia/Bangalore", "Asia/Kolkata"),
    ("Asia/Beijing", "Asia/Shanghai"),
    ("Asia/Chennai", "Asia/Kolkata"),
    ("Asia/Delhi", "Asia/Kolkata"),
    ("Asia/Guangzhou", "Asia/Shanghai"),
    ("Asia/Hanoi", "Asia/Ho_Chi_Minh"),
    ("Asia/Mumbai", "Asia/Kolkata"),
    ("Asia/Osaka", "Asia/Tokyo"),
    ("Asia/Shenzhen", "Asia/Shanghai"),
    ("Australia/Sidney", "Australia/Sydney"),
    ("Europe/Barcelona", "Europe/Madrid"),
    ("Europe/Cologne", "Europe/Berlin"),
    ("Europe/Frankfurt", "Europe/Berlin"),
    ("Europe/Geneva", "Europe/Zurich"),
    ("Europe/Hamburg", "Europe/Berlin"),
    ("Europe/Milan", "Europe/Rome"),
    ("Europe/Munich", "Europe/Berlin"),
    ("Europe/Saint_Petersburg", "Europe/Moscow"),
];

/// The shortest id whose spelling is corrected: shorter ones are abbreviations, and most abbreviations are near others.
const SHORTEST: usize = 6;

impl ZoneError {
    /// Returns advice for the user: what was meant, as far as that is certain, or the forms that are accepted.
    pub fn help(&self) -> String {
        advice(&self.id)
    }
}

fn advice(id: &str) -> String {
    let written = id.trim();
    if written.eq_ignore_ascii_case("z") {
        return "write UTC".to_owned();
    }
    if let Some(offset) = written_offset(written) {
        return format!("write {offset}");
    }
    if let Some(region) = known(written) {
        return format!("write {region}, the region whose time that is");
    }
    match spelling(written) {
        Some(near) => {
            let meaning = Zone::parse(near).ok().and_then(|zone| zone.meaning_of_short_id());
            format!("did you mean {near}?{}", meaning.map(|meaning| format!(" {meaning}")).unwrap_or_default())
        }
        None => "use an id of the time zone database such as America/Los_Angeles, or GMT+hh:mm".to_owned(),
    }
}

/// Returns `GMT+hh:mm` for an offset in another form, such as `+8`, `UTC+08:00` or `GMT+8`.
fn written_offset(id: &str) -> Option<String> {
    let upper = id.to_ascii_uppercase();
    let rest = ["GMT", "UTC", "UT"].iter().find_map(|prefix| upper.strip_prefix(prefix)).unwrap_or(&upper).trim();
    let sign = rest.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
    let digits = &rest[1..];
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "00"),
    };
    if hours.is_empty() {
        return None;
    }
    let compact = format!("{hours:0>2}{minutes}");
    offset_of_digits(&compact)?;
    Some(format!("GMT{sign}{}:{}", &compact[..2], &compact[2..]))
}

/// Returns the region for a name that people use, also without its area.
fn known(id: &str) -> Option<&'static str> {
    let same = |name: &str| name.eq_ignore_ascii_case(id) || name.rsplit('/').next() == Some(id);
    KNOWN.iter().find(|(name, _)| same(name)).map(|(_, region)| *region)
}

/// Returns the id that a text is a misspelling of, when only one is that near.
fn spelling(id: &str) -> Option<&'static str> {
    // The signs of `Etc/GMT+8` mean the opposite of what people write.
    let ids = || Zone::ids().into_iter().filter(|name| !REFUSED.contains(name) && !name.starts_with("Etc/GMT"));
    if let Some(other_case) = ids().find(|name| name.eq_ignore_ascii_case(id)) {
        return Some(other_case);
    }
    if id.len() < SHORTEST || id.contains(|letter: char| letter.is_ascii_digit() || letter == '+') {
        return None;
    }
    // `Los_Angeles` only lacks its area.
    let regions = || built_in::ids().filter(|name| !REFUSED.contains(name));
    if let Some(region) = regions().find(|name| name.rsplit('/').next() == Some(id)) {
        return Some(region);
    }
    let near = did_you_mean(id, regions().filter(|name| name.len() >= SHORTEST))?;
    let second = did_you_mean(id, regions().filter(|name| name.len() >= SHORTEST && *name != near));
    let edits = |other: &str| strsim::osa_distance(&id.to_lowercase(), &other.to_lowercase());
    // Of a short name one letter is much: many cities differ by two.
    let city = id.rsplit('/').next().unwrap_or(id);
    let limit = if city.len() < 8 { 1 } else { 2 };
    let is_certain = edits(near) <= limit && second.is_none_or(|one| edits(one) > edits(near));
    is_certain.then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(id: &str, expect: &str) {
        assert!(Zone::parse(id).is_err(), "{id} is an id");
        assert_eq!(advice(id), expect, "{id}");
        // What is advised is accepted.
        for word in expect.split([' ', ',', '?']).filter(|word| word.contains(['/', ':']) && !word.contains("hh")) {
            assert!(Zone::parse(word).is_ok(), "{word}");
        }
    }

    #[test]
    fn an_offset_keeps_its_sign() {
        for (id, expect) in [
            ("GMT+8", "write GMT+08:00"),
            ("GMT-8", "write GMT-08:00"),
            ("UTC+8", "write GMT+08:00"),
            ("UTC+05:30", "write GMT+05:30"),
            ("utc-3", "write GMT-03:00"),
            ("+08:00", "write GMT+08:00"),
            ("-0330", "write GMT-03:30"),
            ("+530", "write GMT+05:30"),
            ("GMT+5:30", "write GMT+05:30"),
            ("GMT +8", "write GMT+08:00"),
        ] {
            check(id, expect);
        }
    }

    #[test]
    fn names_that_people_use_have_a_region() {
        check("Z", "write UTC");
        check("EDT", "write America/New_York, the region whose time that is");
        check("CEST", "write Europe/Berlin, the region whose time that is");
        check("Asia/Beijing", "write Asia/Shanghai, the region whose time that is");
        check("Beijing", "write Asia/Shanghai, the region whose time that is");
        for (name, region) in KNOWN {
            assert!(Zone::parse(name).is_err() && Zone::parse(region).is_ok(), "{name} {region}");
        }
    }

    #[test]
    fn a_spelling_is_corrected_where_it_is_certain() {
        check("Americas/Los_Angeles", "did you mean America/Los_Angeles?");
        check("Los_Angeles", "did you mean America/Los_Angeles?");
        check("america/los_angeles", "did you mean America/Los_Angeles?");
        check("Europe/Berln", "did you mean Europe/Berlin?");
        check("utc", "did you mean UTC?");
        // The time of British summer is not what it means.
        check("bst", "did you mean BST? it means Asia/Dhaka");
        assert_eq!(advice("est"), "did you mean EST? it is -05:00 all year, without summer time");
        let forms = "use an id of the time zone database such as America/Los_Angeles, or GMT+hh:mm";
        // Near to another one with another time, or to several.
        for id in [
            "nowhere near anything at all",
            "Etc/GMT+15",
            "GMT+24:00",
            "XST",
            "",
            "EE",
            "Asia/Bairuz",
            "Asia/Ba",
            // Signs alone are no offset.
            "-",
            "+",
            "GMT+",
            "UTC-",
            "+:30",
        ] {
            check(id, forms);
        }
    }

    /// Of two ids that are one edit apart nothing is suggested for what lies between them.
    #[test]
    fn nothing_is_suggested_with_another_offset() {
        let at = howdah_words::model::time::Timestamp::from_seconds(1_768_478_400);
        // A sample: each id is compared with all others.
        for id in Zone::ids().iter().filter(|id| id.len() >= SHORTEST).step_by(7) {
            for position in 0..id.len() {
                let lacking = format!("{}{}", &id[..position], &id[position + 1..]);
                let Some(near) = spelling(&lacking).filter(|near| !near.eq_ignore_ascii_case(&lacking)) else {
                    continue;
                };
                if Zone::parse(&lacking).is_ok() {
                    continue;
                }
                let [meant, near] = [*id, near].map(|id| Zone::parse(id).expect("an id").offset_seconds(at));
                assert_eq!(meant, near, "{lacking}");
            }
        }
    }
}
