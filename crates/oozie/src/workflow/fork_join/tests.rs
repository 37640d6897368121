use super::super::testing::{joined, workflow};
use super::super::validate::{ForkJoinCheck, validate};
use super::*;

fn check(shape: &str, graph: &str, expect: &str) {
    let graph = format!("{graph}; kill k; end e");
    let errors = validate(&workflow(&graph), ForkJoinCheck::On);
    let code = errors.first().map_or("accepted", |error| error.code().as_str());
    assert_eq!(code, expect, "{shape}: {graph}");
    if expect != "accepted" {
        let unchecked = validate(&workflow(&graph), ForkJoinCheck::Off);
        assert!(unchecked.iter().all(Error::is_warning), "{shape}: {graph}");
    }
}

#[test]
fn accepts_the_shapes_that_oozie_accepts() {
    for (shape, graph) in [
        ("one pair", "start f; fork f a b; action a j k; action b j k; join j e"),
        (
            "nested pairs",
            "start f; fork f g c; fork g a b; action a i k; action b i k; join i j; action c j k; join j e",
        ),
        ("a path that goes directly to the join", "start f; fork f j a; action a j k; join j e"),
        (
            "a decision in a branch whose cases go to join, kill and action",
            "start f; fork f d a; decision d j k b; action b j k; action a j k; join j e",
        ),
        (
            "a decision in a branch whose cases converge",
            "start f; fork f d x; decision d a b; action a c k; action b c k; action c j k; action x j k; join j e",
        ),
        ("a decision whose cases converge", "start d; decision d a b; action a c k; action b c k; action c e k"),
        (
            "one target several times from a chain of decisions",
            "start d; decision d a c g; decision c a b g; decision g a b b; action a e k; action b e k",
        ),
        ("an error transition from a branch to kill", "start f; fork f a j; action a j k; join j e"),
        ("an error transition to another branch's action", "start f; fork f a b; action a j k; action b j a; join j e"),
        (
            "error transitions to one recovery action",
            "start f; fork f a b; action a j r; action b j r; action r j k; join j e",
        ),
        (
            "an error transition to another pair within the branch",
            "start f; fork f a b; action a j k; action b j g; join j e; fork g c d; action c h k; action d h k; join h \
             j",
        ),
        (
            "an error transition to another pair that meets the same successor",
            "start a; action a f g; fork f b c; action b i k; action c i k; join i z; fork g x y; action x j k; \
             action y j k; join j z; action z e k",
        ),
        (
            "a decision between two pairs",
            "start d; decision d f g; fork f a b; action a i k; action b i k; join i e; fork g x y; action x j k; \
             action y j k; join j e",
        ),
        (
            "a decision between two pairs that meet",
            "start d; decision d f g; fork f a b; action a i k; action b i k; join i z; fork g x y; action x j k; \
             action y j k; join j z; action z e k",
        ),
        (
            "two pairs in sequence",
            "start f; fork f a b; action a i k; action b i k; join i g; fork g x y; action x j k; action y j k; join j \
             e",
        ),
        (
            "several ways to one kill and one end outside of forks",
            "start d; decision d a b e k; action a e k; action b e k",
        ),
        ("a path to kill beside one to the join", "start f; fork f k x; action x k j; join j e"),
    ] {
        check(shape, graph, "accepted");
    }
}

#[test]
fn refuses_the_shapes_that_oozie_refuses() {
    for (shape, graph, code) in [
        ("a branch to the end", "start f; fork f a b; action a e k; action b j k; join j e", "E0737"),
        ("a case of a branch to the end", "start f; fork f d b; decision d e j; action b j k; join j e", "E0737"),
        (
            "an error path to a fork with a branch to the end",
            "start a; action a e f; fork f b c; action b e k; action c j k; join j e",
            "E0737",
        ),
        (
            "two branches that share an action",
            "start f; fork f a b; action a c k; action b c k; action c j k; join j e",
            "E0743",
        ),
        (
            "the same, one of them behind a decision",
            "start f; fork f d b; decision d a c; action a j k; action b c k; action c j k; join j e",
            "E0743",
        ),
        (
            "branches that end in two joins",
            "start f; fork f g x; fork g a b; action a i k; action b j k; join i j; action x j k; join j e",
            "E0757",
        ),
        (
            "a join of two forks",
            "start f; fork f g a; fork g b c; action a j k; action b j k; action c j k; join j i; join i e",
            "E0758",
        ),
        ("a join without fork", "start j; join j f; fork f a b; action a e k; action b e k", "E0742"),
        (
            "an inner join that leads to the join of an unrelated fork",
            "start d; decision d g f; fork g x y; action x j k; action y j k; join j e; fork f a b; action a i k; \
             action b i k; join i j",
            "E0742",
        ),
        ("a fork that no join closes", "start a; action a f j; fork f k x; action x k k; join j e", "E0733"),
        ("more joins than forks", "start f; fork f a b; action a j k; action b j k; join j i; join i e", "E0730"),
        ("more forks than joins", "start f; fork f k k; action a j k; join j e", "E0730"),
        ("a fork that names an action twice", "start f; fork f a a; action a j k; join j e", "E0744"),
        ("a fork that names its join twice, where Oozie hangs", "start f; fork f j j; join j e", "E0744"),
        ("a fork that names a kill twice", "start f; fork f k k a; action a j k; join j e", "E0744"),
    ] {
        check(shape, graph, code);
    }
}

#[test]
fn a_thousand_nested_forks_are_no_deep_recursion() {
    let forks = joined(0..1000, |n| format!("fork f{n} f{} a{n}; action a{n} j{n} k; ", n + 1));
    let joins = joined(1..1000, |n| format!("join j{n} j{}; ", n - 1));
    let graph = format!("start f0; {forks}action f1000 j999 k; {joins}join j0 e");
    check("a thousand pairs in each other", &graph, "accepted");
}
