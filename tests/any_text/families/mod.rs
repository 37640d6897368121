//! Texts that grow: families of inputs for which a parser might take more than linear time.
//!
//! Each family returns a text of about the requested number of bytes. The tests use each at one large size; the
//! benchmark `growth` compares sizes.

mod coordinators;
mod texts;
mod workflows;

/// A family of texts of one kind.
pub(crate) struct Family {
    /// The kind of text, with its name in `any_text`.
    pub(crate) kind: &'static str,
    /// What grows.
    pub(crate) name: String,
    /// Returns the text of about this number of bytes.
    pub(crate) text: Box<dyn Fn(usize) -> String>,
}

/// Returns all families of these kinds.
pub(crate) fn all(kinds: &[&'static str]) -> Vec<Family> {
    let mut families: Vec<Family> =
        kinds.iter().flat_map(|kind| texts::PIECES.map(|piece| repeated((kind, "", piece, "")))).collect();
    families.extend(texts::REPEATED.map(repeated));
    families.extend(texts::GROWN.map(grown));
    families.extend(coordinators::GROWN.map(grown));
    families.extend(workflows::GROWN.map(grown));
    families
}

/// A kind; the text before, the repeated text, and the text after. `@` in the repeated text is the number of the
/// repetition.
type Repeated = (&'static str, &'static str, &'static str, &'static str);

/// A kind, what grows, and the function that builds the text.
type Grown = (&'static str, &'static str, fn(usize) -> String);

fn repeated((kind, before, piece, after): Repeated) -> Family {
    let text = move |bytes| format!("{before}{}{after}", numbered(bytes, |n| piece.replace('@', &n.to_string())).0);
    Family { kind, name: format!("{before}{piece:?}..."), text: Box::new(text) }
}

fn grown((kind, name, text): Grown) -> Family {
    Family { kind, name: name.to_owned(), text: Box::new(text) }
}

/// Returns numbered parts until the text is long enough, and how many there are.
fn numbered(bytes: usize, part: impl Fn(usize) -> String) -> (String, usize) {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&part(number));
        number += 1;
    }
    (text, number)
}
