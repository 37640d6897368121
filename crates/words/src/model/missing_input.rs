//! What an action waits for: a path that is not there, or a search that has found too little.

use std::fmt;

/// How every call of a function begins, and no path.
const CALL: &str = "${";

/// The input that an action waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingInput<T = String> {
    /// A dependency with a place of its own: the URI with its done-flag.
    Path(T),
    /// A search, such as `${coord:latest(0)}`: only the search itself can tell whether it finds something now.
    Search(T),
}

impl<T: AsRef<str>> MissingInput<T> {
    /// The input that a text names, as [`Self::as_str`] writes it.
    pub fn parse(text: T) -> Self {
        if text.as_ref().starts_with(CALL) { Self::Search(text) } else { Self::Path(text) }
    }

    /// The URI, or the call.
    pub fn as_str(&self) -> &str {
        let (Self::Path(text) | Self::Search(text)) = self;
        text.as_ref()
    }

    /// The path that has to be there; `None` for a search.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path.as_ref()),
            Self::Search(_) => None,
        }
    }

    /// The same, borrowed.
    pub fn as_deref(&self) -> MissingInput<&str> {
        match self {
            Self::Path(path) => MissingInput::Path(path.as_ref()),
            Self::Search(call) => MissingInput::Search(call.as_ref()),
        }
    }

    /// The same, owned.
    pub fn to_owned(&self) -> MissingInput {
        match self {
            Self::Path(path) => MissingInput::Path(path.as_ref().to_owned()),
            Self::Search(call) => MissingInput::Search(call.as_ref().to_owned()),
        }
    }
}

impl<T: AsRef<str>> fmt::Display for MissingInput<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_search_and_everything_else_a_path() {
        for (text, is_path) in [
            ("hdfs://nn/data/2010/_SUCCESS", true),
            ("/data/$x", true),
            ("${coord:latest(0)}", false),
            ("${coord:future(0, 5)}", false),
        ] {
            let input = MissingInput::parse(text);
            assert_eq!((input.path().is_some(), input.as_str()), (is_path, text));
            assert_eq!(MissingInput::parse(input.to_owned().to_string()), input.to_owned());
        }
    }
}
