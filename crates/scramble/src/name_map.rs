//! The original names of renamed symbols.

use crate::names::Names;
use agon_smtlib::{Lexer, Symbols, Token, symbol_text};
use std::collections::HashMap;

/// The original names of the symbols in a scrambled script, with which models and cores are translated back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMap {
    /// New and original names, both as written in a script. The original name of an unnamed assertion is its position:
    /// `|assertion 7|`.
    pub names: Vec<(String, Vec<u8>)>,
}

const COLUMNS: [&str; 2] = ["new", "original"];

/// An error in a table of names.
#[derive(Debug, thiserror::Error)]
pub enum NameMapError {
    /// The header has unexpected columns.
    #[error("line 1 must be the columns {columns}", columns = COLUMNS.join(", "))]
    Columns,
    /// A line is malformed.
    #[error(transparent)]
    Table(#[from] csv::Error),
    /// A new name is not UTF-8.
    #[error("line {0}: the new name is not UTF-8")]
    Name(u64),
}

impl NameMap {
    /// The map of renamed symbols. `kept` returns the prefix of a name that its new name keeps.
    pub(crate) fn of_symbols(names: &Names, symbols: &Symbols, kept: fn(&[u8]) -> &[u8]) -> Self {
        let pair = |(number, spelling): (u32, Vec<u8>)| {
            let new = format!("{}x{number}", String::from_utf8_lossy(kept(&spelling)));
            let mut original = vec![];
            symbol_text(&spelling, &mut original);
            (new, original)
        };
        Self { names: names.spellings(symbols).into_iter().map(pair).collect() }
    }

    /// Whether no symbol was renamed.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The map as a TSV table with two columns.
    pub fn to_table(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
        writer.write_record(COLUMNS).expect("writing to memory cannot fail");
        for (new, original) in &self.names {
            writer.write_record([new.as_bytes(), original]).expect("writing to memory cannot fail");
        }
        writer.into_inner().expect("writing to memory cannot fail")
    }

    /// Parses a table that [`Self::to_table`] wrote.
    pub fn from_table(table: &[u8]) -> Result<Self, NameMapError> {
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(table);
        if reader.headers()?.iter().ne(COLUMNS) {
            return Err(NameMapError::Columns);
        }
        let rows = reader.byte_records().map(|row| {
            let row = row?;
            let line = row.position().map_or(0, csv::Position::line);
            let new = str::from_utf8(&row[0]).map_err(|_| NameMapError::Name(line))?;
            Ok((new.to_owned(), row[1].to_vec()))
        });
        Ok(Self { names: rows.collect::<Result<_, NameMapError>>()? })
    }

    /// Replaces new names in a solver's output with the original ones. Everything that is not a symbol is kept.
    pub fn restore(&self, text: &[u8]) -> Vec<u8> {
        let names: HashMap<&[u8], &[u8]> =
            self.names.iter().map(|(new, original)| (new.as_bytes(), original.as_slice())).collect();
        let (mut lexer, mut start) = (Lexer::new(text), 0);
        let mut restored = Vec::with_capacity(text.len());
        let mut copied = 0;
        loop {
            match lexer.next_token() {
                Ok(None) => break,
                Ok(Some((place, Token::Symbol(word) | Token::Quoted(word)))) => {
                    if let Some(original) = names.get(word) {
                        restored.extend_from_slice(&text[copied..start + place.start]);
                        restored.extend_from_slice(original);
                        copied = start + place.end;
                    }
                }
                Ok(Some(_)) => {}
                // Solvers may print anything. After an unclosed quote, continue with the next character.
                Err(fault) => {
                    start += fault.offset + 1;
                    lexer = Lexer::new(&text[start..]);
                }
            }
        }
        restored.extend_from_slice(&text[copied..]);
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_translated_to_the_original_names() {
        let names = [("x1", "alpha"), ("x2", "|a b\n|"), ("smtcomp1", "|assertion 2|")];
        let map = NameMap { names: names.map(|(new, old)| (new.to_owned(), old.as_bytes().to_vec())).to_vec() };
        let odd = NameMap { names: vec![("x1".into(), b"|\xe9|".to_vec())] };
        assert_eq!(NameMap::from_table(&odd.to_table()).unwrap(), odd);
        let open = map.restore(b"5\" x1\nunsat |x1 (x1)");
        assert_eq!(String::from_utf8(open).unwrap(), "5\" alpha\nunsat |alpha (alpha)");
        let output = b"sat ' ((define-fun x1 () Int 5) (x10 |x2| \"x1\"))\n(smtcomp1)";
        let restored = String::from_utf8(map.restore(output)).unwrap();
        assert_eq!(restored, "sat ' ((define-fun alpha () Int 5) (x10 |a b\n| \"x1\"))\n(|assertion 2|)");
        assert_eq!(NameMap::from_table(&map.to_table()).unwrap(), map);
        assert!(NameMap::from_table(b"a\tb\n").is_err());
        assert!(NameMap::from_table(b"new\toriginal\nx1\n").is_err());
    }
}
