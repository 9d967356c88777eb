//! Names and literals as small numbers: each text is stored once.

use crate::hash::Hash;
use hashbrown::HashTable;

/// A text in [`Symbols`]: a name, or the digits of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// Its place in tables that are indexed by symbol: the first text that was interned is 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All texts that were seen, each once.
#[derive(Clone, Debug)]
pub struct Symbols {
    text: Vec<u8>,
    /// Where each symbol ends in `text`; the first is empty.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Default for Symbols {
    fn default() -> Self {
        Self { text: vec![], ends: vec![0], table: HashTable::new() }
    }
}

fn hash(text: &[u8]) -> u64 {
    Hash::new().with_bytes(text).finish()
}

fn slice<'a>(text: &'a [u8], ends: &[usize], symbol: u32) -> &'a [u8] {
    &text[ends[symbol as usize]..ends[symbol as usize + 1]]
}

impl Symbols {
    /// The symbol of this text.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        let hashed = hash(name);
        let symbol = self.len();
        let Self { text, ends, table } = self;
        if let Some(&found) = table.find(hashed, |&symbol| slice(text, ends, symbol) == name) {
            return Symbol(found);
        }
        text.extend_from_slice(name);
        ends.push(text.len());
        table.insert_unique(hashed, symbol, |&symbol| hash(slice(text, ends, symbol)));
        Symbol(symbol)
    }

    /// The symbol of this text, if it was seen before.
    pub fn find(&self, name: &[u8]) -> Option<Symbol> {
        self.table.find(hash(name), |&symbol| slice(&self.text, &self.ends, symbol) == name).map(|&found| Symbol(found))
    }

    /// The symbol with this index, if there is one.
    pub fn at(&self, index: usize) -> Option<Symbol> {
        u32::try_from(index).ok().filter(|&index| index < self.len()).map(Symbol)
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        slice(&self.text, &self.ends, symbol.0)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.ends.len() - 1).expect("fewer than four milliards of names fit into memory")
    }

    /// Forgets all symbols but the first `count`.
    pub(crate) fn truncate(&mut self, count: u32) {
        while self.len() > count {
            let last = self.len() - 1;
            let start = self.ends[last as usize];
            if let Ok(entry) = self.table.find_entry(hash(&self.text[start..]), |&symbol| symbol == last) {
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
    fn each_text_once_and_forgotten_in_order() {
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
