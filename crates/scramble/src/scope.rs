//! Which names mean something of the script's own at the place that was read last.

use crate::tree::{Kind, Node};
use agon_smtlib::Symbol;

/// What a name can stand for. Sorts and functions have separate name spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Function,
    Sort,
}

/// Counts, for each symbol, the declarations and open binders of that name.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    functions: u32,
    sorts: u32,
    /// From `(! … :named symbol)`.
    label: Option<Label>,
}

/// A name that a term was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// The number of the command that the term is in.
    pub(crate) command: u32,
    /// Whether it gets a new name: others keep theirs.
    pub(crate) is_renamed: bool,
}

impl Scope {
    fn mark(&mut self, index: usize) -> &mut Mark {
        if index >= self.marks.len() {
            self.marks.resize(index + 1, Mark::default());
        }
        &mut self.marks[index]
    }

    fn count(&mut self, space: Space, index: usize) -> &mut u32 {
        let mark = self.mark(index);
        match space {
            Space::Function => &mut mark.functions,
            Space::Sort => &mut mark.sorts,
        }
    }

    /// Declares or binds a name.
    pub(crate) fn enter(&mut self, space: Space, symbol: Symbol) {
        *self.count(space, symbol.index()) += 1;
    }

    /// Binds a name that a node holds.
    pub(crate) fn enter_node(&mut self, space: Space, node: Node) {
        if let Kind::Name { symbol, .. } = node.kind() {
            *self.count(space, symbol as usize) += 1;
        }
    }

    /// Ends what [`Self::enter_node`] began.
    pub(crate) fn leave_node(&mut self, space: Space, node: Node) {
        if let Kind::Name { symbol, .. } = node.kind() {
            *self.count(space, symbol as usize) -= 1;
        }
    }

    /// Whether a name means something of the script's own.
    pub(crate) fn has(&self, space: Space, symbol: Symbol) -> bool {
        self.marks.get(symbol.index()).is_some_and(|mark| match space {
            Space::Function => mark.functions > 0,
            Space::Sort => mark.sorts > 0,
        })
    }

    /// Gives a term a label.
    pub(crate) fn set_label(&mut self, symbol: Symbol, label: Label) {
        self.mark(symbol.index()).label = Some(label);
    }

    /// The label of this name.
    pub(crate) fn label(&self, symbol: Symbol) -> Option<Label> {
        self.marks.get(symbol.index())?.label
    }

    /// Forgets everything, as `(reset)` does.
    pub(crate) fn clear(&mut self) {
        self.marks.clear();
    }
}
