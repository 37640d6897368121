use super::*;
use crate::zone::Zone;
use crate::{LocalTime, ProcessingZone, Reading};
use howdah_words::model::time::{DAY, Timestamp};

/// A kind of local time: offset, whether it is summer time, and the start of its name.
type KindOfFile = (i32, bool, u8);

/// Returns the bytes of a file of version 2.
fn file(changes: &[(i64, u8)], kinds: &[KindOfFile], names: &str, rule: &str) -> Vec<u8> {
    let header = |counts: [usize; 6]| {
        let mut bytes = b"TZif2".to_vec();
        bytes.extend([0; 15]);
        bytes.extend(counts.iter().flat_map(|count| u32::try_from(*count).unwrap().to_be_bytes()));
        bytes
    };
    // The block for older readers has only one kind.
    let mut bytes = header([0, 0, 0, 0, 1, 1]);
    bytes.extend([0; 7]);
    bytes.extend(header([0, 0, 0, changes.len(), kinds.len(), names.len()]));
    bytes.extend(changes.iter().flat_map(|(at, _)| at.to_be_bytes()));
    bytes.extend(changes.iter().map(|(_, kind)| *kind));
    for (offset, is_summer, name) in kinds {
        bytes.extend(offset.to_be_bytes());
        bytes.extend([u8::from(*is_summer), *name]);
    }
    bytes.extend(names.as_bytes());
    bytes.extend(format!("\n{rule}\n").as_bytes());
    bytes
}

fn seconds(text: &str) -> i64 {
    ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table").seconds()
}

const NAMES: &str = "LMT\0CET\0CEST\0CEMT\0";
const KINDS: [KindOfFile; 4] = [(3208, false, 0), (3600, false, 4), (7200, true, 8), (10_800, true, 13)];
const RULE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

/// Returns a zone with a double summer time in 1945, and the rules of central Europe from 1996 on.
fn berlin() -> Vec<u8> {
    let changes = [
        (seconds("1893-03-31T23:06Z"), 1),
        (seconds("1945-04-02T01:00Z"), 2),
        (seconds("1945-05-24T00:00Z"), 3),
        (seconds("1945-09-24T00:00Z"), 2),
        (seconds("1945-11-18T01:00Z"), 1),
        (seconds("1980-04-06T01:00Z"), 2),
        (seconds("1980-09-28T01:00Z"), 1),
        (seconds("1996-03-31T01:00Z"), 2),
        (seconds("1996-10-27T01:00Z"), 1),
    ];
    file(&changes, &KINDS, NAMES, RULE)
}

#[test]
fn a_table_gives_the_setting_of_the_clocks() {
    let zone = Zone::of_table("Europe/Berlin", ZoneTable::read(&berlin()).expect("a zone"));
    for (at, expect) in [
        ("1800-01-01T00:00Z", "LMT 3208 0"),
        ("1893-03-31T23:05Z", "LMT 3208 0"),
        ("1893-03-31T23:06Z", "CET 3600 0"),
        ("1945-04-02T01:00Z", "CEST 7200 3600"),
        ("1945-05-24T00:00Z", "CEMT 10800 7200"),
        ("1945-11-18T01:00Z", "CET 3600 0"),
        ("1980-09-28T00:59Z", "CEST 7200 3600"),
        ("1980-09-28T01:00Z", "CET 3600 0"),
        ("2026-07-01T00:00Z", "CEST 7200 3600"),
        ("9998-07-01T00:00Z", "CEST 7200 3600"),
        ("9998-12-01T00:00Z", "CET 3600 0"),
    ] {
        let at = Timestamp::from_seconds(seconds(at));
        let shown =
            format!("{} {} {}", zone.abbreviation(at), zone.offset_seconds(at), zone.daylight_saving_seconds(at));
        assert_eq!(shown, expect, "{at:?}");
    }
}

#[test]
fn local_times_of_a_table_have_gaps_and_folds() {
    let zone = Zone::of_table("Europe/Berlin", ZoneTable::read(&berlin()).expect("a zone"));
    let utc = |at: Timestamp| ProcessingZone::UTC.format(at);
    for (local, expect) in [
        ("1980-04-06T02:30", "gap 1980-04-06T01:30Z"),
        ("2026-03-29T01:59", "2026-03-29T00:59Z"),
        ("2026-03-29T02:30", "gap 2026-03-29T01:30Z"),
        ("2026-03-29T03:00", "2026-03-29T01:00Z"),
        ("2026-10-25T02:30", "fold 2026-10-25T00:30Z 2026-10-25T01:30Z"),
        ("2026-10-25T03:00", "2026-10-25T02:00Z"),
        ("2300-10-28T02:30", "fold 2300-10-28T00:30Z 2300-10-28T01:30Z"),
        ("1945-05-24T02:30", "gap 1945-05-24T00:30Z"),
    ] {
        let shown = match LocalTime::parse(local).expect("a local time").read(&zone) {
            Reading::Once(at) => utc(at),
            Reading::Gap { taken, .. } => format!("gap {}", utc(taken)),
            Reading::Fold { first, second, .. } => format!("fold {} {}", utc(first), utc(second)),
        };
        assert_eq!(shown, expect, "{local}");
    }
}

#[test]
fn summer_time_may_come_first_or_be_negative() {
    // Only summer time is known before; the kind after it shows how much it is.
    let first = ZoneTable::read(&file(&[(0, 1)], &[(7200, true, 0), (3600, false, 4)], "AAA\0BBB\0", "BBB-1"));
    assert_eq!(first.expect("a zone").first.saving, 3600);
    // In Dublin winter is the exception.
    let dublin = ZoneTable::read(&file(
        &[(0, 1)],
        &[(3600, false, 0), (0, true, 4)],
        "IST\0GMT\0",
        "IST-1GMT0,M10.5.0,M3.5.0/1",
    ));
    assert_eq!(dublin.expect("a zone").changes[0].1.saving, -3600);
    // The zone moves when summer starts: the standard time before it gives no saving.
    let moved = [(0, 1), (1000, 2)];
    let moved =
        ZoneTable::read(&file(&moved, &[(3600, false, 0), (3600, true, 0), (0, false, 4)], "CET\0GMT\0", "GMT0"));
    assert_eq!(moved.expect("a zone").changes[0].1.saving, 3600);
}

#[test]
fn without_a_rule_the_last_setting_stays() {
    let table =
        ZoneTable::read(&file(&[(0, 1)], &[(0, false, 0), (3600, false, 4)], "AAA\0BBB\0", "")).expect("a zone");
    assert_eq!([-1, 0, i64::MAX].map(|at| table.setting(at).offset), [0, 3600, 3600]);
    let fixed = ZoneTable::read(&file(&[], &[(-18_000, false, 0)], "-05\0", "<-05>5")).expect("a zone");
    assert_eq!([i64::MIN, i64::MAX].map(|at| fixed.setting(at).offset), [-18_000; 2]);
}

#[test]
fn damaged_bytes_are_refused() {
    let good = berlin();
    let why = |bytes: &[u8]| ZoneTable::read(bytes).err().map(|error| error.0).unwrap_or_default();
    for length in 0..good.len() {
        assert!(ZoneTable::read(&good[..length]).is_err(), "{length} bytes");
    }
    assert_eq!(why(b"not a zone file at all"), "it does not start with TZif");
    let mut old = good.clone();
    old[4] = 0;
    assert_eq!(why(&old), "its version is too old");
    assert_eq!(why(&file(&[(5, 0), (5, 1)], &KINDS, NAMES, RULE)), "its changes are out of order");
    assert_eq!(why(&file(&[(5, 4)], &KINDS, NAMES, RULE)), "a change leads nowhere");
    assert_eq!(why(&file(&[], &[], NAMES, RULE)), "it has no offsets");
    assert_eq!(why(&file(&[], &[(90_000, false, 0)], NAMES, RULE)), "an offset is too large");
    assert_eq!(why(&file(&[], &[(0, false, 200)], NAMES, RULE)), "a name cannot be read");
    assert_eq!(why(&file(&[], &KINDS, NAMES, "CET-1CEST")), "its last rule cannot be read");
    let mut huge = good.clone();
    // As many changes as the number can express.
    huge[44 + 7 + 32..44 + 7 + 36].fill(0xff);
    assert_eq!(why(&huge), "it ends too early");
    let mut leaps = good;
    leaps[44 + 7 + 31] = 1;
    assert_eq!(why(&leaps), "it has leap seconds");
}

proptest::proptest! {
    #[test]
    fn any_byte_may_be_wrong(place in 0_usize..1000, byte in 0_u8..=255, at in i64::MIN..i64::MAX) {
        let mut bytes = berlin();
        let place = place % bytes.len();
        bytes[place] = byte;
        if let Ok(table) = ZoneTable::read(&bytes) {
            let zone = Zone::of_table("X", table);
            let _ = zone.instant(zone.local_seconds(Timestamp::from_seconds(at / 2)));
        }
    }
}

/// The ids that are links to cities now, and had their own rules before.
const ONCE_ALONE: [&str; 8] = ["CET", "EET", "MET", "WET", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT"];

/// If a machine has the compiled-in release, both must agree: from 1970 on, because distributions differ in how much
/// they keep of the time before.
#[test]
#[expect(clippy::disallowed_methods, reason = "a second opinion that some machines have")]
fn the_files_of_a_machine_agree_with_the_compiled_in_data() {
    let folder = std::path::Path::new("/usr/share/zoneinfo");
    let release = std::fs::read_to_string(folder.join("tzdata.zi")).unwrap_or_default();
    if release.lines().next() != Some(&format!("# version {}", crate::zone_data::built_in_release())) {
        return;
    }
    for id in chrono_tz::TZ_VARIANTS.iter().map(|tz| tz.name()).filter(|id| !ONCE_ALONE.contains(id)) {
        let (Ok(built_in), Ok(bytes)) = (Zone::parse(id), std::fs::read(folder.join(id))) else { continue };
        let table = ZoneTable::read(&bytes).expect("a zone");
        let changes: Vec<i64> = table.changes.iter().map(|(at, _)| *at).filter(|at| *at > 0).collect();
        let table = Zone::of_table(id, table);
        let beside = changes.iter().flat_map(|at| [at - 1, *at, at + 1800]);
        for at in beside.chain((0..129 * 12).map(|month| month * 30 * DAY)).map(Timestamp::from_seconds) {
            assert_eq!(table.offset_seconds(at), built_in.offset_seconds(at), "{id} {at:?}");
            for local in [table.local_seconds(at) - 1800, table.local_seconds(at)] {
                assert_eq!(table.instant(local), built_in.instant(local), "{id} {local}");
            }
            // A table does not state that the first summer was half an hour when the zone moved at the same time.
            if id != "Pacific/Rarotonga" {
                assert_eq!(table.daylight_saving_seconds(at), built_in.daylight_saving_seconds(at), "{id} {at:?}");
            }
        }
    }
}
