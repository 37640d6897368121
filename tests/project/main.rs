//! The project itself: layers, pages, packages, published definitions: every test runs the binary in a folder of its own.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

mod codes;
mod corpus;
mod corpus_dryrun;
mod corpus_workflows;
mod dependencies;
mod imports;
mod in_process;
mod layers;
mod packages;
mod readme;
mod size;
mod statics;
mod terms;
#[path = "../shared/tiers.rs"]
mod tiers;
