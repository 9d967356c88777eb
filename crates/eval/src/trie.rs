//! Persistent maps from values to values that share structure: a change copies only one path, and equal maps have equal
//! indices.
//!
//! They are Patricia tries over the bits of the keys. Their shape depends only on their content, and each node is
//! stored once.

use crate::value::Value;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A map in [`Tries`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Trie(u32);

impl Trie {
    pub(crate) const EMPTY: Self = Self(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Empty,
    Leaf(Value, Value),
    /// Keys that agree in all bits above `bit`, split into those without and those with that bit.
    Branch {
        prefix: u32,
        bit: u32,
        without: Trie,
        with: Trie,
    },
}

/// All maps of an evaluation, each node stored once.
#[derive(Clone, Debug)]
pub(crate) struct Tries {
    /// The nodes, each with the number of its keys.
    nodes: Vec<(Node, u32)>,
    table: HashTable<u32>,
}

impl Default for Tries {
    fn default() -> Self {
        Self { nodes: vec![(Node::Empty, 0)], table: HashTable::new() }
    }
}

/// The bits of a key above a given bit.
fn above(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}

impl Tries {
    fn make(&mut self, node: Node, count: u32) -> Trie {
        let Self { nodes, table } = self;
        let hash = FxBuildHasher.hash_one(node);
        if let Some(&found) = table.find(hash, |&at| nodes[at as usize].0 == node) {
            return Trie(found);
        }
        let at = nodes.len() as u32;
        nodes.push((node, count));
        table.insert_unique(hash, at, |&at| FxBuildHasher.hash_one(nodes[at as usize].0));
        Trie(at)
    }

    /// A branch, or one of its sides if the other is empty.
    fn branch(&mut self, prefix: u32, bit: u32, without: Trie, with: Trie) -> Trie {
        if without == Trie::EMPTY {
            return with;
        }
        if with == Trie::EMPTY {
            return without;
        }
        let count = self.count(without) + self.count(with);
        self.make(Node::Branch { prefix, bit, without, with }, count)
    }

    /// The number of nodes, to bound memory.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of keys of a map.
    pub(crate) fn count(&self, trie: Trie) -> u32 {
        self.nodes[trie.0 as usize].1
    }

    pub(crate) fn get(&self, mut trie: Trie, key: Value) -> Option<Value> {
        loop {
            match self.nodes[trie.0 as usize].0 {
                Node::Empty => return None,
                Node::Leaf(own, value) => return (own == key).then_some(value),
                Node::Branch { prefix, bit, without, with } => {
                    if above(key.0, bit) != prefix {
                        return None;
                    }
                    trie = if key.0 & bit == 0 { without } else { with };
                }
            }
        }
    }

    /// The map with a key set to a value, or removed.
    pub(crate) fn set(&mut self, trie: Trie, key: Value, value: Option<Value>) -> Trie {
        let mut path = vec![];
        let mut at = trie;
        let mut changed = loop {
            match self.nodes[at.0 as usize].0 {
                Node::Branch { prefix, bit, without, with } if above(key.0, bit) == prefix => {
                    path.push((prefix, bit, without, with));
                    at = if key.0 & bit == 0 { without } else { with };
                }
                node => {
                    let leaf = value.map_or(Trie::EMPTY, |value| self.make(Node::Leaf(key, value), 1));
                    break match node {
                        Node::Empty => leaf,
                        Node::Leaf(own, _) if own == key => leaf,
                        _ if leaf == Trie::EMPTY => at,
                        Node::Leaf(own, _) => self.join(own.0, at, key.0, leaf),
                        Node::Branch { prefix, .. } => self.join(prefix, at, key.0, leaf),
                    };
                }
            }
        };
        for (prefix, bit, without, with) in path.into_iter().rev() {
            changed = if key.0 & bit == 0 {
                self.branch(prefix, bit, changed, with)
            } else {
                self.branch(prefix, bit, without, changed)
            };
        }
        changed
    }

    /// Joins two maps whose keys have different prefixes.
    fn join(&mut self, one_key: u32, one: Trie, other_key: u32, other: Trie) -> Trie {
        let bit = 1 << (one_key ^ other_key).ilog2();
        let prefix = above(one_key, bit);
        if one_key & bit == 0 { self.branch(prefix, bit, one, other) } else { self.branch(prefix, bit, other, one) }
    }

    /// All keys and their values, sorted by key.
    pub(crate) fn entries(&self, trie: Trie) -> Vec<(Value, Value)> {
        let mut found = vec![];
        let mut left = vec![trie];
        while let Some(trie) = left.pop() {
            match self.nodes[trie.0 as usize].0 {
                Node::Empty => {}
                Node::Leaf(key, value) => found.push((key, value)),
                Node::Branch { without, with, .. } => left.extend([with, without]),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn maps_depend_on_their_content_only() {
        let mut tries = Tries::default();
        let mut random = 12345_u32;
        let mut next = || {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12345);
            random >> 16
        };
        for _ in 0..50 {
            let (mut trie, mut map) = (Trie::EMPTY, BTreeMap::new());
            for _ in 0..200 {
                let key = Value(if next() % 3 == 0 { next() << 12 } else { next() % 64 });
                let value = (next() % 4 != 0).then(|| Value(next() % 8));
                trie = tries.set(trie, key, value);
                match value {
                    Some(value) => map.insert(key, value),
                    None => map.remove(&key),
                };
                assert_eq!(tries.get(trie, key), value);
            }
            let again = map.iter().rev().fold(Trie::EMPTY, |trie, (key, value)| tries.set(trie, *key, Some(*value)));
            assert_eq!(again, trie);
            assert_eq!(tries.entries(trie), map.into_iter().collect::<Vec<_>>());
        }
    }
}
