//! The evaluated element of an action in a file of its own, compressed: a long one, after a good end.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use howdah_host::attempt;
use howdah_host::files::{self, Lasting};
use howdah_words::error::Error;

/// Its name in the folder of the attempt.
const FILE: &str = "element.gz";
/// The most bytes that are read.
const LARGEST: u64 = 64 << 20;

/// Writes the element; it is on the disk when this returns.
pub(super) fn write(folder: &Path, element: &str) -> io::Result<()> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(element.as_bytes())?;
    files::replace(&folder.join(FILE), &encoder.finish()?, Lasting::Always)
}

/// Returns the element, which root may have written for the owner of the folder; `None` when there is no such file, or
/// a damaged one.
///
/// # Errors
/// H0110 or H0113 when the machine cannot tell.
pub(super) fn read(folder: &Path) -> Result<Option<String>, Error> {
    let Some(bytes) = attempt::read_start_of_any(folder, FILE, LARGEST).known()? else { return Ok(None) };
    let mut text = String::new();
    let read = GzDecoder::new(bytes.as_slice()).take(LARGEST).read_to_string(&mut text);
    Ok(read.is_ok().then_some(text))
}
