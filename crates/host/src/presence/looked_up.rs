//! The answers about the paths in a folder that were looked up alone, in little memory: a million actions may each wait
//! for another path.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

use super::state::State;

/// The answers, by a hash of the name with a random key.
#[derive(Debug, Default)]
pub(super) struct LookedUp {
    answers: HashMap<u64, Answer, BuildHasherDefault<Unchanged>>,
    first: RandomState,
    second: RandomState,
}

#[derive(Debug)]
enum Answer {
    /// A name that is missing, by its second hash: the name itself would need several times as much memory.
    Missing(u64),
    Other(Box<(OsString, State)>),
}

/// Takes a hash as it is.
#[derive(Debug, Default)]
struct Unchanged(u64);

impl Hasher for Unchanged {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl LookedUp {
    /// The answer about a name; `None` when it was not looked up.
    pub(super) fn get(&self, name: &OsStr) -> Option<State> {
        if self.answers.is_empty() {
            return None;
        }
        match self.answers.get(&self.first.hash_one(name))? {
            Answer::Missing(hash) => (*hash == self.second.hash_one(name)).then_some(State::Missing),
            Answer::Other(other) => (other.0 == name).then(|| other.1.clone()),
        }
    }

    /// Keeps an answer. It replaces that of another name with the same hash, which will be looked up again.
    pub(super) fn insert(&mut self, name: &OsStr, state: &State) {
        let answer = match state {
            State::Missing => Answer::Missing(self.second.hash_one(name)),
            other => Answer::Other(Box::new((name.to_owned(), other.clone()))),
        };
        self.answers.insert(self.first.hash_one(name), answer);
    }

    /// The number of answers.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_keeps_its_answer() {
        let mut known = LookedUp::default();
        assert_eq!(known.get(OsStr::new("a")), None);
        let states = [State::Present, State::Missing, State::Unknown("away".to_owned())];
        let names: Vec<OsString> = (0..1000).map(|number| number.to_string().into()).collect();
        for (name, state) in names.iter().zip(states.iter().cycle()) {
            known.insert(name, state);
        }
        for (name, state) in names.iter().zip(states.iter().cycle()) {
            assert_eq!(known.get(name).as_ref(), Some(state), "{name:?}");
        }
        assert_eq!(known.get(OsStr::new("1000")), None);
        assert_eq!(known.len(), 1000);
        assert!(size_of::<(u64, Answer)>() <= 24);
    }
}
