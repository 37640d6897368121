//! Reads a compiled zone: the format `TZif` (RFC 9636), version 2 and later.
//!
//! Decides which files are usable, and how much of an offset is summer time, which the format does not state. Reads no
//! file: bytes in, a table out, for any bytes.

use super::setting::{FARTHEST, Setting};
use super::yearly_rule::YearlyRule;
use super::zone_table::ZoneTable;

/// Why bytes are not a zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a zone of the time zone database: {0}")]
pub struct ZoneFileError(&'static str);

const TOO_SHORT: ZoneFileError = ZoneFileError("it ends too early");

/// An hour, in seconds.
const USUAL_SAVING: i32 = 3600;

/// The numbers in a header, in their order.
#[derive(Clone, Copy)]
struct Counts {
    universal: usize,
    standard: usize,
    leaps: usize,
    changes: usize,
    kinds: usize,
    names: usize,
}

/// A kind of local time.
#[derive(Clone, Copy)]
struct Kind<'a> {
    offset: i32,
    is_summer: bool,
    name: &'a str,
}

impl ZoneTable {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Fails for everything that is not a complete file of version 2 or later without leap seconds.
    pub fn read(bytes: &[u8]) -> Result<Self, ZoneFileError> {
        let mut rest = Bytes(bytes);
        // The first block has times of four bytes, for older readers.
        let narrow = rest.header()?;
        rest.skip(narrow.changes, 5)?;
        rest.skip(narrow.kinds, 6)?;
        rest.skip(narrow.names, 1)?;
        rest.skip(narrow.leaps, 8)?;
        rest.skip(narrow.standard + narrow.universal, 1)?;
        let counts = rest.header()?;
        if counts.leaps != 0 {
            return Err(ZoneFileError("it has leap seconds"));
        }
        let times = rest.times(counts.changes)?;
        let indices = rest.take(counts.changes)?;
        let kinds = rest.take(counts.kinds.saturating_mul(6))?;
        let names = rest.take(counts.names)?;
        rest.skip(counts.standard + counts.universal, 1)?;
        let kinds = kinds.chunks_exact(6).map(|kind| read_kind(kind, names)).collect::<Result<Vec<_>, _>>()?;
        table(&times, indices, &kinds, rest.footer()?)
    }
}

fn read_kind<'a>(kind: &[u8], names: &'a [u8]) -> Result<Kind<'a>, ZoneFileError> {
    let offset = i32::from_be_bytes([kind[0], kind[1], kind[2], kind[3]]);
    if i64::from(offset).abs() > FARTHEST || kind[4] > 1 {
        return Err(ZoneFileError("an offset is too large"));
    }
    let name = names.get(usize::from(kind[5])..).and_then(|from| from.split(|byte| *byte == 0).next());
    let name = name.and_then(|name| std::str::from_utf8(name).ok()).filter(|name| name.is_ascii());
    name.map(|name| Kind { offset, is_summer: kind[4] == 1, name }).ok_or(ZoneFileError("a name cannot be read"))
}

fn table(times: &[i64], indices: &[u8], kinds: &[Kind], rule: &str) -> Result<ZoneTable, ZoneFileError> {
    if !times.is_sorted_by(|one, next| one < next) {
        return Err(ZoneFileError("its changes are out of order"));
    }
    let first = *kinds.first().ok_or(ZoneFileError("it has no offsets"))?;
    let later = indices.iter().map(|index| kinds.get(usize::from(*index)).copied());
    let in_order: Option<Vec<Kind>> = std::iter::once(Some(first)).chain(later).collect();
    let in_order = in_order.ok_or(ZoneFileError("a change leads nowhere"))?;
    let rule = match rule {
        "" => None,
        text => Some(YearlyRule::parse(text).ok_or(ZoneFileError("its last rule cannot be read"))?),
    };
    let mut settings = settings(&in_order).into_iter();
    let first = settings.next().ok_or(ZoneFileError("it has no offsets"))?;
    Ok(ZoneTable { first, changes: times.iter().copied().zip(settings).collect(), rule })
}

/// Returns how much of an offset is summer time, by the standard time before it and after it. These two differ where a
/// zone moved: then an hour is the most likely.
fn saving(offset: i32, standard: [Option<i32>; 2]) -> i32 {
    let savings = standard.map(|standard| standard.map(|standard| offset - standard).filter(|saving| *saving != 0));
    if savings.contains(&Some(USUAL_SAVING)) { USUAL_SAVING } else { savings[0].or(savings[1]).unwrap_or(USUAL_SAVING) }
}

/// Returns the settings of the clocks, in order.
fn settings(kinds: &[Kind]) -> Vec<Setting> {
    let standard = |kind: &&Kind| !kind.is_summer;
    let mut after: Vec<Option<i32>> = Vec::with_capacity(kinds.len());
    let mut next = None;
    for kind in kinds.iter().rev() {
        next = Some(kind).filter(standard).map(|kind| kind.offset).or(next);
        after.push(next);
    }
    let mut before = None;
    let setting = |(kind, after): (&Kind, &Option<i32>)| {
        before = Some(kind).filter(standard).map(|kind| kind.offset).or(before);
        let saving = if kind.is_summer { saving(kind.offset, [before, *after]) } else { 0 };
        Setting { offset: kind.offset, saving, name: kind.name.into() }
    };
    kinds.iter().zip(after.iter().rev()).map(setting).collect()
}

/// The bytes that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ZoneFileError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn skip(&mut self, count: usize, size: usize) -> Result<(), ZoneFileError> {
        self.take(count.saturating_mul(size)).map(|_| ())
    }

    fn count(&mut self) -> Result<usize, ZoneFileError> {
        let bytes = self.take(4)?.try_into().map_err(|_| TOO_SHORT)?;
        usize::try_from(u32::from_be_bytes(bytes)).map_err(|_| TOO_SHORT)
    }

    fn header(&mut self) -> Result<Counts, ZoneFileError> {
        if self.take(4)? != b"TZif" {
            return Err(ZoneFileError("it does not start with TZif"));
        }
        if self.take(1)?[0] < b'2' {
            return Err(ZoneFileError("its version is too old"));
        }
        self.skip(15, 1)?;
        Ok(Counts {
            universal: self.count()?,
            standard: self.count()?,
            leaps: self.count()?,
            changes: self.count()?,
            kinds: self.count()?,
            names: self.count()?,
        })
    }

    fn times(&mut self, count: usize) -> Result<Vec<i64>, ZoneFileError> {
        let times = self.take(count.saturating_mul(8))?.chunks_exact(8);
        times.map(|time| time.try_into().map(i64::from_be_bytes).map_err(|_| TOO_SHORT)).collect()
    }

    /// Returns the rule between the two line ends after the last block.
    fn footer(&mut self) -> Result<&'a str, ZoneFileError> {
        let text = self.0.strip_prefix(b"\n").and_then(|text| text.split(|byte| *byte == b'\n').next());
        let ended = text.filter(|text| self.0.get(text.len() + 1) == Some(&b'\n'));
        ended.and_then(|text| std::str::from_utf8(text).ok()).ok_or(TOO_SHORT)
    }
}

#[cfg(test)]
mod tests;
