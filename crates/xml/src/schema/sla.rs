//! `uri:oozie:sla:0.1` and `0.2`.
//!
//! `alert-frequency` and `alert-percentage` of 0.1 are free texts in the schema that Oozie loads, although the
//! specification's appendix restricts them.

use super::family::Family;
use super::particle::{Type, elements, one, optional, sequence};
use super::shared::TEXT;
use super::version::SchemaVersion;

const V0_1: SchemaVersion = SchemaVersion::new(0, 1);
const V0_2: SchemaVersion = SchemaVersion::new(0, 2);

pub(super) static FAMILY: Family = Family {
    name: "sla",
    versions: &[V0_1, V0_2],
    roots: &[one("info", &INFO_0_1).until(V0_1), one("info", &INFO_0_2).since(V0_2)],
};

static INFO_0_2: Type = elements(
    &[],
    sequence(&[
        one("nominal-time", &TEXT),
        optional("should-start", &TEXT),
        one("should-end", &TEXT),
        optional("max-duration", &TEXT),
        optional("alert-events", &TEXT),
        optional("alert-contact", &TEXT),
        optional("notification-msg", &TEXT),
        optional("upstream-apps", &TEXT),
    ]),
);

static INFO_0_1: Type = elements(
    &[],
    sequence(&[
        one("app-name", &TEXT),
        one("nominal-time", &TEXT),
        one("should-start", &TEXT),
        one("should-end", &TEXT),
        optional("parent-client-id", &TEXT),
        optional("parent-sla-id", &TEXT),
        optional("notification-msg", &TEXT),
        one("alert-contact", &TEXT),
        one("dev-contact", &TEXT),
        one("qa-contact", &TEXT),
        one("se-contact", &TEXT),
        optional("alert-frequency", &TEXT),
        optional("alert-percentage", &TEXT),
        optional("upstream-apps", &TEXT),
    ]),
);
