//! The names that the script declares or binds at the current position.

use crate::tree::{Node, NodeKind, Renaming};
use agon_smtlib::Symbol;

/// The namespaces of SMT-LIB: sorts and functions have separate ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Function,
    Sort,
}

/// Counts, for each symbol, the declarations and open binders of that name.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    marks: Vec<Mark>,
    /// The declarations above the lowest level, in order.
    trail: Vec<(Space, usize)>,
    /// The `push` commands that are not undone: the length of the trail before each, and the number of levels it
    /// opened.
    levels: Vec<(usize, u64)>,
    /// The number of resets.
    resets: u32,
    /// Whether `pop` keeps declarations: the option `:global-declarations`.
    pub(crate) are_global: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    functions: u32,
    sorts: u32,
    /// The label, from `(! … :named symbol)`.
    label: Option<Label>,
    /// The number of resets before this mark. A mark from before the last reset is void, so that a reset need not clear
    /// all marks.
    resets: u32,
}

/// The label of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// The number of the command that contains the label.
    pub(crate) command: u32,
    /// Whether the label is renamed. Most labels keep their name.
    pub(crate) renaming: Renaming,
}

impl Scope {
    fn mark(&mut self, index: usize) -> &mut Mark {
        if index >= self.marks.len() {
            self.marks.resize(index + 1, Mark::default());
        }
        let mark = &mut self.marks[index];
        if mark.resets != self.resets {
            *mark = Mark { resets: self.resets, ..Mark::default() };
        }
        mark
    }

    fn count(&mut self, space: Space, index: usize) -> &mut u32 {
        let mark = self.mark(index);
        match space {
            Space::Function => &mut mark.functions,
            Space::Sort => &mut mark.sorts,
        }
    }

    /// Declares a name until the current level ends.
    pub(crate) fn enter(&mut self, space: Space, symbol: Symbol) {
        *self.count(space, symbol.index()) += 1;
        if !self.levels.is_empty() && !self.are_global {
            self.trail.push((space, symbol.index()));
        }
    }

    /// Opens this many levels.
    pub(crate) fn push(&mut self, count: u64) {
        if count > 0 {
            self.levels.push((self.trail.len(), count));
        }
    }

    /// Closes this many levels, and ends the scope of their declarations.
    pub(crate) fn pop(&mut self, mut count: u64) {
        while count > 0
            && let Some((start, opened)) = self.levels.pop()
        {
            for (space, index) in self.trail.split_off(start) {
                *self.count(space, index) -= 1;
            }
            if opened > count {
                self.levels.push((start, opened - count));
            }
            count = count.saturating_sub(opened);
        }
    }

    /// Closes all levels, and removes all declarations unless they are global, as `(reset-assertions)` does.
    pub(crate) fn reset_assertions(&mut self) {
        if self.are_global {
            self.levels.clear();
        } else {
            self.clear();
        }
    }

    /// Binds the name in a node.
    pub(crate) fn enter_node(&mut self, space: Space, node: Node) {
        if let NodeKind::Name { symbol, .. } = node.kind() {
            *self.count(space, symbol as usize) += 1;
        }
    }

    /// Ends the scope that [`Self::enter_node`] began.
    pub(crate) fn leave_node(&mut self, space: Space, node: Node) {
        if let NodeKind::Name { symbol, .. } = node.kind() {
            *self.count(space, symbol as usize) -= 1;
        }
    }

    fn known(&self, symbol: Symbol) -> Option<&Mark> {
        self.marks.get(symbol.index()).filter(|mark| mark.resets == self.resets)
    }

    /// Whether the script declares or binds a name at the current position.
    pub(crate) fn has(&self, space: Space, symbol: Symbol) -> bool {
        self.known(symbol).is_some_and(|mark| match space {
            Space::Function => mark.functions > 0,
            Space::Sort => mark.sorts > 0,
        })
    }

    /// Declares a label.
    pub(crate) fn set_label(&mut self, symbol: Symbol, label: Label) {
        self.mark(symbol.index()).label = Some(label);
    }

    /// The label with this name, if there is one.
    pub(crate) fn label(&self, symbol: Symbol) -> Option<Label> {
        self.known(symbol)?.label
    }

    /// Removes all levels and declarations, as `(reset)` does.
    pub(crate) fn clear(&mut self) {
        self.resets += 1;
        self.trail.clear();
        self.levels.clear();
        self.are_global = false;
    }
}
