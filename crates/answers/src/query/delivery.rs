//! What others were told about a job or an action, and what could not be told.

use serde::Serialize;

use crate::query::json;
use howdah_words::model::delivery::Payload;
use howdah_words::model::row::{Delivery, DeliveryState};
use howdah_words::model::time::Timestamp;

/// A notification or an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    /// `http`, `mail` or `command`.
    pub kind: &'static str,
    /// The URL, the recipients, or the command.
    pub to: String,
    /// The subject of a mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// PENDING, `DELIVERED` or `GIVEN_UP`.
    #[serde(serialize_with = "json::delivery_state")]
    pub status: DeliveryState,
    pub tries: u32,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    #[serde(serialize_with = "json::time_or_null")]
    pub(crate) next_try_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time_or_null")]
    pub end_time: Option<Timestamp>,
    pub last_error: Option<String>,
}

impl From<&Delivery> for DeliveryView {
    fn from(delivery: &Delivery) -> Self {
        let (kind, to, subject) = match &delivery.payload {
            Payload::Http(get) => ("http", get.url.clone(), None),
            // The path of such a URL is often its password.
            Payload::Post(_) => ("http", format!("{}/...", delivery.receiver), None),
            Payload::Mail(mail) => ("mail", mail.to.join(", "), Some(mail.subject.clone())),
            Payload::Command(command) => ("command", command.command.join(" "), None),
        };
        Self {
            kind,
            to,
            subject,
            status: delivery.state,
            tries: delivery.tries,
            created_time: delivery.created_at,
            next_try_time: delivery.next_try_at,
            end_time: delivery.ended_at,
            last_error: delivery.last_error.clone(),
        }
    }
}

impl DeliveryView {
    /// The views of deliveries, in their order.
    pub fn all(deliveries: &[Delivery]) -> Vec<Self> {
        deliveries.iter().map(Self::from).collect()
    }
}

/// Deliveries in one line, such as `3 delivered, 1 given up: the receiver answered 500`; `None` for none.
pub fn in_short(deliveries: &[DeliveryView]) -> Option<String> {
    let count = |state: DeliveryState| deliveries.iter().filter(|delivery| delivery.status == state).count();
    let counted = [
        (count(DeliveryState::Delivered), "delivered"),
        (count(DeliveryState::Pending), "pending"),
        (count(DeliveryState::GivenUp), "given up"),
    ];
    let parts: Vec<String> =
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let open = |delivery: &&DeliveryView| delivery.status != DeliveryState::Delivered;
    let reason = deliveries.iter().rev().filter(open).find_map(|delivery| delivery.last_error.as_ref());
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    (!parts.is_empty()).then(|| parts.join(", ") + &reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(state: DeliveryState, last_error: Option<&str>) -> DeliveryView {
        DeliveryView {
            kind: "http",
            to: "http://a/".to_owned(),
            subject: None,
            status: state,
            tries: 1,
            created_time: Timestamp::EPOCH,
            next_try_time: None,
            end_time: None,
            last_error: last_error.map(str::to_owned),
        }
    }

    #[test]
    fn deliveries_are_counted_and_the_last_reason_is_said() {
        use DeliveryState::{Delivered, GivenUp, Pending};
        let check = |views: &[DeliveryView], expect: Option<&str>| assert_eq!(in_short(views).as_deref(), expect);
        check(&[], None);
        check(&[view(Delivered, Some("late"))], Some("1 delivered"));
        check(&[view(Pending, None), view(Delivered, None)], Some("1 delivered, 1 pending"));
        check(&[view(GivenUp, Some("500")), view(Pending, Some("404"))], Some("1 pending, 1 given up: 404"));
    }
}
