//! Splits an expression into tokens, one at a time, borrowed from the text.
//!
//! Does not depend on the grammar. A lexer is only a position, so a copy of it can look ahead.

use std::borrow::Cow;

use super::ast::{BinaryOperator, UnaryOperator};
use super::error::ElError;
use howdah_words::error::Span;

/// A token of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Integer(i64),
    Float(f64),
    /// A quoted text without its quotes, its escapes not yet resolved.
    Text(&'t str),
    Name(&'t str),
    True,
    False,
    Null,
    /// `-`, which is unary or binary depending on its place.
    Minus,
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    /// A reserved word without a meaning here; it is not a variable name.
    Reserved,
    Question,
    Colon,
    Comma,
    Dot,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    CloseBrace,
    EndOfText,
}

/// Reads the tokens of a text from a position on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Returns a lexer that starts at the byte `at` of `text`.
    pub(super) const fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// Returns the next token and its place.
    pub(super) fn next(&mut self) -> Result<(Token<'t>, Span), ElError> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        let start = self.at;
        let following = bytes.get(start + 1).copied();
        let token = match bytes.get(start) {
            None => Token::EndOfText,
            Some(b'0'..=b'9') => self.number()?,
            Some(b'.') if following.is_some_and(|byte| byte.is_ascii_digit()) => self.number()?,
            Some(quote @ (b'\'' | b'"')) => self.quoted(*quote)?,
            Some(first) => match symbol(*first, following) {
                Some((token, length)) => {
                    self.at += length;
                    token
                }
                None => self.word()?,
            },
        };
        Ok((token, Span::new(start, self.at)))
    }

    fn number(&mut self) -> Result<Token<'t>, ElError> {
        let start = self.at;
        self.digits();
        let mut float = self.skip(b".");
        if float {
            self.digits();
        }
        let before_exponent = self.at;
        if self.skip(b"eE") {
            self.skip(b"+-");
            float |= self.digits();
            // Without digits it is not an exponent but the start of a word, as in `1eq 2`.
            if !self.text[..self.at].ends_with(|last: char| last.is_ascii_digit()) {
                self.at = before_exponent;
            }
        }
        let written = &self.text[start..self.at];
        let token =
            if float { written.parse().ok().map(Token::Float) } else { written.parse().ok().map(Token::Integer) };
        token.ok_or_else(|| {
            ElError::new(Span::new(start, self.at), format!("the number [{written}] does not fit in 64 bits"))
        })
    }

    /// Skips digits; returns whether there were any.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    /// Skips one of the bytes; returns whether it was there.
    fn skip(&mut self, one_of: &[u8]) -> bool {
        let there = self.text.as_bytes().get(self.at).is_some_and(|byte| one_of.contains(byte));
        self.at += usize::from(there);
        there
    }

    fn quoted(&mut self, quote: u8) -> Result<Token<'t>, ElError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' if matches!(bytes.get(at + 1), Some(b'\\' | b'\'' | b'"')) => at += 2,
                b'\\' => {
                    return Err(ElError::new(
                        Span::new(at, at + 1),
                        "a backslash in a quoted text must escape something",
                    )
                    .help(r#"only \\, \' and \" are escapes; write \\ for a backslash"#));
                }
                byte if *byte == quote => {
                    self.at = at + 1;
                    return Ok(Token::Text(&self.text[start + 1..at]));
                }
                _ => at += 1,
            }
        }
        Err(ElError::new(Span::new(start, start + 1), format!("this {} is never closed", char::from(quote))))
    }

    fn word(&mut self) -> Result<Token<'t>, ElError> {
        let rest = &self.text[self.at..];
        let length = name_length(rest);
        if length == 0 {
            let found = rest.chars().next().unwrap_or_default();
            let span = Span::new(self.at, self.at + found.len_utf8());
            return Err(ElError::new(span, format!("unexpected character [{found}] in an expression")));
        }
        self.at += length;
        Ok(reserved_word(&rest[..length]).unwrap_or(Token::Name(&rest[..length])))
    }
}

/// Returns the length in bytes of the name at the start of a text; 0 when there is none.
fn name_length(text: &str) -> usize {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let length = text.bytes().take_while(plain).count();
    // Most names are plain ASCII, which needs no table lookup.
    if text.as_bytes().get(length).is_none_or(u8::is_ascii) {
        return if text.starts_with(|c: char| c.is_ascii_digit()) { 0 } else { length };
    }
    let in_name = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    if !text.starts_with(in_name) {
        return 0;
    }
    text.find(|c: char| !in_name(c) && !c.is_numeric()).unwrap_or(text.len())
}

/// Returns the name, if only a name stands before the closing brace; `None` also for rare and for reserved names.
pub(super) fn lone_name(text: &str) -> Option<&str> {
    let length = text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')?;
    let (name, rest) = text.split_at(length);
    let is_name = rest.starts_with('}') && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    (is_name && reserved_word(name).is_none()).then_some(name)
}

/// Returns the token of a punctuation mark, and its length in bytes.
fn symbol<'t>(first: u8, following: Option<u8>) -> Option<(Token<'t>, usize)> {
    use BinaryOperator as Op;
    let two = match (first, following) {
        (b'<', Some(b'=')) => Some(Token::Binary(Op::LessOrEqual)),
        (b'>', Some(b'=')) => Some(Token::Binary(Op::GreaterOrEqual)),
        (b'=', Some(b'=')) => Some(Token::Binary(Op::Equal)),
        (b'!', Some(b'=')) => Some(Token::Binary(Op::NotEqual)),
        (b'&', Some(b'&')) => Some(Token::Binary(Op::And)),
        (b'|', Some(b'|')) => Some(Token::Binary(Op::Or)),
        _ => None,
    };
    if let Some(token) = two {
        return Some((token, 2));
    }
    let one = match first {
        b'-' => Token::Minus,
        b'!' => Token::Unary(UnaryOperator::Not),
        b'+' => Token::Binary(Op::Add),
        b'*' => Token::Binary(Op::Multiply),
        b'/' => Token::Binary(Op::Divide),
        b'%' => Token::Binary(Op::Remainder),
        b'<' => Token::Binary(Op::Less),
        b'>' => Token::Binary(Op::Greater),
        b'?' => Token::Question,
        b':' => Token::Colon,
        b',' => Token::Comma,
        b'.' => Token::Dot,
        b'(' => Token::OpenParenthesis,
        b')' => Token::CloseParenthesis,
        b'[' => Token::OpenBracket,
        b']' => Token::CloseBracket,
        b'}' => Token::CloseBrace,
        _ => return None,
    };
    Some((one, 1))
}

fn reserved_word<'t>(word: &str) -> Option<Token<'t>> {
    use BinaryOperator as Op;
    Some(match word {
        "true" => Token::True,
        "false" => Token::False,
        "null" => Token::Null,
        "not" => Token::Unary(UnaryOperator::Not),
        "empty" => Token::Unary(UnaryOperator::Empty),
        "or" => Token::Binary(Op::Or),
        "and" => Token::Binary(Op::And),
        "eq" => Token::Binary(Op::Equal),
        "ne" => Token::Binary(Op::NotEqual),
        "lt" => Token::Binary(Op::Less),
        "le" => Token::Binary(Op::LessOrEqual),
        "gt" => Token::Binary(Op::Greater),
        "ge" => Token::Binary(Op::GreaterOrEqual),
        "div" => Token::Binary(Op::Divide),
        "mod" => Token::Binary(Op::Remainder),
        "instanceof" => Token::Reserved,
        _ => return None,
    })
}

/// Returns the characters of a [`Token::Text`], with its escapes resolved.
pub(super) fn unescaped(quoted: &str) -> Cow<'_, str> {
    if !quoted.contains('\\') {
        return quoted.into();
    }
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        text.push(if character == '\\' { characters.next().unwrap_or(character) } else { character });
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&[Token<'_>], &str>) {
        let mut lexer = Lexer::new(text, 0);
        let mut tokens = Vec::new();
        let result = loop {
            match lexer.next() {
                Ok((Token::EndOfText, _)) => break Ok(tokens.as_slice()),
                Ok((token, _)) => tokens.push(token),
                Err(error) => break Err(error.message),
            }
        };
        assert_eq!(result, expect.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn numbers_are_as_long_as_possible() {
        check("07", Ok(&[Token::Integer(7)]));
        check("1.", Ok(&[Token::Float(1.0)]));
        check(".5e-1", Ok(&[Token::Float(0.05)]));
        check("1e999", Ok(&[Token::Float(f64::INFINITY)]));
        check("1eq", Ok(&[Token::Integer(1), Token::Binary(BinaryOperator::Equal)]));
        check("1e+x", Ok(&[Token::Integer(1), Token::Name("e"), Token::Binary(BinaryOperator::Add), Token::Name("x")]));
        check("1.e", Ok(&[Token::Float(1.0), Token::Name("e")]));
        check("9223372036854775808", Err("the number [9223372036854775808] does not fit in 64 bits"));
    }

    #[test]
    fn words_and_names() {
        check("true1 _a$ été", Ok(&[Token::Name("true1"), Token::Name("_a$"), Token::Name("été")]));
        check("instanceof\tnull", Ok(&[Token::Reserved, Token::Null]));
        check("a&b", Err("unexpected character [&] in an expression"));
        check("→", Err("unexpected character [→] in an expression"));
    }

    #[test]
    fn quoted_texts() {
        check(r#"'it\'s' "a'b""#, Ok(&[Token::Text(r"it\'s"), Token::Text("a'b")]));
        check("'a", Err("this ' is never closed"));
        check(r"'a\", Err("a backslash in a quoted text must escape something"));
        check(r"'a\n'", Err("a backslash in a quoted text must escape something"));
        assert_eq!(unescaped(r#"it\'s \"a\\b\""#), r#"it's "a\b""#);
    }
}
