//! Regular languages with complement and intersection, decided by derivatives (Brzozowski).

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A language in [`Regexes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Regex(u32);

impl Regex {
    /// The empty language.
    pub(crate) const NONE: Self = Self(0);
    /// The language with only the empty string.
    pub(crate) const EMPTY: Self = Self(1);
    /// The language of all strings.
    pub(crate) const ALL: Self = Self(2);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    None,
    Empty,
    All,
    /// One character from a range.
    Range(u32, u32),
    Concat(Regex, Regex),
    /// A repetition, with the minimum and optionally the maximum number of times.
    Repeat(Regex, u64, Option<u64>),
    /// At least two parts, sorted, none of them a union.
    Union(Box<[Regex]>),
    /// At least two parts, sorted, none of them an intersection.
    Inter(Box<[Regex]>),
    Not(Regex),
}

/// The maximum total number of parts of unions and intersections.
const MOST_PARTS: usize = 100_000_000;

/// All languages of an evaluation, each stored once.
#[derive(Clone, Debug)]
pub(crate) struct Regexes {
    nodes: Vec<Node>,
    /// Whether each language contains the empty string.
    nullable: Vec<bool>,
    table: HashTable<u32>,
    derivatives: FxHashMap<(Regex, u32), Regex>,
    /// The total number of parts of unions and intersections.
    parts: usize,
}

impl Default for Regexes {
    fn default() -> Self {
        let mut regexes = Self {
            nodes: vec![],
            nullable: vec![],
            table: HashTable::new(),
            derivatives: FxHashMap::default(),
            parts: 0,
        };
        for node in [Node::None, Node::Empty, Node::All] {
            regexes.make(node);
        }
        regexes
    }
}

impl Regexes {
    /// Stores a language, unless it is already stored.
    fn make(&mut self, node: Node) -> Regex {
        let hash = FxBuildHasher.hash_one(&node);
        let Self { nodes, nullable, table, parts: all_parts, .. } = self;
        if let Some(&found) = table.find(hash, |&at| nodes[at as usize] == node) {
            return Regex(found);
        }
        let is = |regex: &Regex| nullable[regex.0 as usize];
        let empty = match &node {
            Node::None | Node::Range(..) => false,
            Node::Empty | Node::All => true,
            Node::Concat(one, other) => is(one) && is(other),
            Node::Repeat(inner, least, _) => *least == 0 || is(inner),
            Node::Union(parts) => parts.iter().any(is),
            Node::Inter(parts) => parts.iter().all(is),
            Node::Not(inner) => !is(inner),
        };
        if let Node::Union(parts) | Node::Inter(parts) = &node {
            *all_parts += parts.len();
        }
        let at = nodes.len() as u32;
        nodes.push(node);
        nullable.push(empty);
        table.insert_unique(hash, at, |&at| FxBuildHasher.hash_one(&nodes[at as usize]));
        Regex(at)
    }

    fn node(&self, regex: Regex) -> &Node {
        &self.nodes[regex.0 as usize]
    }

    /// The approximate number of stored items, to bound memory.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() + self.derivatives.len() + self.parts / 8
    }

    fn is_nullable(&self, regex: Regex) -> bool {
        self.nullable[regex.0 as usize]
    }

    pub(crate) fn range(&mut self, low: u32, high: u32) -> Regex {
        if low > high { Regex::NONE } else { self.make(Node::Range(low, high)) }
    }

    /// The language of a single string.
    pub(crate) fn literal(&mut self, letters: &[u32]) -> Regex {
        letters.iter().rev().fold(Regex::EMPTY, |rest, letter| {
            let first = self.range(*letter, *letter);
            self.concat(first, rest)
        })
    }

    pub(crate) fn concat(&mut self, one: Regex, other: Regex) -> Regex {
        match (one, other) {
            (Regex::NONE, _) | (_, Regex::NONE) => Regex::NONE,
            (Regex::EMPTY, rest) | (rest, Regex::EMPTY) => rest,
            (Regex::ALL, Regex::ALL) => Regex::ALL,
            _ => self.make(Node::Concat(one, other)),
        }
    }

    pub(crate) fn repeat(&mut self, inner: Regex, least: u64, most: Option<u64>) -> Regex {
        match (least, most) {
            (least, Some(most)) if least > most => Regex::NONE,
            (0, Some(0)) => Regex::EMPTY,
            (1, Some(1)) => inner,
            (0, _) if matches!(inner, Regex::NONE | Regex::EMPTY) => Regex::EMPTY,
            _ if matches!(inner, Regex::NONE | Regex::EMPTY) => inner,
            (_, None) if inner == Regex::ALL => Regex::ALL,
            (0, None) if matches!(self.node(inner), Node::Repeat(_, 0 | 1, None)) => {
                let Node::Repeat(inner, ..) = *self.node(inner) else { return inner };
                self.make(Node::Repeat(inner, 0, None))
            }
            (0, None) if matches!(self.node(inner), Node::Range(0, high) if *high >= crate::list_operations::HIGHEST) => {
                Regex::ALL
            }
            _ => self.make(Node::Repeat(inner, least, most)),
        }
    }

    pub(crate) fn union(&mut self, parts: &[Regex]) -> Regex {
        let mut all = vec![];
        for part in parts {
            match self.node(*part) {
                Node::None => {}
                Node::All => return Regex::ALL,
                Node::Union(inner) => all.extend_from_slice(inner),
                _ => all.push(*part),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => Regex::NONE,
            [one] => one,
            _ => self.make(Node::Union(all.into())),
        }
    }

    pub(crate) fn inter(&mut self, parts: &[Regex]) -> Regex {
        let mut all = vec![];
        for part in parts {
            match self.node(*part) {
                Node::None => return Regex::NONE,
                Node::All => {}
                Node::Inter(inner) => all.extend_from_slice(inner),
                _ => all.push(*part),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => Regex::ALL,
            [one] => one,
            _ => self.make(Node::Inter(all.into())),
        }
    }

    pub(crate) fn not(&mut self, inner: Regex) -> Regex {
        match *self.node(inner) {
            Node::None => Regex::ALL,
            Node::All => Regex::NONE,
            Node::Not(inner) => inner,
            _ => self.make(Node::Not(inner)),
        }
    }

    /// The derivative by a character: the remainders of all strings in the language that begin with that character.
    /// Each part that is examined consumes fuel; `None` if the fuel runs out.
    fn derivative(&mut self, regex: Regex, letter: u32, fuel: &mut u64) -> Option<Regex> {
        enum Step {
            /// Push the derivative of this language.
            Derive(Regex),
            /// Build the derivative of this language from those of its parts, which are on the stack.
            Build(Regex),
        }
        let mut steps = vec![Step::Derive(regex)];
        let mut done: Vec<Regex> = vec![];
        while let Some(step) = steps.pop() {
            *fuel = fuel.checked_sub(1)?;
            match step {
                Step::Derive(regex) => {
                    if let Some(known) = self.derivatives.get(&(regex, letter)) {
                        done.push(*known);
                        continue;
                    }
                    match self.node(regex) {
                        Node::None | Node::Empty => done.push(Regex::NONE),
                        Node::All => done.push(Regex::ALL),
                        Node::Range(low, high) => {
                            done.push(if (*low..=*high).contains(&letter) { Regex::EMPTY } else { Regex::NONE });
                        }
                        Node::Concat(one, other) => {
                            let (one, other) = (*one, *other);
                            steps.push(Step::Build(regex));
                            if self.is_nullable(one) {
                                steps.push(Step::Derive(other));
                            }
                            steps.push(Step::Derive(one));
                        }
                        Node::Repeat(inner, ..) | Node::Not(inner) => {
                            let inner = *inner;
                            steps.extend([Step::Build(regex), Step::Derive(inner)]);
                        }
                        Node::Union(parts) | Node::Inter(parts) => {
                            steps.push(Step::Build(regex));
                            steps.extend(parts.iter().rev().map(|part| Step::Derive(*part)));
                        }
                    }
                }
                Step::Build(regex) => {
                    // Large unions cost time and memory.
                    let size = |node: &Node| match node {
                        Node::Union(parts) | Node::Inter(parts) => parts.len() as u64,
                        _ => 0,
                    };
                    *fuel = fuel
                        .checked_sub(size(self.node(regex)) + done.last().map_or(0, |last| size(self.node(*last))))?;
                    if self.parts > MOST_PARTS {
                        return None;
                    }
                    let built = self.build(&self.node(regex).clone(), &mut done)?;
                    self.derivatives.insert((regex, letter), built);
                    done.push(built);
                }
            }
        }
        done.pop()
    }

    /// The derivative of a node from those of its parts, which are popped from the stack.
    fn build(&mut self, node: &Node, done: &mut Vec<Regex>) -> Option<Regex> {
        Some(match node {
            Node::Concat(one, other) => {
                let after = if self.is_nullable(*one) { done.pop()? } else { Regex::NONE };
                let first = self.concat(done.pop()?, *other);
                self.union(&[first, after])
            }
            Node::Repeat(inner, least, most) => {
                // This is correct even if the repeated language contains the empty string, since repetitions that
                // match the empty string can be skipped.
                let rest = self.repeat(*inner, least.saturating_sub(1), most.map(|most| most - 1));
                self.concat(done.pop()?, rest)
            }
            Node::Not(_) => self.not(done.pop()?),
            Node::Union(parts) => {
                let parts = done.split_off(done.len() - parts.len());
                self.union(&parts)
            }
            Node::Inter(parts) => {
                let parts = done.split_off(done.len() - parts.len());
                self.inter(&parts)
            }
            Node::None | Node::Empty | Node::All | Node::Range(..) => Regex::NONE,
        })
    }

    /// Whether a language contains a string; `None` if the fuel runs out.
    pub(crate) fn contains(&mut self, regex: Regex, letters: &[u32], fuel: &mut u64) -> Option<bool> {
        let mut regex = regex;
        for letter in letters {
            if matches!(regex, Regex::NONE | Regex::ALL) {
                break;
            }
            regex = self.derivative(regex, *letter, fuel)?;
        }
        Some(self.is_nullable(regex))
    }

    /// The leftmost, shortest match at or after a position that has at least `least` characters. The outer `None` means
    /// that the fuel ran out.
    pub(crate) fn find(
        &mut self,
        regex: Regex,
        letters: &[u32],
        from: usize,
        least: usize,
        fuel: &mut u64,
    ) -> Option<Option<(usize, usize)>> {
        for start in from..=letters.len() {
            let mut rest = regex;
            for end in start..=letters.len() {
                if end - start >= least && self.is_nullable(rest) {
                    return Some(Some((start, end)));
                }
                if rest == Regex::NONE || end == letters.len() {
                    break;
                }
                rest = self.derivative(rest, letters[end], fuel)?;
            }
        }
        Some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(regexes: &mut Regexes, regex: Regex, text: &str) -> bool {
        let letters: Vec<u32> = text.chars().map(u32::from).collect();
        regexes.contains(regex, &letters, &mut 1_000_000).unwrap()
    }

    #[test]
    fn operators_have_the_right_derivatives() {
        let mut all = Regexes::default();
        let (a, b) = (all.literal(&[97]), all.literal(&[98]));
        let ab = all.concat(a, b);
        let star = all.repeat(ab, 0, None);
        let not_star = all.not(star);
        let bounded = all.repeat(a, 2, Some(3));
        let both = all.inter(&[star, not_star]);
        let either = all.union(&[star, not_star]);
        for (text, in_star, in_bounded) in [
            ("", true, false),
            ("abab", true, false),
            ("aba", false, false),
            ("aa", false, true),
            ("aaaa", false, false),
        ] {
            assert_eq!(has(&mut all, star, text), in_star, "{text}");
            assert_eq!(has(&mut all, not_star, text), !in_star, "{text}");
            assert_eq!(has(&mut all, bounded, text), in_bounded, "{text}");
            assert!(!has(&mut all, both, text));
            assert!(has(&mut all, either, text));
        }
        let many = all.repeat(bounded, 1_000_000_000, Some(2_000_000_000));
        assert!(!has(&mut all, many, "aaaa"));
    }

    #[test]
    fn the_leftmost_shortest_match_is_found() {
        let mut all = Regexes::default();
        let a = all.range(97, 97);
        let plus = all.repeat(a, 1, None);
        let letters: Vec<u32> = "bbaaab".chars().map(u32::from).collect();
        assert_eq!(all.find(plus, &letters, 0, 0, &mut 1000), Some(Some((2, 3))));
        let star = all.repeat(a, 0, None);
        assert_eq!(all.find(star, &letters, 0, 0, &mut 1000), Some(Some((0, 0))));
        assert_eq!(all.find(star, &letters, 0, 1, &mut 1000), Some(Some((2, 3))));
        assert_eq!(all.find(plus, &letters, 5, 0, &mut 1000), Some(None));
        assert_eq!(all.find(plus, &letters, 0, 0, &mut 1), None);
    }
}
