//! Parses one `${...}` to its tree (grammar of JSP EL 2.0, section 1.19).
//!
//! Reads each token a bounded number of times and nests a bounded number of levels, so no text is slow and none
//! exhausts the stack.

use super::ast::{BinaryOperator, Call, Expr, ExprKind, UnaryOperator};
use super::error::ElError;
use super::lexer::{Lexer, Token, lone_name, unescaped};
use super::value::Value;
use howdah_words::error::Span;

/// How deep an expression may nest: parentheses, arguments, choices, unary operators, right operands.
pub(super) const DEEPEST: usize = 64;
/// How many operators between operands, and members, one expression may have.
pub(super) const MOST_OPERATORS: usize = 500;

/// Parses the expression whose `${` is at the byte `open`; returns its tree and the position after its `}`.
pub(super) fn parse(text: &str, open: usize) -> Result<(Expr, usize), ElError> {
    let opening = Span::new(open, open + "${".len());
    if let Some(name) = lone_name(&text[opening.end..]) {
        // Most expressions are a single variable.
        let span = Span::new(opening.end, opening.end + name.len());
        return Ok((Expr { kind: ExprKind::Variable(name.to_owned()), span }, span.end + 1));
    }
    let mut lexer = Lexer::new(text, opening.end);
    let (token, span) = lexer.next()?;
    let mut parser = Parser { text, lexer, token, span, opening, depth: 0, operators: 0 };
    if parser.token == Token::CloseBrace {
        return Err(ElError::new(opening.to(span), "the expression is empty"));
    }
    let expression = parser.expression()?;
    if parser.token == Token::CloseBrace {
        return Ok((expression, parser.span.end));
    }
    Err(parser.unexpected("an operator or '}'"))
}

struct Parser<'t> {
    text: &'t str,
    /// The position after `token`.
    lexer: Lexer<'t>,
    token: Token<'t>,
    span: Span,
    /// The `${`.
    opening: Span,
    depth: usize,
    operators: usize,
}

impl<'t> Parser<'t> {
    /// Advances to the next token; returns the place of the previous one.
    fn advance(&mut self) -> Result<Span, ElError> {
        let left = self.span;
        (self.token, self.span) = self.lexer.next()?;
        Ok(left)
    }

    /// Enters one level; the caller leaves it by `self.depth -= 1`, unless the text is refused.
    fn descend(&mut self) -> Result<(), ElError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ElError::new(self.span, format!("the expression is nested more than {DEEPEST} levels deep")));
        }
        Ok(())
    }

    fn count_operator(&mut self) -> Result<(), ElError> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS {
            return Err(ElError::new(self.span, format!("the expression has more than {MOST_OPERATORS} operators")));
        }
        Ok(())
    }

    /// Parses a whole expression: a choice, or an operation.
    fn expression(&mut self) -> Result<Expr, ElError> {
        self.descend()?;
        let mut expression = self.operation(1)?;
        if self.token == Token::Question {
            expression = self.choice(expression)?;
        }
        self.depth -= 1;
        Ok(expression)
    }

    /// Parses what follows a condition, from its `?` on.
    fn choice(&mut self, condition: Expr) -> Result<Expr, ElError> {
        self.advance()?;
        let then = self.expression()?;
        if self.token != Token::Colon {
            return Err(self.missing_colon(&then));
        }
        self.advance()?;
        let otherwise = self.expression()?;
        let span = condition.span.to(otherwise.span);
        Ok(Expr { kind: ExprKind::Choice(Box::new([condition, then, otherwise])), span })
    }

    /// Parses operands between operators that bind at least as tightly as `least_power`.
    fn operation(&mut self, least_power: u8) -> Result<Expr, ElError> {
        let mut left = self.operand()?;
        while let Some(operator) = self.binary_operator().filter(|operator| operator.power() >= least_power) {
            self.count_operator()?;
            self.advance()?;
            self.descend()?;
            let right = self.operation(operator.power() + 1)?;
            self.depth -= 1;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        match self.token {
            Token::Minus => Some(BinaryOperator::Subtract),
            Token::Binary(operator) => Some(operator),
            _ => None,
        }
    }

    /// Parses a value with its unary operators and members.
    fn operand(&mut self) -> Result<Expr, ElError> {
        let operator = match self.token {
            Token::Minus => UnaryOperator::Negate,
            Token::Unary(operator) => operator,
            _ => {
                let base = self.primary()?;
                return self.members(base);
            }
        };
        let start = self.advance()?;
        self.descend()?;
        let operand = self.operand()?;
        self.depth -= 1;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span })
    }

    fn primary(&mut self) -> Result<Expr, ElError> {
        let literal = match self.token {
            Token::Name(name) => return self.named(name),
            Token::OpenParenthesis => return self.parenthesized(),
            Token::Integer(number) => Value::Int(number),
            Token::Float(number) => Value::Float(number),
            Token::Text(quoted) => Value::from(unescaped(quoted).as_ref()),
            Token::True => Value::Bool(true),
            Token::False => Value::Bool(false),
            Token::Null => Value::Null,
            _ => return Err(self.unexpected("a value")),
        };
        let span = self.advance()?;
        Ok(Expr { kind: ExprKind::Literal(literal), span })
    }

    fn parenthesized(&mut self) -> Result<Expr, ElError> {
        let open = self.advance()?;
        let mut inner = self.expression()?;
        let close = self.close(Token::CloseParenthesis, open)?;
        // A name keeps its own place, which callers mark and replace.
        if !matches!(inner.kind, ExprKind::Variable(_) | ExprKind::Call(_)) {
            inner.span = open.to(close);
        }
        Ok(inner)
    }

    /// Parses a variable or a call. `a:b` is a function only if `(` follows; otherwise the colon belongs to a choice.
    fn named(&mut self, first: &'t str) -> Result<Expr, ElError> {
        let start = self.advance()?;
        if self.token == Token::OpenParenthesis {
            return self.call("", first, start);
        }
        if self.token == Token::Colon {
            let mut ahead = self.lexer;
            if let Ok((Token::Name(name), name_span)) = ahead.next()
                && let Ok((Token::OpenParenthesis, open)) = ahead.next()
            {
                // The token read ahead is the call itself; it is not read again.
                (self.lexer, self.token, self.span) = (ahead, Token::OpenParenthesis, open);
                return self.call(first, name, start.to(name_span));
            }
        }
        Ok(Expr { kind: ExprKind::Variable(first.to_owned()), span: start })
    }

    /// Parses the arguments of a call, from its `(` on.
    fn call(&mut self, prefix: &str, name: &str, name_span: Span) -> Result<Expr, ElError> {
        let open = self.advance()?;
        let mut arguments = Vec::new();
        if self.token != Token::CloseParenthesis {
            arguments.push(self.expression()?);
            while self.token == Token::Comma {
                self.advance()?;
                arguments.push(self.expression()?);
            }
        }
        let span = name_span.to(self.close(Token::CloseParenthesis, open)?);
        let call = Call { prefix: prefix.to_owned(), name: name.to_owned(), name_span, span, arguments };
        Ok(Expr { kind: ExprKind::Call(Box::new(call)), span })
    }

    fn members(&mut self, mut base: Expr) -> Result<Expr, ElError> {
        loop {
            let (key, end) = match self.token {
                Token::Dot => {
                    self.advance()?;
                    let Token::Name(name) = self.token else { return Err(self.unexpected("a name")) };
                    let span = self.advance()?;
                    (Expr { kind: ExprKind::Literal(name.into()), span }, span)
                }
                Token::OpenBracket => {
                    let open = self.advance()?;
                    let key = self.expression()?;
                    (key, self.close(Token::CloseBracket, open)?)
                }
                _ => return Ok(base),
            };
            self.count_operator()?;
            let span = base.span.to(end);
            base = Expr { kind: ExprKind::Member(Box::new(base), Box::new(key)), span };
        }
    }

    /// Skips the token that closes `open`; returns its place.
    fn close(&mut self, closing: Token<'_>, open: Span) -> Result<Span, ElError> {
        if self.token == closing {
            return self.advance();
        }
        if matches!(self.token, Token::CloseBrace | Token::EndOfText) {
            return Err(ElError::new(open, format!("this '{}' is never closed", &self.text[open.start..open.end])));
        }
        Err(self.unexpected(if closing == Token::CloseBracket { "an operator or ']'" } else { "an operator or ')'" }))
    }

    /// Returns the error for a token that is not allowed here.
    fn unexpected(&self, wanted: &str) -> ElError {
        let found = &self.text[self.span.start..self.span.end];
        let error = match self.token {
            Token::EndOfText => {
                return ElError::new(self.opening, "this '${' is never closed").help("close the expression with }");
            }
            Token::Binary(_) | Token::Unary(_) | Token::Reserved if found.starts_with(char::is_alphabetic) => {
                ElError::new(self.span, format!("expected {wanted}, found the reserved word [{found}]"))
            }
            _ => ElError::new(self.span, format!("expected {wanted}, found [{found}]")),
        };
        match self.token {
            Token::Colon => error.help("a function is called with parentheses: prefix:name()"),
            Token::OpenParenthesis => error.help("only a name can be called; values have no methods"),
            _ => error,
        }
    }

    /// Returns the error for a choice without a valid second half.
    fn missing_colon(&self, then: &Expr) -> ElError {
        let error = self.unexpected("':' and the other value");
        match &then.kind {
            ExprKind::Call(call) if !call.prefix.is_empty() => error.help(format!(
                "[{}] reads as the name of a function; write ({}) : {}",
                call.function(),
                call.prefix,
                call.name
            )),
            _ => error,
        }
    }
}
