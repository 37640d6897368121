//! The bounds of every size of a document.

/// Bytes of a document. Oozie itself refuses workflows beyond 100 000 bytes.
pub(super) const MAX_BYTES: usize = 16 << 20;
/// Elements inside each other; the tree is walked by recursion.
pub(super) const MAX_DEPTH: usize = 200;
/// Attributes and namespace declarations of one element.
pub(super) const MAX_ATTRIBUTES: usize = 200;
/// Bytes of one attribute's value.
pub(super) const MAX_VALUE: usize = 1 << 20;
/// Problems reported for one document.
pub(super) const MAX_PROBLEMS: usize = 50;
