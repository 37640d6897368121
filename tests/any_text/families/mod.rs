//! Texts that grow: families of inputs that a parser might take more than linear time for.
//!
//! Each family gives a text of about the wanted number of bytes. The tests take each at one large size, the benchmark
//! `growth` compares sizes.

mod coordinators;
mod texts;
mod workflows;

/// A family of texts of one kind.
pub(crate) struct Family {
    /// The kind of text, as `any_text` names it.
    pub(crate) kind: &'static str,
    /// What grows.
    pub(crate) name: String,
    /// The text of about so many bytes.
    pub(crate) text: Box<dyn Fn(usize) -> String>,
}

/// All families of these kinds.
pub(crate) fn all(kinds: &[&'static str]) -> Vec<Family> {
    let mut families: Vec<Family> =
        kinds.iter().flat_map(|kind| texts::PIECES.map(|piece| repeated((kind, "", piece, "")))).collect();
    families.extend(texts::REPEATED.map(repeated));
    families.extend(texts::GROWN.map(grown));
    families.extend(coordinators::GROWN.map(grown));
    families.extend(workflows::GROWN.map(grown));
    families
}

/// A kind; what stands before, what is repeated, and what stands after. `@` in what is repeated is the number of the
/// repetition.
type Repeated = (&'static str, &'static str, &'static str, &'static str);

/// A kind, what grows, and the text of so many bytes.
type Grown = (&'static str, &'static str, fn(usize) -> String);

fn repeated((kind, before, piece, after): Repeated) -> Family {
    let text = move |bytes| format!("{before}{}{after}", numbered(bytes, |n| piece.replace('@', &n.to_string())).0);
    Family { kind, name: format!("{before}{piece:?}..."), text: Box::new(text) }
}

fn grown((kind, name, text): Grown) -> Family {
    Family { kind, name: name.to_owned(), text: Box::new(text) }
}

/// Numbered parts until the text is long enough, and how many there are.
fn numbered(bytes: usize, part: impl Fn(usize) -> String) -> (String, usize) {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&part(number));
        number += 1;
    }
    (text, number)
}
