//! New names for the symbols of a script.

use crate::generator::Generator;
use agon_smtlib::{Symbol, Symbols};

/// Gives each name that the script declares or binds a number, in order of appearance, and permutes the numbers of each
/// segment. Equal spellings have equal numbers everywhere: renaming is one to one on spellings, so scopes do not
/// change.
#[derive(Debug)]
pub(crate) struct Names {
    /// By symbol: its id, from 1; 0 for none.
    ids: Vec<u32>,
    /// By id: the number in the new name. Entry 0 means no name.
    numbers: Vec<u32>,
    /// The first id of the segment.
    fresh: usize,
}

/// A symbol that was printed under its own name and keeps it, as in the official tool.
const KEPT: u32 = u32::MAX;

impl Default for Names {
    fn default() -> Self {
        Self { ids: vec![], numbers: vec![0], fresh: 1 }
    }
}

impl Names {
    fn id(&mut self, symbol: u32) -> &mut u32 {
        let at = symbol as usize;
        if at >= self.ids.len() {
            self.ids.resize(at + 1, 0);
        }
        &mut self.ids[at]
    }

    /// Gives a symbol a number unless it has one.
    pub(crate) fn register(&mut self, symbol: Symbol) {
        self.register_index(symbol.index() as u32);
    }

    /// Gives the symbol with this index a number unless it has one.
    pub(crate) fn register_index(&mut self, symbol: u32) {
        let next = u32::try_from(self.numbers.len()).expect("there are fewer names than symbols");
        let id = self.id(symbol);
        if *id == 0 {
            *id = next;
            self.numbers.push(next);
        }
    }

    /// Permutes the numbers given since the last call.
    pub(crate) fn permute(&mut self, random: &mut Generator) {
        let end = self.numbers.len();
        for at in self.fresh..end.saturating_sub(1) {
            let other = at + random.draw(end - at);
            self.numbers.swap(at, other);
        }
        self.fresh = end;
    }

    /// The number in a symbol's new name, if it has one.
    pub(crate) fn number(&self, symbol: u32) -> Option<u32> {
        match self.ids.get(symbol as usize) {
            None | Some(&(0 | KEPT)) => None,
            Some(&id) => Some(self.numbers[id as usize]),
        }
    }

    /// Lets a symbol without a number keep its name for good.
    pub(crate) fn keep(&mut self, symbol: u32) {
        let id = self.id(symbol);
        if *id == 0 {
            *id = KEPT;
        }
    }

    /// All numbers with the spellings they replace, by number.
    pub(crate) fn spellings(&self, symbols: &Symbols) -> Vec<(u32, Vec<u8>)> {
        let renamed = (0..self.ids.len()).filter_map(|at| {
            let symbol = symbols.at(at)?;
            Some((self.number(at as u32)?, symbols.text(symbol).to_vec()))
        });
        let mut spellings: Vec<_> = renamed.collect();
        spellings.sort_unstable();
        spellings
    }
}
