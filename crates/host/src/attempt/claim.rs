//! The claim of an attempt: one process alone takes it, and decides with it whether and where the work begins.
//!
//! Must not depend on what the holder does with it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::{read_json, to_json};
use super::order::{OrderHead, head};
use crate::files::{self, Lasting};
use crate::processes::Identity;
use howdah_words::error::Error;

/// The content of `claim`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Claim {
    pub(super) token: String,
    pub(super) holder: Identity,
    /// Taken by a killer, which does no work.
    pub(super) withdrawn: bool,
    /// Taken because no shim begins: the reason why the attempt is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given_up: Option<String>,
    /// Taken because the job was suspended before a shim had begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) recalled: bool,
}

/// Takes the claim, so that no shim can begin any more; `false` when a shim has begun. H0111.
pub fn withdraw(folder: &Path) -> Result<bool, Error> {
    claim(folder, &head(folder)?, Holder::Killer)
}

/// The process that takes a claim.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder<'a> {
    Shim,
    Killer,
    /// The process that found that no shim begins, with the reason.
    GivenUp(&'a str),
    /// The process that suspended the job.
    Recalled,
}

/// Takes the claim for `holder`; `false` when another process has it, or may have had it before the machine was
/// restarted. H0111.
///
/// Only a shim's own claim may vanish with a power cut: what another holder promises, that the work never begins, holds
/// after a restart too.
pub(super) fn claim(folder: &Path, order: &OrderHead, holder: Holder<'_>) -> Result<bool, Error> {
    if order.is_of_an_earlier_boot()? {
        return Ok(false);
    }
    let lasting = if holder == Holder::Shim { order.lasting() } else { Lasting::Always };
    let given_up = match holder {
        Holder::GivenUp(reason) => Some(reason.to_owned()),
        Holder::Shim | Holder::Killer | Holder::Recalled => None,
    };
    let (token, withdrawn) = (order.token.clone(), holder != Holder::Shim);
    let recalled = holder == Holder::Recalled;
    let claim = Claim { token, holder: Identity::own()?, withdrawn, given_up, recalled };
    Ok(files::create_exclusively(&folder.join("claim"), &to_json(&claim), lasting)? || is_taken_as(folder, &claim)?)
}

/// Whether the claim is exactly this one: it was written before, but could not be made durable.
fn is_taken_as(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let standing: Option<Result<Claim, String>> = read_json(folder, "claim").known()?;
    Ok(standing.is_some_and(|standing| standing.as_ref() == Ok(claim)))
}
