//! What changes a status: a verb that a user gives, or a step of the engine.

use super::status::words;

words! {
    /// What changes a status, as its event names it.
    Origin {
        Submit = "submit",
        Suspend = "suspend",
        Resume = "resume",
        Kill = "kill",
        Change = "change",
        Ignore = "ignore",
        Rerun = "rerun",
        Backfill = "backfill",
        PauseAll = "pause --all",
        ResumeAll = "resume --all",
        Update = "update",
        SlaEnable = "sla enable",
        SlaDisable = "sla disable",
        SlaChange = "sla change",
        Materialize = "materialize",
        CheckInputs = "check_inputs",
        Start = "start",
        Pause = "pause",
        KickOff = "kick-off",
        Runner = "runner",
        Scripted = "scripted",
        Takeover = "takeover",
        Shadow = "shadow",
    }
}
