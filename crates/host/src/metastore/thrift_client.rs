//! A connection in Thrift's binary protocol: calls with text arguments, and the structs of their answers.
//!
//! Knows the format of a call and of a struct, but no function of the metastore. Limits the size of each answer and the
//! time for it.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TFieldIdentifier, TInputProtocol, TListIdentifier, TMessageIdentifier,
    TMessageType, TOutputProtocol, TStructIdentifier, TType,
};
use thrift::transport::{
    ReadHalf, TBufferedReadTransport, TBufferedWriteTransport, TIoChannel, TTcpChannel, WriteHalf,
};
use thrift::{ApplicationError, ApplicationErrorKind, TConfiguration};

/// The time limit for a server to accept a connection, and for each answer.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The largest answer that is read, in bytes.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;
/// The field of a result with the value; the other fields are exceptions.
const SUCCESS: i16 = 0;
/// The exception "there is no such object": the first for every question that is asked here, the second for every
/// order.
const NO_SUCH_OBJECT: i16 = 2;
const NO_SUCH_OBJECT_FOR_AN_ORDER: i16 = 1;

/// The answer to a call.
pub(super) enum Reply<T> {
    Value(T),
    NoSuchObject,
}

/// The number of an exception's field, and its message.
type Exception = (i16, String);

pub(super) type Input = TBinaryInputProtocol<TBufferedReadTransport<ReadHalf<TTcpChannel>>>;
type Output = TBinaryOutputProtocol<TBufferedWriteTransport<WriteHalf<TTcpChannel>>>;

/// An open connection.
pub(super) struct Connection {
    input: Input,
    output: Output,
    sequence: i32,
}

impl Connection {
    /// Connects to `host:port`.
    pub(super) fn open(address: &str) -> thrift::Result<Self> {
        let mut failure = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no address");
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, TIME_LIMIT) {
                Ok(stream) => return Self::begin(stream),
                Err(error) => failure = error,
            }
        }
        Err(failure.into())
    }

    fn begin(stream: TcpStream) -> thrift::Result<Self> {
        stream.set_read_timeout(Some(TIME_LIMIT))?;
        stream.set_write_timeout(Some(TIME_LIMIT))?;
        stream.set_nodelay(true)?;
        let (reading, writing) = TTcpChannel::with_stream(stream).split()?;
        let limits = TConfiguration::builder()
            .max_message_size(Some(LARGEST_ANSWER))
            .max_string_size(Some(LARGEST_ANSWER))
            .max_container_size(Some(LARGEST_ANSWER))
            .build()?;
        Ok(Self {
            input: TBinaryInputProtocol::with_config(TBufferedReadTransport::new(reading), true, limits),
            output: TBinaryOutputProtocol::new(TBufferedWriteTransport::new(writing), true),
            sequence: 0,
        })
    }

    /// Calls a function; `read` takes the value of its result.
    pub(super) fn call<T>(
        &mut self,
        name: &str,
        arguments: &[Argument<'_>],
        read: impl Fn(&mut Input) -> thrift::Result<T>,
    ) -> thrift::Result<Reply<T>> {
        self.send(name, arguments)?;
        self.answer(read)
    }

    /// Calls a function that changes something; its result, if any, is ignored.
    pub(super) fn order(&mut self, name: &str, arguments: &[Argument<'_>]) -> thrift::Result<Reply<()>> {
        self.send(name, arguments)?;
        match self.result(|input| input.skip(TType::Bool))? {
            (_, None) => Ok(Reply::Value(())),
            (_, Some((NO_SUCH_OBJECT_FOR_AN_ORDER, _))) => Ok(Reply::NoSuchObject),
            (_, Some((_, why))) => Err(refused(why)),
        }
    }

    fn send(&mut self, name: &str, arguments: &[Argument<'_>]) -> thrift::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let output = &mut self.output;
        output.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, self.sequence))?;
        output.write_struct_begin(&TStructIdentifier::new("arguments"))?;
        for (number, argument) in (1..).zip(arguments) {
            argument.write(output, number)?;
        }
        output.write_field_stop()?;
        output.write_struct_end()?;
        output.write_message_end()?;
        output.flush()
    }

    fn answer<T>(&mut self, read: impl Fn(&mut Input) -> thrift::Result<T>) -> thrift::Result<Reply<T>> {
        match self.result(read)? {
            (Some(value), _) => Ok(Reply::Value(value)),
            (None, Some((NO_SUCH_OBJECT, _))) => Ok(Reply::NoSuchObject),
            (None, other) => Err(refused(other.map_or_else(|| "the answer is empty".to_owned(), |(_, why)| why))),
        }
    }

    /// Reads the value of an answer, or its exception with the number of its field.
    fn result<T>(
        &mut self,
        read: impl Fn(&mut Input) -> thrift::Result<T>,
    ) -> thrift::Result<(Option<T>, Option<Exception>)> {
        let input = &mut self.input;
        let message = input.read_message_begin()?;
        if message.message_type == TMessageType::Exception {
            let error = thrift::Error::read_application_error_from_in_protocol(input)?;
            input.read_message_end()?;
            return Err(thrift::Error::Application(error));
        }
        let mut reply = None;
        let mut exception = None;
        each_field(input, |input, field| {
            match (field.id, field.field_type) {
                (Some(SUCCESS), _) => reply = Some(read(input)?),
                (Some(number), TType::Struct) => exception = Some((number, read_message(input)?)),
                (_, kind) => input.skip(kind)?,
            }
            Ok(())
        })?;
        input.read_message_end()?;
        Ok((reply, exception))
    }
}

/// An error with the server's own message.
fn refused(why: String) -> thrift::Error {
    thrift::Error::Application(ApplicationError::new(ApplicationErrorKind::Unknown, why))
}

/// An argument of a call.
pub(super) enum Argument<'a> {
    Text(&'a str),
    Texts(&'a [&'a str]),
    Short(i16),
    Truth(bool),
}

impl Argument<'_> {
    fn write(&self, output: &mut Output, number: i16) -> thrift::Result<()> {
        let kind = match self {
            Self::Text(_) => TType::String,
            Self::Texts(_) => TType::List,
            Self::Short(_) => TType::I16,
            Self::Truth(_) => TType::Bool,
        };
        output.write_field_begin(&TFieldIdentifier::new("argument", kind, number))?;
        match self {
            Self::Text(text) => output.write_string(text)?,
            Self::Texts(texts) => {
                let length = i32::try_from(texts.len()).unwrap_or(i32::MAX);
                output.write_list_begin(&TListIdentifier::new(TType::String, length))?;
                for text in *texts {
                    output.write_string(text)?;
                }
                output.write_list_end()?;
            }
            Self::Short(value) => output.write_i16(*value)?,
            Self::Truth(value) => output.write_bool(*value)?,
        }
        output.write_field_end()
    }
}

/// Calls `read` for each field of a struct; `read` must consume the field.
pub(super) fn each_field(
    input: &mut Input,
    mut read: impl FnMut(&mut Input, &TFieldIdentifier) -> thrift::Result<()>,
) -> thrift::Result<()> {
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        read(input, &field)?;
        input.read_field_end()?;
    }
    input.read_struct_end()
}

/// Calls `read` for each member of a list; `read` must consume the member.
pub(super) fn each_member(
    input: &mut Input,
    mut read: impl FnMut(&mut Input, TType) -> thrift::Result<()>,
) -> thrift::Result<()> {
    let list = input.read_list_begin()?;
    for _ in 0..list.size {
        read(input, list.element_type)?;
    }
    input.read_list_end()
}

/// Reads the message of an exception: the first field of the struct.
fn read_message(input: &mut Input) -> thrift::Result<String> {
    let mut message = String::new();
    each_field(input, |input, field| {
        if (field.id, field.field_type) == (Some(1), TType::String) {
            message = input.read_string()?;
            Ok(())
        } else {
            input.skip(field.field_type)
        }
    })?;
    Ok(message)
}

/// Reads a list of texts.
pub(super) fn read_texts(input: &mut Input) -> thrift::Result<Vec<String>> {
    let mut texts = Vec::new();
    each_member(input, |input, kind| {
        if kind == TType::String {
            texts.push(input.read_string()?);
            Ok(())
        } else {
            input.skip(kind)
        }
    })?;
    Ok(texts)
}
