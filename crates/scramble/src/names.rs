//! Assigns new names to the symbols of a script.

use crate::generator::Generator;
use agon_smtlib::{Symbol, Symbols};

/// Numbers the names that the script declares or binds, in order of appearance, and permutes the numbers of each
/// segment. Equal spellings always have the same number. Renaming is therefore a bijection on spellings, and cannot
/// change which declaration a name refers to.
#[derive(Debug)]
pub(crate) struct Names {
    /// The id of each symbol, from 1; 0 for a symbol without an id.
    ids: Vec<u32>,
    /// The number in the new name of each id. Entry 0 is not used.
    numbers: Vec<u32>,
    /// The first id of the current segment.
    fresh: usize,
}

/// The id of a symbol that was printed with its original name and must keep it, as in the official tool.
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

    /// Assigns a number to a symbol, unless it has one.
    pub(crate) fn register(&mut self, symbol: Symbol) {
        self.register_index(symbol.index() as u32);
    }

    /// Assigns a number to the symbol with this index, unless it has one.
    pub(crate) fn register_index(&mut self, symbol: u32) {
        let next = u32::try_from(self.numbers.len()).expect("there are fewer names than symbols");
        let id = self.id(symbol);
        if *id == 0 {
            *id = next;
            self.numbers.push(next);
        }
    }

    /// Permutes the numbers that were assigned since the last call.
    pub(crate) fn permute(&mut self, random: &mut Generator) {
        let end = self.numbers.len();
        for at in self.fresh..end.saturating_sub(1) {
            let other = at + random.draw(end - at);
            self.numbers.swap(at, other);
        }
        self.fresh = end;
    }

    /// The number in a symbol's new name; `None` if it keeps its name.
    pub(crate) fn number(&self, symbol: u32) -> Option<u32> {
        match self.ids.get(symbol as usize) {
            None | Some(&(0 | KEPT)) => None,
            Some(&id) => Some(self.numbers[id as usize]),
        }
    }

    /// Makes a symbol without a number keep its name, even if it is registered later.
    pub(crate) fn keep(&mut self, symbol: u32) {
        let id = self.id(symbol);
        if *id == 0 {
            *id = KEPT;
        }
    }

    /// All numbers with the spellings that they replace, sorted by number.
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
