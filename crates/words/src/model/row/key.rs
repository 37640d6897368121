//! The keys of rows. Only the database gives new ones.

macro_rules! keys {
    ($($(#[$meta:meta])* $name:ident;)*) => {
        $(
            $(#[$meta])*
            ///
            /// The default (0) means a row that is not stored yet.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub i64);
        )*
    };
}

keys! {
    /// Key of a text in `document`.
    DocumentKey;
    /// Key of a row in `coordinator_job`.
    CoordinatorKey;
    /// Key of a row in `workflow_job`.
    WorkflowKey;
    /// Key of a row in `bundle_job`.
    BundleKey;
    /// Key of a row in `attempt`.
    AttemptKey;
    /// Key of a row in `event`; later events have larger keys.
    EventKey;
    /// Key of a row in `delivery`; later ones have larger keys.
    DeliveryKey;
    /// Key of a row in `sla`.
    SlaKey;
    /// Key of a row in `incident`; later ones have larger keys.
    IncidentKey;
    /// Key of a row in `takeover`; later ones have larger keys.
    TakeoverKey;
}
