//! Properties that hold for any text, checked on texts that once broke them, on all texts of the fixtures, and on texts
//! for which a careless parser would never finish.
//!
//! `tests/fuzz` searches more such texts; `cargo test --test any_text seeds -- --ignored` writes its first inputs.
#![allow(clippy::disallowed_methods, reason = "the texts are files")]

mod families;
mod fixtures;
use howdah_tier::{self as tier, Trials};

use std::fs;
use std::path::{Path, PathBuf};

use howdah_internals::any_text::{KINDS, holds};

/// Bytes of a text that grows: a linear parser needs almost no time, a quadratic one needs minutes.
const LARGE: usize = 1 << 17;
/// The same in the quick tier.
const LESS_LARGE: usize = 1 << 16;

fn kinds() -> Vec<&'static str> {
    KINDS.iter().map(|(kind, _)| *kind).collect()
}

fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn texts_that_fuzzing_kept() {
    for kind in kinds() {
        let folder = in_project("tests/fuzz/regressions").join(kind);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut count = 0;
        for path in entries.map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&path).unwrap();
            eprintln!("{}", path.display());
            holds(kind, std::str::from_utf8(&bytes).expect("only texts are kept"));
            count += 1;
        }
        assert!(count > 0, "nothing in {}", folder.display());
    }
}

#[test]
fn texts_of_the_fixtures() {
    for kind in kinds() {
        let texts = fixtures::texts(kind);
        assert!(texts.len() > 3, "{kind}");
        for text in texts {
            holds(kind, &text);
        }
    }
}

#[test]
fn texts_that_grow() {
    let size = if tier::is_soak() { LARGE } else { LESS_LARGE };
    for family in families::all(&kinds()) {
        eprintln!("{} {}", family.kind, family.name);
        holds(family.kind, &(family.text)(size));
    }
}

/// Requests that are changed at random places, as a fuzzer changes them.
#[test]
fn requests_that_are_changed() {
    let requests: Vec<Vec<u8>> = fixtures::texts("request").into_iter().map(String::into_bytes).collect();
    let mut dice = Dice(17);
    for _ in 0..(Trials { quick: 500, full: 2_000, soak: 20_000 }).number() {
        let mut bytes = requests[dice.below(requests.len())].clone();
        for _ in 0..dice.below(5) {
            dice.change(&mut bytes);
        }
        if let Ok(text) = std::str::from_utf8(&bytes) {
            holds("request", text);
        }
    }
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        // Xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % bound.max(1)
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        const PIECES: [&[u8]; 10] = [
            b"%",
            b"&",
            b"=",
            b"?",
            b"/",
            b"%00",
            b"%2e%2e%2f",
            b"99999999999999999999",
            "\u{202e}".as_bytes(),
            b"<script>",
        ];
        let place = self.below(bytes.len());
        match self.below(5) {
            0 if !bytes.is_empty() => bytes[place] = u8::try_from(self.below(128)).expect("a byte"),
            1 if !bytes.is_empty() => drop(bytes.remove(place)),
            2 => bytes.truncate(place.max(1)),
            3 => {
                let end = (place + self.below(40)).min(bytes.len());
                let copy = bytes[place..end].to_vec();
                bytes.splice(place..place, copy);
            }
            _ => drop(bytes.splice(place..place, PIECES[self.below(PIECES.len())].iter().copied())),
        }
    }
}

#[test]
#[ignore = "writes the first inputs of the fuzz targets"]
fn seeds() {
    for kind in kinds() {
        let folder = in_project("tests/fuzz/corpus").join(kind);
        fs::create_dir_all(&folder).unwrap();
        let mut count = 0;
        for text in fixtures::texts(kind) {
            fs::write(folder.join(format!("seed-{count:05}")), text).unwrap();
            count += 1;
        }
        println!("{count} seeds in {}", folder.display());
    }
}
