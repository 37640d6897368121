//! Which ways to log in a name node offers: the first message of a connection with SASL, and its answer. Of Hadoop's
//! messages (`RpcHeader.proto`) few fields are needed. Must not connect to anything.

/// The longest answer that is read; a name node's has a few hundred bytes.
pub(super) const LONGEST: u32 = 64 * 1024;

/// The question which ways to log in a server offers.
pub(super) const QUESTION: [u8; 25] = [
    // The connection: version 9, class 0, with SASL.
    b'h', b'r', b'p', b'c', 9, 0, 0xdf, //
    // The length of the message, and that of its header.
    0, 0, 0, 14, 10, //
    // The header: protocol buffers, the only packet, call -33, no name of a client, no retry.
    0x08, 2, 0x10, 0, 0x18, 65, 0x22, 0, 0x28, 1, //
    // The state: NEGOTIATE.
    2, 0x10, NEGOTIATE,
];

/// The states of a login.
const SUCCESS: u8 = 0;
const NEGOTIATE: u8 = 1;

/// A way to log in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// Such as `KERBEROS`, `TOKEN` or `SIMPLE`.
    pub(super) method: String,
    /// The first part of the server's principal.
    pub(super) service: String,
    /// The second part, the server's host.
    pub(super) host: String,
}

/// What a server answers to [`QUESTION`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// It takes every name, and checks none.
    NoLogin,
    /// The ways that it takes, in its order.
    Ways(Vec<Way>),
    /// It ends the connection: the class of its exception, and the message.
    Failure(String, String),
}

impl Offer {
    /// Reads an answer without its length; `None` when it is not one.
    pub(super) fn of(answer: &[u8]) -> Option<Self> {
        let mut answer = Reader(answer);
        let (mut status, mut class, mut message) = (0, String::new(), String::new());
        answer.message()?.each(|field| match field {
            (2, Value::Number(number)) => status = number,
            (4, Value::Bytes(text)) => class = text_of(text),
            (5, Value::Bytes(text)) => message = text_of(text),
            _ => {}
        })?;
        if status != 0 {
            return Some(Self::Failure(class, message));
        }
        let (mut state, mut ways) = (None, Some(Vec::new()));
        answer.message()?.each(|field| match field {
            (2, Value::Number(number)) => state = u8::try_from(number).ok(),
            (4, Value::Bytes(bytes)) => {
                ways = ways.take().zip(Way::of(bytes)).map(|(mut ways, way)| {
                    ways.push(way);
                    ways
                });
            }
            _ => {}
        })?;
        match state? {
            SUCCESS => Some(Self::NoLogin),
            NEGOTIATE => ways.map(Self::Ways),
            _ => None,
        }
    }
}

impl Way {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut way = Self::default();
        Reader(bytes).each(|field| match field {
            (1, Value::Bytes(text)) => way.method = text_of(text),
            (3, Value::Bytes(text)) => way.service = text_of(text),
            (4, Value::Bytes(text)) => way.host = text_of(text),
            _ => {}
        })?;
        Some(way)
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The value of a field.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of a kind that no field above has.
    Other,
}

/// What is left of a message of protocol buffers.
#[derive(Clone, Copy, Debug)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Hands over each field with its number; `None` when the bytes are no message.
    fn each(mut self, mut take: impl FnMut((u64, Value<'a>))) -> Option<()> {
        while !self.0.is_empty() {
            let tag = self.number()?;
            let value = match tag & 7 {
                0 => Value::Number(self.number()?),
                1 => self.bytes(8).map(|_| Value::Other)?,
                2 => Value::Bytes(self.message()?.0),
                5 => self.bytes(4).map(|_| Value::Other)?,
                _ => return None,
            };
            take((tag >> 3, value));
        }
        Some(())
    }

    /// The next message, after its length.
    fn message(&mut self) -> Option<Self> {
        let length = self.number()?;
        self.bytes(length).map(Reader)
    }

    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next number: seven bits in each byte, the lowest ones first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap();
        assert!(length < 128, "lengths of one byte");
        [&[number << 3 | 2, length], content].concat()
    }

    fn way(method: &str, mechanism: &str) -> Vec<u8> {
        let parts = [(1, method), (2, mechanism), (3, "nn"), (4, "host.example"), (5, "a challenge")];
        parts.map(|(number, text)| field(number, text.as_bytes())).concat()
    }

    /// An answer with a status of the call and with the fields of the login.
    fn answer(header: &[u8], login: &[u8]) -> Vec<u8> {
        let with_length = |bytes: &[u8]| [&[u8::try_from(bytes.len()).unwrap()], bytes].concat();
        // The call's number, -33, is written as it is in Hadoop: without a sign, in five bytes.
        let header = [&[8, 0xdf, 0xff, 0xff, 0xff, 0x0f], header].concat();
        [with_length(&header), with_length(login)].concat()
    }

    #[test]
    fn the_length_of_the_question_is_right() {
        assert_eq!(usize::from(QUESTION[10]), QUESTION.len() - 11);
        assert_eq!(usize::from(QUESTION[11]), QUESTION.len() - 12 - 3);
    }

    #[test]
    fn the_ways_of_a_server_are_read_in_its_order() {
        let kerberos = || Way { method: "KERBEROS".into(), service: "nn".into(), host: "host.example".into() };
        let token = || Way { method: "TOKEN".into(), ..kerberos() };
        let ways = [field(4, &way("TOKEN", "DIGEST-MD5")), field(4, &way("KERBEROS", "GSSAPI"))].concat();
        let login = [&[8, 0, 0x10, 1], &ways[..]].concat();
        // A header with fields that are not needed, one of them of eight bytes and one of four.
        for header in [&[0x10, 0][..], &[0x10, 0, 0x18, 9, 0x39, 1, 2, 3, 4, 5, 6, 7, 8, 0x45, 1, 2, 3, 4]] {
            assert_eq!(Offer::of(&answer(header, &login)), Some(Offer::Ways(vec![token(), kerberos()])));
        }
        assert_eq!(Offer::of(&answer(&[0x10, 0], &[0x10, 1])), Some(Offer::Ways(Vec::new())));
    }

    #[test]
    fn a_server_without_login_and_one_that_refuses_are_known() {
        let ways = field(4, &way("SIMPLE", ""));
        assert_eq!(Offer::of(&answer(&[0x10, 0], &[&[0x10, 0], &ways[..]].concat())), Some(Offer::NoLogin));
        let header = [&[0x10, 2][..], &field(4, b"java.io.IOException"), &field(5, b"no")].concat();
        let failure = Offer::Failure("java.io.IOException".into(), "no".into());
        assert_eq!(Offer::of(&answer(&header, &[])), Some(failure));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let login = [&[0x10, 1][..], &field(4, &way("KERBEROS", "GSSAPI"))].concat();
        let whole = answer(&[0x10, 0], &login);
        for length in 0..whole.len() {
            assert_eq!(Offer::of(&whole[..length]), None, "{length} bytes");
        }
        for login in [&[][..], &[0x10, 2], &[0x10, 0xff, 0xff, 3], &[0x13, 1], &field(4, &[0x0a, 9, 1])] {
            assert_eq!(Offer::of(&answer(&[0x10, 0], login)), None, "{login:?}");
        }
        assert_eq!(Offer::of(b"HTTP/1.1 404 Not Found"), None);
        assert_eq!(Offer::of(&[0xff; 32]), None);
    }
}
