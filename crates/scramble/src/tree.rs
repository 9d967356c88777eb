//! The syntax tree of commands, with eight bytes per atom and per list.

use crate::keywords::Word;
use agon_smtlib::{Symbol, Symbols};
use std::ops::Range;

/// An atom or a list, packed into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(u64);

/// Whether a name is replaced with a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renaming {
    /// The script declares or binds the name.
    Renamed,
    /// The name belongs to a theory, or is a label that keeps its name.
    Kept,
}

/// The kind of a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A symbol that may be renamed.
    Name {
        symbol: u32,
        /// Whether the name is written between bars.
        quoted: bool,
        renaming: Renaming,
    },
    /// A part of the script, printed as written.
    Text { start: u32, len: u32 },
    /// A word that is printed regardless of the script.
    Word(Word),
    /// A list, as a range of nodes in the tree.
    List { start: u32, len: u32 },
    /// An annotation `(! term attribute …)` of which only the term is printed.
    Bare { start: u32, len: u32 },
}

const NAME: u64 = 0;
const TEXT: u64 = 1;
const WORD: u64 = 2;
const LIST: u64 = 3;
const BARE: u64 = 4;

/// The maximum length of a text or list, for which a node has 29 bits. A list cannot exceed it, since a script has at
/// most twice as many bytes and each item takes at least two.
pub(crate) const LONGEST: usize = (1 << 29) - 1;

impl Node {
    fn pack(tag: u64, len: u64, start: u32) -> Self {
        Self(tag << 61 | len << 32 | u64::from(start))
    }

    pub(crate) fn name(symbol: Symbol, quoted: bool, renaming: Renaming) -> Self {
        Self::pack(NAME, u64::from(quoted) | u64::from(renaming == Renaming::Renamed) << 1, symbol.index() as u32)
    }

    /// A part of the script, which must not be longer than [`LONGEST`].
    pub(crate) fn text(place: Range<usize>) -> Self {
        Self::pack(TEXT, place.len() as u64, place.start as u32)
    }

    pub(crate) fn word(word: Word) -> Self {
        Self::pack(WORD, 0, word.number())
    }

    pub(crate) fn kind(self) -> NodeKind {
        let (start, len) = (self.0 as u32, (self.0 >> 32) as u32 & LONGEST as u32);
        match self.0 >> 61 {
            NAME => {
                let renaming = if len & 2 != 0 { Renaming::Renamed } else { Renaming::Kept };
                NodeKind::Name { symbol: start, quoted: len & 1 != 0, renaming }
            }
            TEXT => NodeKind::Text { start, len },
            WORD => NodeKind::Word(Word::numbered(start)),
            LIST => NodeKind::List { start, len },
            _ => NodeKind::Bare { start, len },
        }
    }
}

/// The lists of the commands that have not been printed yet.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    items: Vec<Node>,
}

impl Tree {
    /// Creates a list of these items.
    pub(crate) fn list(&mut self, items: &[Node]) -> Node {
        self.add(LIST, items)
    }

    /// Creates a list of which only the second item is printed.
    pub(crate) fn bare(&mut self, items: &[Node]) -> Node {
        self.add(BARE, items)
    }

    fn add(&mut self, tag: u64, items: &[Node]) -> Node {
        let start = u32::try_from(self.items.len()).expect("a script of a gigabyte has fewer items");
        debug_assert!(items.len() <= LONGEST);
        self.items.extend_from_slice(items);
        Node::pack(tag, items.len() as u64, start)
    }

    /// The items of a list; empty for an atom.
    pub(crate) fn items(&self, list: Node) -> &[Node] {
        &self.items[Self::range(list)]
    }

    pub(crate) fn items_mut(&mut self, list: Node) -> &mut [Node] {
        &mut self.items[Self::range(list)]
    }

    /// The positions of a list's items; empty for an atom.
    pub(crate) fn range(list: Node) -> Range<usize> {
        match list.kind() {
            NodeKind::List { start, len } | NodeKind::Bare { start, len } => {
                start as usize..start as usize + len as usize
            }
            NodeKind::Name { .. } | NodeKind::Text { .. } | NodeKind::Word(_) => 0..0,
        }
    }

    pub(crate) fn at(&self, place: usize) -> Node {
        self.items[place]
    }

    /// The number of items in all lists.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Marks names in the items from `first` on as renamed if the script has declared them since.
    pub(crate) fn own_names_from(&mut self, first: usize, is_own: impl Fn(Symbol) -> bool, symbols: &Symbols) {
        for item in &mut self.items[first..] {
            if let NodeKind::Name { symbol, quoted, renaming: Renaming::Kept } = item.kind()
                && let Some(symbol) = symbols.at(symbol as usize).filter(|symbol| is_own(*symbol))
            {
                *item = Node::name(symbol, quoted, Renaming::Renamed);
            }
        }
    }

    /// Removes all lists.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_round_trips() {
        let mut tree = Tree::default();
        let text = Node::text(usize::try_from(u32::MAX).unwrap() - 7..usize::try_from(u32::MAX).unwrap());
        assert_eq!(text.kind(), NodeKind::Text { start: u32::MAX - 7, len: 7 });
        let list = tree.list(&[text, Node::word(crate::keywords::LET)]);
        assert_eq!(tree.items(list), [text, Node::word(crate::keywords::LET)]);
        assert_eq!(tree.bare(&[]).kind(), NodeKind::Bare { start: 2, len: 0 });
        assert!(tree.items(text).is_empty());
    }
}
