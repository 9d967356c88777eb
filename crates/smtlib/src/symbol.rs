//! Interned names and literals: each text is stored once and identified by a number.

use crate::hash::{Hash, word_of};
use hashbrown::HashTable;
use std::hash::Hasher as _;

/// A text in [`Symbols`]: a name, or the digits of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Its index in tables by symbol: the first text that was interned is 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All texts, each stored once.
#[derive(Clone, Debug)]
pub struct Symbols {
    text: Vec<u8>,
    /// The end of each symbol in `text`, after a leading 0.
    ends: Vec<usize>,
    table: HashTable<Entry>,
}

/// An entry of the hash table. `word` contains the bytes of a short symbol, or the hash of a longer one.
#[derive(Clone, Copy, Debug)]
struct Entry {
    word: u64,
    length: u32,
    symbol: u32,
}

impl Entry {
    const SHORT: usize = 8;

    fn of(name: &[u8], symbol: u32) -> Self {
        let word = if name.len() <= Self::SHORT { word_of(name) } else { Hash::new().with_bytes(name).finish() };
        Self { word, length: name.len() as u32, symbol }
    }

    fn hash(&self) -> u64 {
        Hash::new().with(self.word ^ u64::from(self.length) << 56).so_far()
    }

    fn is_like(&self, other: &Self) -> bool {
        self.word == other.word && self.length == other.length
    }

    fn is_short(&self) -> bool {
        self.length as usize <= Self::SHORT
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self { text: vec![], ends: vec![0], table: HashTable::new() }
    }
}

fn slice<'a>(text: &'a [u8], ends: &[usize], symbol: u32) -> &'a [u8] {
    &text[ends[symbol as usize]..ends[symbol as usize + 1]]
}

impl Symbols {
    /// The symbol of this text, which is added if it is new.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        let entry = Entry::of(name, self.len());
        if let Some(found) = self.find_entry(entry, name) {
            return found;
        }
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        self.table.insert_unique(entry.hash(), entry, Entry::hash);
        Symbol(entry.symbol)
    }

    /// The symbol of this text, if it is known.
    pub fn find(&self, name: &[u8]) -> Option<Symbol> {
        self.find_entry(Entry::of(name, 0), name)
    }

    #[inline]
    fn find_entry(&self, wanted: Entry, name: &[u8]) -> Option<Symbol> {
        let is = |entry: &Entry| {
            entry.is_like(&wanted) && (entry.is_short() || slice(&self.text, &self.ends, entry.symbol) == name)
        };
        self.table.find(wanted.hash(), is).map(|entry| Symbol(entry.symbol))
    }

    /// The symbol with this index, if there is one.
    pub fn at(&self, index: usize) -> Option<Symbol> {
        u32::try_from(index).ok().filter(|&index| index < self.len()).map(Symbol)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        slice(&self.text, &self.ends, symbol.0)
    }

    /// The number of symbols.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.ends.len() - 1).expect("fewer than four billion names fit into memory")
    }

    /// Removes all symbols except the first `count`.
    pub(crate) fn truncate(&mut self, count: u32) {
        while self.len() > count {
            let last = self.len() - 1;
            let start = self.ends[last as usize];
            let entry = Entry::of(&self.text[start..], last);
            if let Ok(entry) = self.table.find_entry(entry.hash(), |entry| entry.symbol == last) {
                entry.remove();
            }
            self.text.truncate(start);
            self.ends.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_interned_once_and_removed_by_truncation() {
        let mut symbols = Symbols::default();
        let (a, b) = (symbols.intern(b"a"), symbols.intern(b"b"));
        assert_eq!(symbols.intern(b"a"), a);
        assert_ne!(a, b);
        assert_eq!(symbols.text(b), b"b");
        symbols.intern(b"");
        symbols.truncate(1);
        assert_eq!(symbols.find(b"b"), None);
        assert_eq!(symbols.find(b"a"), Some(a));
        assert_eq!(symbols.intern(b"c"), b);
    }
}
