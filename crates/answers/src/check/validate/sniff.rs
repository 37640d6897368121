//! Detects the kind of a file by the first start tag of its text, whether or not the text is well formed.

use std::borrow::Cow;
use std::path::Path;

use howdah_xml::DocumentKind;

/// Bytes at the start of a file in which its root element must start.
pub(super) const LONGEST_PROLOGUE: usize = 64 * 1024;
/// Bytes in which it usually starts: a licence and the tag.
const USUAL_PROLOGUE: usize = 2 * 1024;

/// Returns the kind of a document; `None` when Oozie does not read it.
pub(super) fn kind_by_prologue(bytes: &[u8]) -> Option<DocumentKind> {
    // Nearly every root element starts early, so the rest of the text need not even be decoded.
    [USUAL_PROLOGUE, LONGEST_PROLOGUE].into_iter().find_map(|most| kind_within(&bytes[..bytes.len().min(most)]))
}

fn kind_within(start: &[u8]) -> Option<DocumentKind> {
    let start = match str::from_utf8(start) {
        Ok(start) => Cow::Borrowed(start),
        Err(_) => String::from_utf8_lossy(start),
    };
    let mut rest = start.trim_start_matches('\u{FEFF}');
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<!--") {
            rest.find("-->")? + 3
        } else if rest.starts_with("<?") {
            rest.find("?>")? + 2
        } else if rest.starts_with("<!") {
            // A document type with declarations ends after their bracket.
            let close = rest.find('>')?;
            match rest.find('[').filter(|bracket| *bracket < close) {
                Some(_) => rest.find("]>").map(|at| at + 2)?,
                None => close + 1,
            }
        } else {
            break;
        };
        rest = &rest[end..];
    }
    let tag = rest.strip_prefix('<')?;
    let name = &tag[..tag.find(|character: char| character.is_whitespace() || matches!(character, '>' | '/'))?];
    let local = name.rsplit(':').next()?;
    DocumentKind::ALL.into_iter().find(|kind| kind.root() == local)
}

/// Returns whether Oozie would read the file because of its name, whatever its contents are.
pub(crate) fn is_definition(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| ["coordinator.xml", "workflow.xml", "bundle.xml"].contains(&name))
}
