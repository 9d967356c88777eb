//! Turns an assignment of the circuit into an SMT-LIB model.

use crate::encode::{Encoded, Encoder, Refused, Word};
use agon_smtlib::{Checker, Constructor, Function, Printer, Sort, symbol_text};
use std::fmt::Write;

/// The model of the declared functions, as SMT-LIB text. Only valid after the circuit was found satisfiable.
pub(crate) fn model_text(checker: &Checker, encoder: &Encoder<'_>, declared: &[Function]) -> Result<String, Refused> {
    let mut text = String::from("(\n");
    for function in declared {
        let info = checker.function(*function);
        let mut name = vec![];
        symbol_text(checker.symbols.text(info.name), &mut name);
        let name = String::from_utf8_lossy(&name).into_owned();
        let result = sort_text(checker, info.result);
        let (arguments, body) = match encoder.applications.of.get(function) {
            _ if info.parameters.is_empty() => (String::new(), constant(checker, encoder, *function, info.result)?),
            applications => {
                let sorts = info.parameters.iter().enumerate();
                let arguments = sorts.map(|(at, sort)| format!("(x{at} {})", sort_text(checker, *sort)));
                let mut body = anything(checker, encoder, info.result)?;
                for (words, value) in applications.into_iter().flatten() {
                    let mut conditions = String::new();
                    for (at, (word, sort)) in words.iter().zip(&info.parameters).enumerate() {
                        let value = value_text(checker, encoder, word, *sort)?;
                        write!(conditions, " (= x{at} {value})").map_err(|_| Refused)?;
                    }
                    let value = value_text(checker, encoder, value, info.result)?;
                    body = format!("(ite (and{conditions} true) {value} {body})");
                }
                (arguments.collect::<Vec<_>>().join(" "), body)
            }
        };
        writeln!(text, "  (define-fun {name} ({arguments}) {result} {body})").map_err(|_| Refused)?;
    }
    text.push_str(")\n");
    Ok(text)
}

fn sort_text(checker: &Checker, sort: Sort) -> String {
    let mut text = vec![];
    Printer::new(checker).sort(sort, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn constant(checker: &Checker, encoder: &Encoder<'_>, function: Function, sort: Sort) -> Result<String, Refused> {
    match encoder.constants.get(&function) {
        None => anything(checker, encoder, sort),
        Some(Encoded::Word(word)) => value_text(checker, encoder, word, sort),
        Some(Encoded::Array(sort, array)) => {
            let [index, element] = *checker.sorts.arguments(*sort) else { return Err(Refused) };
            let arrays = encoder.arrays.get(sort).ok_or(Refused)?;
            let rest = value_text(checker, encoder, &arrays.rest, element)?;
            let mut text = format!("((as const {}) {rest})", sort_text(checker, *sort));
            for (place, cell) in arrays.entries(*array) {
                let place = value_text(checker, encoder, place, index)?;
                let cell = value_text(checker, encoder, cell, element)?;
                text = format!("(store {text} {place} {cell})");
            }
            Ok(text)
        }
    }
}

/// An arbitrary value of a sort, for functions that no assertion constrains.
fn anything(checker: &Checker, encoder: &Encoder<'_>, sort: Sort) -> Result<String, Refused> {
    if checker.sorts.constructor(sort) == Constructor::Array {
        let element = *checker.sorts.arguments(sort).get(1).ok_or(Refused)?;
        return Ok(format!("((as const {}) {})", sort_text(checker, sort), anything(checker, encoder, element)?));
    }
    let zero = encoder.circuit.zero(encoder.width(sort)?);
    value_text(checker, encoder, &zero, sort)
}

fn value_text(checker: &Checker, encoder: &Encoder<'_>, word: &Word, sort: Sort) -> Result<String, Refused> {
    let bits = encoder.circuit.values(word);
    match checker.sorts.constructor(sort) {
        Constructor::Bool => Ok(bits.first().ok_or(Refused)?.to_string()),
        Constructor::BitVec(_) => {
            Ok(format!("#b{}", bits.iter().rev().map(|bit| if *bit { '1' } else { '0' }).collect::<String>()))
        }
        Constructor::Declared(_) => {
            let number = bits.iter().rev().fold(0_u64, |number, bit| number << 1 | u64::from(*bit));
            Ok(format!("(as @{number} {})", sort_text(checker, sort)))
        }
        _ => Err(Refused),
    }
}
