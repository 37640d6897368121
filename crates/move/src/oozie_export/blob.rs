//! The compressed texts of an export (`StringBlob`, `BinaryBlob`).
//!
//! A blob has the header `OBJ`, two numbers (a version and how many pairs follow), and pairs of texts. The pair `codec`
//! names the compression of the rest. Without the header the blob is the text itself.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::io::Read as _;

use flate2::bufread::MultiGzDecoder;

use crate::oozie_export::signed_bytes;

/// The most bytes that a blob may have when it is unpacked: more than any definition may have.
const MOST_BYTES: u64 = 32 << 20;

/// The most pairs that a header may have; Oozie writes one.
const MOST_PAIRS: u32 = 16;

/// A blob as it is stored.
#[derive(Clone, Debug)]
pub struct Blob(Stored);

#[derive(Clone, Debug)]
enum Stored {
    Bytes(Vec<u8>),
    /// Signed bytes as an export writes them, without the brackets. Most blobs are equal to one that is known, so they
    /// are read only where they are needed.
    List(Box<str>),
}

impl Default for Blob {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Stored::List(one), Stored::List(other)) => one == other,
            _ => self.stored() == other.stored(),
        }
    }
}

impl Eq for Blob {}

impl Hash for Blob {
    /// A packed text ends with its checksum and its length. Only that much of a list is read.
    fn hash<H: Hasher>(&self, state: &mut H) {
        const END: usize = 8;
        let end = match &self.0 {
            Stored::Bytes(bytes) => Cow::Borrowed(bytes.as_slice()),
            Stored::List(list) => {
                let start = list.rmatch_indices(',').nth(END - 1).map_or(0, |(at, comma)| at + comma.len());
                Cow::Owned(signed_bytes::read(&list[start..]).unwrap_or_default())
            }
        };
        end[end.len().saturating_sub(END)..].hash(state);
    }
}

impl Blob {
    /// Returns the blob with these stored bytes.
    pub const fn new(stored: Vec<u8>) -> Self {
        Self(Stored::Bytes(stored))
    }

    /// Returns the blob of a text that is not packed.
    pub fn of_text(text: String) -> Self {
        Self::new(text.into_bytes())
    }

    /// Returns the blob that is written as a list of signed bytes; `list` has no brackets.
    pub(crate) fn of_list(list: &str) -> Self {
        Self(Stored::List(list.into()))
    }

    /// Returns the stored bytes.
    fn stored(&self) -> Result<Cow<'_, [u8]>, String> {
        match &self.0 {
            Stored::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Stored::List(list) => {
                let bytes = signed_bytes::read(list).ok_or("it is not a list of signed bytes")?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Returns the text.
    ///
    /// # Errors
    /// What is wrong with the blob, in words.
    pub fn text(&self) -> Result<String, String> {
        String::from_utf8(self.bytes()?).map_err(|_| "the text is not UTF-8".to_owned())
    }

    /// Returns the unpacked bytes.
    ///
    /// # Errors
    /// What is wrong with the blob, in words.
    fn bytes(&self) -> Result<Vec<u8>, String> {
        let stored = self.stored()?;
        let Some(rest) = stored.strip_prefix(b"OBJ") else { return Ok(stored.into_owned()) };
        let mut header = Header(rest);
        match header.codec()?.as_deref() {
            Some("gz") => unpack(header.0),
            Some("none") | None => Ok(header.0.to_vec()),
            Some(other) => Err(format!("unknown codec [{other}]; only gz is known")),
        }
    }
}

/// How a packed empty text ends, after a header of ten bytes: most actions have some.
const END_OF_EMPTY: [u8; 10] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
    if matches!(packed, [0x1f, 0x8b, 8, 0, rest @ ..] if rest.len() == 16 && rest.ends_with(&END_OF_EMPTY)) {
        return Ok(Vec::new());
    }
    let mut unpacked = Vec::with_capacity(probable_size(packed));
    let read = MultiGzDecoder::new(packed).take(MOST_BYTES + 1).read_to_end(&mut unpacked);
    read.map_err(|error| format!("it cannot be unpacked ({error}); it may be cut off"))?;
    if unpacked.len() as u64 > MOST_BYTES {
        return Err(format!("it unpacks to more than {MOST_BYTES} bytes"));
    }
    Ok(unpacked)
}

/// Returns the size that the end of the packed bytes names, where that is possible.
fn probable_size(packed: &[u8]) -> usize {
    let named = packed.last_chunk().map_or(0, |size| u32::from_le_bytes(*size));
    // No byte unpacks to more than about a thousand.
    usize::try_from(named).map_or(0, |size| size.min(packed.len().saturating_mul(1032)).min(1 << 20))
}

/// The unread rest of a header, in the notation of Java's `DataOutput`.
struct Header<'a>(&'a [u8]);

impl<'a> Header<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("its header is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    fn int(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?.try_into().map_err(|_| "its header is cut off")?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn utf(&mut self) -> Result<String, String> {
        let length = self.take(2)?.try_into().map_err(|_| "its header is cut off")?;
        let bytes = self.take(usize::from(u16::from_be_bytes(length)))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Reads the header; returns the codec, if it names one.
    fn codec(&mut self) -> Result<Option<String>, String> {
        let version = self.int()?;
        if version != 1 {
            return Err(format!("unknown version {version} of a blob; only 1 is known"));
        }
        let pairs = self.int()?;
        if pairs > MOST_PAIRS {
            return Err(format!("its header has {pairs} pairs; at most {MOST_PAIRS} are read"));
        }
        let mut codec = None;
        for _ in 0..pairs {
            let (name, value) = (self.utf()?, self.utf()?);
            codec = codec.or_else(|| (name == "codec").then_some(value));
        }
        Ok(codec)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn header(version: u8, codec: &str) -> Vec<u8> {
        let mut bytes = vec![b'O', b'B', b'J', 0, 0, 0, version, 0, 0, 0, 1, 0, 5];
        bytes.extend(b"codec\0");
        bytes.push(u8::try_from(codec.len()).unwrap());
        bytes.extend(codec.as_bytes());
        bytes
    }

    fn check(stored: &[u8], expect: Result<&str, &str>) {
        match (Blob::new(stored.to_vec()).text(), expect) {
            (Ok(text), Ok(expect)) => assert_eq!(text, expect),
            (Err(why), Err(expect)) => assert!(why.contains(expect), "{why}"),
            (got, expect) => panic!("{got:?}, not {expect:?}"),
        }
    }

    #[test]
    fn packed_and_plain_texts_are_read() {
        check(&[header(1, "gz"), gzip(b"<a>\xc3\xa9</a>")].concat(), Ok("<a>\u{e9}</a>"));
        check(&[header(1, "gz"), gzip(b"")].concat(), Ok(""));
        check(&[header(1, "none"), b"x".to_vec()].concat(), Ok("x"));
        check(b"<a/>", Ok("<a/>"));
        check(b"", Ok(""));
    }

    #[test]
    fn what_cannot_be_unpacked_is_refused() {
        let packed = [header(1, "gz"), gzip(b"<a>some text</a>")].concat();
        for length in 3..packed.len() {
            check(&packed[..length], Err("cut off"));
        }
        check(&[header(1, "lz4"), vec![1, 2]].concat(), Err("unknown codec [lz4]"));
        check(&[header(2, "gz"), gzip(b"x")].concat(), Err("unknown version 2"));
        check(&[header(1, "gz"), b"no gzip".to_vec()].concat(), Err("cannot be unpacked"));
        check(&[header(1, "gz"), gzip(b"\xff")].concat(), Err("not UTF-8"));
    }

    #[test]
    fn equal_blobs_have_one_hash() {
        use std::hash::BuildHasher as _;
        let hasher = std::hash::RandomState::new();
        for bytes in [&b""[..], b"x", b"12345678", b"123456789", &[255; 40]] {
            let list: Vec<String> = bytes.iter().map(|byte| byte.cast_signed().to_string()).collect();
            for separator in [",", " , "] {
                let (one, other) = (Blob::new(bytes.to_vec()), Blob::of_list(&list.join(separator)));
                assert_eq!(one, other, "{bytes:?}");
                assert_eq!(hasher.hash_one(one), hasher.hash_one(other), "{bytes:?}");
            }
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![b' '; usize::try_from(MOST_BYTES).unwrap() + 1];
        check(&[header(1, "gz"), gzip(&zeros)].concat(), Err("more than"));
    }
}
