//! The language as its users see it: texts in, texts out.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::ast::Call;
use super::ast::{BinaryOperator, UnaryOperator};
use super::parser::{DEEPEST, MOST_OPERATORS};
use super::*;
use howdah_words::error::{Error, ErrorCode, Span};

/// A few variables and functions; `calls` counts the calls of a function.
#[derive(Default)]
struct TestScope {
    calls: usize,
}

impl Scope for TestScope {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(Some(match name {
            "x" => "5".into(),
            "s" => "abc".into(),
            "e" => "".into(),
            "n" => Value::Int(7),
            "d" => Value::Float(2.5),
            "big" => Value::Int(i64::MAX),
            "nothing" => Value::Null,
            "map" => Value::Map(BTreeMap::from([("k".to_owned(), "v".into())])),
            "list" => Value::List(vec![Value::Int(1), "two".into()]),
            "broken" => return Err(CallError::Failed("the variable is broken".to_owned())),
            _ => return Ok(None),
        }))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        self.calls += 1;
        match (function.to_string().as_str(), arguments) {
            ("t:echo", [argument]) => Ok(argument.clone()),
            ("t:echo", _) => Err(CallError::ArgumentCount { expected: 1..=1 }),
            ("b:c" | "c", _) => Ok(Value::from(format!("{function}/{}", arguments.len()))),
            ("t:days", [days]) => Ok(Value::Int(days.to_int()?.into())),
            ("t:coded", _) => Err(Error::new(ErrorCode::E0906, "s3").into()),
            _ => Err(CallError::UnknownFunction),
        }
    }

    fn names(&self) -> Vec<String> {
        ["nothing", "t:echo", "t:days"].map(str::to_owned).to_vec()
    }
}

fn evaluate(text: &str) -> Result<String, ElError> {
    Template::parse(text)?.evaluate(&mut TestScope::default())
}

/// Compares the text, or the message of the error.
fn check(text: &str, expect: Result<&str, &str>) {
    let result = evaluate(text).map_err(|error| error.message);
    assert_eq!(result.as_deref().map_err(String::as_str), expect, "{text}");
}

#[test]
fn mixed_text() {
    for (text, expect) in [
        ("", ""),
        ("plain", "plain"),
        ("a${x}b${n}c", "a5b7c"),
        ("$x", "$x"),
        ("$${x}", "$5"),
        ("}x{", "}x{"),
        ("${x}}", "5}"),
        ("{${x}}", "{5}"),
        (r"\${x}", "${x}"),
        (r"\\${x}", r"\${x}"),
        (r"${x}\${x}", "5${x}"),
        (r"\${a}\${b}${x}", "${a}${b}5"),
        ("#{x}", "#{x}"),
        (r"\#{x} ${x}", "#{x} 5"),
        (r"a\b\$c", r"a\b\$c"),
        ("${'${x}'}", "${x}"),
        ("${'}'}", "}"),
        ("${'$'}{x}", "${x}"),
        ("a${nothing}b", "ab"),
        (" é${ x }\n", " é5\n"),
    ] {
        check(text, Ok(expect));
    }
}

#[test]
fn precedence_and_words() {
    for (text, expect) in [
        ("${1 + 2 * 3 - 4 div 2}", "5.0"),
        ("${10 - 4 - 3}", "3"),
        ("${- 1 - -x}", "4"),
        ("${not e == null}", "false"),
        ("${!true or true and not empty s}", "true"),
        ("${1 < 2 == true}", "true"),
        ("${1 lt 2 && 2 le 2 and 3 > 2 and 3 ge 3 and 1 ne 2 and 1 != 2 and 1 eq 1}", "true"),
        ("${true ? false ? 1 : 2 : 3}", "2"),
        ("${false ? 1 : false ? 2 : 3}", "3"),
        ("${1eq 1}", "true"),
        ("${t:echo(-(24*1))}", "-24"),
        ("${t : echo ( 3 ) }", "3"),
        ("${t:days(1.7)}${t:days(7/7)}${t:days('2.0')}", "112"),
        ("${c()}${b:c(1, 2)}", "c/0b:c/2"),
        ("${true ? b:c(1) : d}", "b:c/1"),
        ("${true ? x:d}", "5"),
        ("${true ? (x) : c(1)}", "5"),
    ] {
        check(text, Ok(expect));
    }
}

#[test]
fn arithmetic_follows_java() {
    for (text, expect) in [
        ("${10/4}", Ok("2.5")),
        ("${7/7}", Ok("1.0")),
        ("${10/0}", Ok("Infinity")),
        ("${-10/0}", Ok("-Infinity")),
        ("${10%0}", Err("the remainder of [10] divided by zero has no value")),
        ("${10%0.0}", Ok("NaN")),
        ("${-7 mod 4}", Ok("-3")),
        ("${big + 1}", Ok("-9223372036854775808")),
        ("${-(big + 1)}", Ok("-9223372036854775808")),
        ("${(big + 1) % -1}", Ok("0")),
        ("${'3' + '4'}", Ok("7")),
        ("${5 + ' 5.0'}", Ok("10.0")),
        ("${-'1.5'}", Ok("-1.5")),
        ("${-e}", Ok("0")),
        ("${e + nothing}", Ok("0")),
        ("${nothing / nothing}", Ok("0")),
        ("${nothing / 5}", Ok("0.0")),
        ("${'abc' + 1}", Err("cannot convert [abc] of type [text] to an integer")),
        ("${true + 1}", Err("cannot convert [true] of type [boolean] to an integer")),
        ("${s * d}", Err("cannot convert [abc] of type [text] to a number")),
        ("${1e3} ${07} ${.5}", Ok("1000.0 7 0.5")),
    ] {
        check(text, expect);
    }
}

#[test]
fn comparison_and_logic() {
    for (text, expect) in [
        ("${x == 5} ${x eq '5'} ${1 == 1.0} ${'1' == 1}", Ok("true true true true")),
        ("${'2.0' == 2}", Err("cannot convert [2.0] of type [text] to an integer")),
        ("${'2.0' == 2.0} ${'Infinity' > d}", Ok("true true")),
        ("${'10' < '9'} ${10 < 9} ${'10' < 9}", Ok("true false false")),
        // U+10000 is two small units in Java's texts.
        ("${'\u{10000}' < '\u{ffff}'}", Ok("true")),
        ("${nothing == null} ${nothing == 0} ${nothing == ''}", Ok("true false false")),
        ("${nothing < 1} ${nothing <= null} ${nothing < null}", Ok("false true false")),
        ("${0/0 == 0/0} ${0/0 > 1/0} ${0.0 == -0.0}", Ok("true true false")),
        ("${true > false} ${true == 'TRUE'} ${'yes' == true}", Ok("true true false")),
        ("${1 < 2 < 3}", Err("cannot convert [true] of type [boolean] to an integer")),
        ("${list < list} ${map == map} ${map == '{k=v}'}", Ok("false true true")),
        ("${map < list}", Err("cannot compare a map with a list")),
        ("${1 && true}", Err("cannot convert [1] of type [integer] to a truth value")),
        ("${s ? 1 : 2}${'True' ? 1 : 2}${null ? 1 : 2}", Ok("212")),
        ("${empty ''}${empty ' '}${empty null}${empty 0}${empty list}", Ok("truefalsetruefalsefalse")),
    ] {
        check(text, expect);
    }
}

#[test]
fn members() {
    for (text, expect) in [
        ("${map.k}${map['k']}${map.missing}${map[1]}", Ok("vv")),
        ("${list[0]}${list['1']}${list[1.9]}${list[2]}${list[-1]}${list[null]}", Ok("1twotwo")),
        ("${nothing.foo.bar}${t:echo(map).k}", Ok("v")),
        ("${list.k}", Err("cannot convert [k] of type [text] to an integer")),
        ("${x.y.z}", Err("property [y] not found on type [text]")),
        ("${map.lt}", Err("expected a name, found the reserved word [lt]")),
        ("${s.trim()}", Err("expected an operator or '}', found [(]")),
    ] {
        check(text, expect);
    }
}

#[test]
fn only_what_is_needed_is_evaluated() {
    for (text, expect) in [("${false and t:x()}", 0), ("${true or t:x()}", 0), ("${true ? c() : t:x()}", 1)] {
        let mut world = TestScope::default();
        Template::parse(text).unwrap().evaluate(&mut world).unwrap();
        assert_eq!(world.calls, expect, "{text}");
    }
}

#[test]
fn malformed_expressions() {
    for (text, expect, marked) in [
        ("${}", "the expression is empty", "${}"),
        ("a ${ } b", "the expression is empty", "${ }"),
        ("a ${x", "this '${' is never closed", "${"),
        ("${f(x", "this '(' is never closed", "("),
        ("${(x}", "this '(' is never closed", "("),
        ("${map['k'}", "this '[' is never closed", "["),
        ("${'x}", "this ' is never closed", "'"),
        ("${empty}", "expected a value, found [}]", "}"),
        ("${lt}", "expected a value, found the reserved word [lt]", "lt"),
        ("${instanceof}", "expected a value, found the reserved word [instanceof]", "instanceof"),
        ("${x + + x}", "expected a value, found [+]", "+"),
        ("${a b}", "expected an operator or '}', found [b]", "b"),
        ("${(a b)}", "expected an operator or ')', found [b]", "b"),
        ("${a,b}", "expected an operator or '}', found [,]", ","),
        ("${coord:days}", "expected an operator or '}', found [:]", ":"),
        ("${a = 5}", "unexpected character [=] in an expression", "="),
        ("${a${b}}", "unexpected character [{] in an expression", "{"),
        ("${x ? 1}", "expected ':' and the other value, found [}]", "}"),
    ] {
        let error = Template::parse(text).unwrap_err();
        assert_eq!((error.message.as_str(), &text[error.span.start..error.span.end]), (expect, marked), "{text}");
    }
}

#[test]
fn names_that_do_not_resolve() {
    for (text, expect, marked, help) in [
        ("${undefinedVar}", "variable [undefinedVar] cannot be resolved", "undefinedVar", None),
        ("a ${empty nothin}", "variable [nothin] cannot be resolved", "nothin", Some("did you mean [nothing]?")),
        (
            "${my-var}",
            "variable [my] cannot be resolved",
            "my",
            Some("this subtracts [var] from [my]; only a function can read the property [my-var]"),
        ),
        (
            "${a.b}",
            "variable [a] cannot be resolved",
            "a",
            Some("this asks for the member [b] of [a]; only a function can read the property [a.b]"),
        ),
        ("${broken.x}", "the variable is broken", "broken", None),
        ("${t:ecko(1)}", "function [t:ecko] not found", "t:ecko", Some("did you mean [t:echo]?")),
        ("${foo()}", "function [foo] not found", "foo", Some("the functions that can be used here are t:echo, t:days")),
        ("${t:echo()}", "function [t:echo] takes 1 argument, not 0", "t:echo", Some("write t:echo(a)")),
        ("${t:days('x')}", "cannot convert [x] of type [text] to an integer", "t:days", None),
        (
            "${true ? x : c(1)}",
            "expected ':' and the other value, found [}]",
            "}",
            Some("[x:c] reads as the name of a function; write (x) : c"),
        ),
    ] {
        let error = evaluate(text).unwrap_err();
        let found = (error.message.as_str(), &text[error.span.start..error.span.end], error.help.as_deref());
        assert_eq!(found, (expect, marked, help), "{text}");
    }
}

#[test]
fn errors_have_a_code() {
    let error = evaluate("${a.b}").unwrap_err();
    assert!(error.is_unresolved());
    let error = error.into_error();
    assert_eq!(error.to_string(), "E1004: Expression language evaluation error, variable [a] cannot be resolved");
    assert!(error.help_text().is_some());
    let passed_through = evaluate("${t:coded()}").unwrap_err().into_error();
    assert_eq!(passed_through, Error::new(ErrorCode::E0906, "s3"));
}

#[test]
fn a_single_expression_keeps_its_type() {
    let value = |text| Template::parse(text).unwrap().evaluate_value(&mut TestScope::default()).unwrap();
    assert_eq!(value("${n}"), Value::Int(7));
    assert_eq!(value("${null}"), Value::Null);
    assert_eq!(value("${n}${n}"), "77".into());
    assert_eq!(value(" ${n}"), " 7".into());
    assert_eq!(value(""), "".into());
}

#[test]
fn a_template_lists_what_it_uses() {
    let text = "p${t:a((x), b(-y)) + c() ? x.k : list[z]}${true or w}";
    let template = Template::parse(text).unwrap();
    let calls: Vec<_> =
        template.calls().map(|call| (call.to_string(), &text[call.span.start..call.span.end])).collect();
    assert_eq!(
        calls,
        [("t:a(x, b(-y))", "t:a((x), b(-y))"), ("b(-y)", "b(-y)"), ("c()", "c()")].map(|(a, b)| (a.to_owned(), b))
    );
    let variables: Vec<_> = template.variables().map(|variable| variable.name).collect();
    assert_eq!(variables, ["x", "y", "x", "list", "z", "w"]);
    for variable in template.variables() {
        assert_eq!(&text[variable.span.start..variable.span.end], variable.name);
    }
}

#[test]
fn constants_are_known_without_a_scope() {
    for (text, expect) in [
        ("${-3}", Some(Value::Int(-3))),
        ("${'DAY'}", Some("DAY".into())),
        ("${24 * 60}", Some(Value::Int(1440))),
        ("${x}", None),
        ("${c()}", None),
        ("${1 % 0}", None),
    ] {
        let template = Template::parse(text).unwrap();
        assert_eq!(template.single_expression().and_then(Expr::as_constant), expect, "{text}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is about time")]
fn hostile_texts_are_refused_at_once() {
    let started = Instant::now();
    for unit in ["(", "${", "!", "-", "not ", "a[", "f(", "a?", "a?b:", "1+", "a.b", "'", "a:b(", "a ? b : "] {
        let text = format!("${{{}", unit.repeat(100_000));
        assert!(Template::parse(&text).is_err(), "{unit}");
    }
    // Work that grows with the square of the length would take many minutes.
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
}

#[test]
fn long_texts_take_time_in_proportion() {
    for (unit, expect) in [("${x}", "5"), ("{", "{"), ("$", "$"), (r"\", r"\"), ("#{", "#{"), (r"\${", "${")] {
        check(&unit.repeat(100_000), Ok(&expect.repeat(100_000)));
    }
}

#[test]
fn the_limits_are_reached_and_not_exceeded() {
    let nested = |levels: usize| format!("${{{}1{}}}", "(".repeat(levels), ")".repeat(levels));
    check(&nested(DEEPEST - 1), Ok("1"));
    check(&nested(DEEPEST), Err("the expression is nested more than 64 levels deep"));
    let chain = |operators: usize| format!("${{0{}}}", " + 1".repeat(operators));
    check(&chain(MOST_OPERATORS), Ok("500"));
    check(&chain(MOST_OPERATORS + 1), Err("the expression has more than 500 operators"));
    // The deepest recursion there is: all operators in a row, then every power of operator at every level.
    let (levels, unit) = ((DEEPEST - 2) / 7, "false or true and 1 == 1 < 1 + 1 * (");
    let row = " - 1".repeat(MOST_OPERATORS - 7 * levels);
    let deepest = format!("${{{}x{row}{}}}", unit.repeat(levels), ")".repeat(levels));
    let template = Template::parse(&deepest).unwrap();
    assert_eq!(Template::parse(&template.to_string()), Ok(template.clone()));
    assert_eq!(template.variables().count(), 1);
    assert!(template.evaluate(&mut TestScope::default()).is_err());
}

#[test]
fn prints_back() {
    for (text, expect) in [
        (r"a\${b}\\#{c}$${x}", r"a\${b}\\#{c}$${x}"),
        ("${((1+2))*3==4&&!x}", "${(1 + 2) * 3 eq 4 and not x}"),
        ("${a-(b-c)-d}", "${a - (b - c) - d}"),
        ("${(a?b:c)?(d?e:f):g.h}", "${(a ? (b) : c) ? (d ? (e) : f) : g['h']}"),
        ("${true ? (x) : c(1)}", "${true ? (x) : c(1)}"),
        ("${- -1e400 + \"it's\\\\\"}", r"${--1e999 + 'it\'s\\'}"),
        ("${(not a)[-(b)]}", "${(not a)[-b]}"),
    ] {
        let template = Template::parse(text).unwrap();
        assert_eq!(template.to_string(), expect, "{text}");
        assert_eq!(Template::parse(expect).as_ref(), Ok(&template), "{text}");
    }
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn call((prefix, name, arguments): (String, String, Vec<Expr>)) -> ExprKind {
    let nowhere = Span::default();
    ExprKind::Call(Box::new(Call { prefix, name, name_span: nowhere, span: nowhere, arguments }))
}

/// Returns the value of a template, or the message of its error; a NaN is written as one.
fn value_of(template: &Template) -> String {
    format!("{:?}", template.evaluate_value(&mut TestScope::default()).map_err(|error| error.message))
}

fn any_expression() -> impl Strategy<Value = Expr> {
    let names = vec!["a", "coord", "x1", "ü", "x", "n", "d", "nothing", "map", "list"];
    let name = prop::sample::select(names).prop_map(str::to_owned);
    let literal = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..=i64::MAX).prop_map(Value::Int),
        any::<f64>().prop_map(|number| Value::Float(if number.is_nan() { 0.0 } else { number.abs() })),
        any::<String>().prop_map(Value::from),
    ];
    let leaf =
        prop_oneof![literal.prop_map(ExprKind::Literal), name.clone().prop_map(ExprKind::Variable)].prop_map(node);
    let unary = prop::sample::select(vec![UnaryOperator::Negate, UnaryOperator::Not, UnaryOperator::Empty]);
    let binary = prop::sample::select(vec![
        BinaryOperator::Or,
        BinaryOperator::And,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::LessOrEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterOrEqual,
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Remainder,
    ]);
    leaf.prop_recursive(6, 40, 3, move |inner| {
        let prefix = prop_oneof![Just(String::new()), name.clone()];
        prop_oneof![
            (unary.clone(), inner.clone()).prop_map(|(operator, a)| ExprKind::Unary(operator, a.into())),
            (binary.clone(), inner.clone(), inner.clone()).prop_map(|(operator, a, b)| ExprKind::Binary(
                operator,
                a.into(),
                b.into()
            )),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| ExprKind::Member(a.into(), b.into())),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| ExprKind::Choice([a, b, c].into())),
            (prefix, name.clone(), prop::collection::vec(inner.clone(), 0..3)).prop_map(call),
            inner.prop_map(|argument| call(("t".to_owned(), "echo".to_owned(), vec![argument]))),
        ]
        .prop_map(node)
    })
}

proptest! {
    #[test]
    fn every_tree_prints_to_a_text_that_parses_to_it(expression in any_expression()) {
        let text = format!("${{{expression}}}");
        let template = Template::parse(&text).unwrap();
        prop_assert_eq!(template.single_expression(), Some(&expression), "{}", text);
        let again = Template::parse(&template.to_string()).unwrap();
        prop_assert_eq!(value_of(&again), value_of(&template), "{}", text);
    }

    #[test]
    fn every_literal_prints_to_a_text_of_its_value(
        text in any::<String>(), number in any::<f64>(), whole in any::<i64>(),
    ) {
        let negated = |kind| ExprKind::Unary(UnaryOperator::Negate, node(kind).into());
        let literal = |value: Value| node(ExprKind::Literal(value));
        let number = if number.is_nan() { 0.0 } else { number };
        for (expression, expect) in [
            (literal(text.as_str().into()), Value::from(text.as_str())),
            (literal(number.abs().into()), number.abs().into()),
            (node(negated(ExprKind::Literal(number.abs().into()))), (-number.abs()).into()),
            (literal(whole.saturating_abs().into()), whole.saturating_abs().into()),
        ] {
            let printed = format!("${{{expression}}}");
            let value = Template::parse(&printed).unwrap().evaluate_value(&mut NoNames).unwrap();
            prop_assert_eq!(value, expect, "{}", printed);
        }
    }

    #[test]
    fn what_parses_prints_to_a_text_that_parses_to_it(
        text in r"([ $#{}\\'a]|\$\{|x|:|\?|'y'|1|\.|-|\(|\)|f\(|\}){0,24}",
    ) {
        if let Ok(template) = Template::parse(&text) {
            prop_assert_eq!(Template::parse(&template.to_string()), Ok(template));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>(), inside in r"[ -~é→]{0,40}") {
        for text in [text.clone(), format!("${{{text}"), format!("${{{inside}}}")] {
            if let Err(error) = evaluate(&text) {
                prop_assert!(error.span.end <= text.len() && text.get(error.span.start..error.span.end).is_some());
            }
        }
    }
}

/// Has `n`, `token`, `data`, and the function `next`, which returns how often it was called.
#[derive(Default)]
struct Counting {
    calls: Cell<i64>,
}

impl Scope for Counting {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        let entries = [("token", "hunter2"), ("size", "7")].map(|(name, text)| (name.to_owned(), text.into()));
        Ok(match name {
            "n" => Some(Value::Int(5)),
            "token" => Some("hunter2".into()),
            "data" => Some(Value::Map(BTreeMap::from(entries))),
            _ => None,
        })
    }

    fn call(&mut self, _function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        self.calls.set(self.calls.get() + 1);
        Ok(arguments.first().cloned().unwrap_or(Value::Int(self.calls.get())))
    }
}

#[test]
fn only_what_was_used_is_replaced() {
    for (text, value, shown) in [
        ("a${n + 1}b", Some("a6b"), "a5 + 1b"),
        // One evaluation: the values of both calls differ, and no call happens for the text.
        ("${next() eq next()}", Some("false"), "1 eq 2"),
        ("${n eq 5 or next() eq 1}", Some("true"), "5 eq 5 or next() eq 1"),
        ("${n eq 4 and (n eq 5)}", Some("false"), "5 eq 4 and n eq 5"),
        ("${n eq 5 ? 'a' : n}", Some("a"), "5 eq 5 ? 'a' : n"),
        ("${n eq 5 and nope}", None, "5 eq 5 and nope"),
        ("${token}${empty token}", Some("hunter2false"), "'*****'empty '*****'"),
        ("${f(token) eq f(n)}", None, "'*****' eq 5"),
        ("${data.token}${data.size}", Some("hunter27"), "'*****''7'"),
        ("${data['to'] eq data}", Some("false"), "null eq {size=7, token=*****}"),
        ("${conf('api.key')}", Some("api.key"), "'*****'"),
    ] {
        let template = Template::parse(text).expect(text);
        let (result, seen) = template.evaluate_seen(&mut Counting::default());
        assert_eq!((result.ok().as_deref(), template.with_values(&seen).as_str()), (value, shown), "{text}");
    }
}
