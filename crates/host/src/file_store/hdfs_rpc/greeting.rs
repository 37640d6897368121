//! Asks a name node how it wants its clients to log in, before the client connects to it: the client would go on
//! without Kerberos where a server offers that, and would not say so. Must not depend on what is asked later.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::super::StoreError;
use super::super::hdfs::{cannot_be_asked, first_line};
use super::offer::{LONGEST, Offer, QUESTION, Way};

const KERBEROS: &str = "KERBEROS";
const SIMPLE: &str = "SIMPLE";

/// What a server offers; `None` for one that does not speak the protocol.
pub(super) async fn offer(mut server: TcpStream) -> io::Result<Option<Offer>> {
    server.write_all(&QUESTION).await?;
    let length = server.read_u32().await?;
    if length > LONGEST {
        return Ok(None);
    }
    let mut answer = Vec::new();
    server.take(u64::from(length)).read_to_end(&mut answer).await?;
    if answer.len() as u64 != u64::from(length) {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Offer::of(&answer))
}

/// Checks that a client which takes the first way that it knows logs in by Kerberos, to the principal that the site
/// files name.
///
/// # Errors
/// A refusal of a server that takes clients without Kerberos, and of another principal; unknown for a server that
/// refuses the connection.
pub(super) fn check(server: &str, offer: Option<&Offer>, principal: Option<&str>) -> io::Result<()> {
    let refuse =
        |why: &str| Err(cannot_be_asked(server, &format!("hadoop.security.authentication is kerberos, {why}")));
    let ways = match offer {
        None => return Err(StoreError::unknown(format!("{server} is no name node"))),
        Some(Offer::Failure(class, message)) => {
            return Err(StoreError::unknown(format!("{server} answers {class}: {}", first_line(message))));
        }
        Some(Offer::NoLogin) => return refuse("and the server asks for no login"),
        Some(Offer::Ways(ways)) => ways,
    };
    if ways.iter().any(|way| way.method == SIMPLE) {
        return refuse("and the server takes clients without it");
    }
    match (ways.iter().find(|way| way.method == KERBEROS), principal) {
        (None, _) => refuse("and the server does not offer it"),
        (Some(way), Some(principal)) if !is_of(way, principal) => refuse(&format!(
            "and the server is [{}/{}], not the [{principal}] of dfs.namenode.kerberos.principal",
            way.service, way.host
        )),
        (Some(_), _) => Ok(()),
    }
}

/// Whether a server has this principal. For `_HOST` any host counts: a name node may have several names.
fn is_of(way: &Way, principal: &str) -> bool {
    let name = principal.split_once('@').map_or(principal, |(name, _)| name);
    let (service, host) = name.split_once('/').map_or((name, None), |(service, host)| (service, Some(host)));
    way.service == service && host.is_none_or(|host| host == "_HOST" || host.eq_ignore_ascii_case(&way.host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Verdict, verdict};

    fn way(method: &str) -> Way {
        Way { method: method.to_owned(), service: "nn".to_owned(), host: "Host.example".to_owned() }
    }

    fn ways(methods: &[&str]) -> Offer {
        Offer::Ways(methods.iter().map(|method| way(method)).collect())
    }

    #[test]
    fn only_kerberos_is_taken() {
        use Verdict::{Refused, Unknown};
        for (offer, expect) in [
            (Some(ways(&["KERBEROS"])), None),
            (Some(ways(&["TOKEN", "KERBEROS"])), None),
            (Some(ways(&["KERBEROS", "SIMPLE"])), Some((Refused, "takes clients without it"))),
            (Some(ways(&["SIMPLE", "KERBEROS"])), Some((Refused, "takes clients without it"))),
            (Some(ways(&["TOKEN"])), Some((Refused, "does not offer it"))),
            (Some(ways(&[])), Some((Refused, "does not offer it"))),
            (Some(Offer::NoLogin), Some((Refused, "asks for no login"))),
            (Some(Offer::Failure("a.b.C".to_owned(), "no\n\tat x".to_owned())), Some((Unknown, "answers a.b.C: no"))),
            (None, Some((Unknown, "is no name node"))),
        ] {
            let checked = check("hdfs://nn:1", offer.as_ref(), None);
            let found = checked.as_ref().err().map(|error| (verdict(error), error.to_string()));
            assert_eq!(found.as_ref().map(|(verdict, _)| *verdict), expect.map(|(verdict, _)| verdict), "{offer:?}");
            assert!(found.is_none_or(|(_, text)| expect.is_some_and(|(_, part)| text.contains(part))), "{offer:?}");
        }
    }

    #[test]
    fn another_principal_is_refused() {
        for (principal, expect) in [
            ("nn/_HOST@EXAMPLE.COM", true),
            ("nn/host.example@EXAMPLE.COM", true),
            ("nn/host.example", true),
            ("nn@EXAMPLE.COM", true),
            ("nn/other.example@EXAMPLE.COM", false),
            ("hdfs/_HOST@EXAMPLE.COM", false),
            ("", false),
        ] {
            let checked = check("hdfs://nn:1", Some(&ways(&["KERBEROS"])), Some(principal));
            assert_eq!(checked.is_ok(), expect, "{principal}");
            if let Err(error) = checked {
                assert!(error.to_string().contains("[nn/Host.example], not the"), "{error}");
                assert_eq!(verdict(&error), Verdict::Refused);
            }
        }
    }
}
