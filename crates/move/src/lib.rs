//! What a running Apache Oozie gives away, for sites that move to howdah.

pub mod oozie_export;
pub mod oozie_rest;
