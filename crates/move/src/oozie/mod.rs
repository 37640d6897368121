//! What an Oozie says of its jobs now: asked of its server, or read from a folder of the same answers.
//!
//! Must not depend on what is done with the answers.

mod answers;

pub use answers::Answers;
