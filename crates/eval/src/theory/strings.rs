//! Unicode strings and regular expressions.

use super::{Call, Computed, Context, OUT_OF_FUEL, Operation, Refusal, undecided};
use crate::list_operations::{self, HIGHEST, LONGEST};
use crate::regex::{Regex, Regexes};
use crate::value::{Datum, Value};
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "str.++" => |c, call| {
            let mut all = vec![];
            for argument in call.arguments {
                all.extend_from_slice(c.letters(*argument)?);
                if all.len() > LONGEST {
                    return too_long();
                }
            }
            c.make_string(all)
        },
        "str.len" => |c, call| {
            let length = c.letters(call.arguments[0])?.len();
            Ok(c.values.int(IBig::from(length)))
        },
        "str.<" => |c, call| c.ordered(call, |one, other| one < other),
        "str.<=" => |c, call| c.ordered(call, |one, other| one <= other),
        "str.at" => |c, call| {
            let letters = c.letters(call.arguments[0])?;
            let one = letters[list_operations::part(letters.len(), c.position(call.arguments[1])?, Some(1))].to_vec();
            c.make_string(one)
        },
        "str.substr" => |c, call| {
            let letters = c.letters(call.arguments[0])?;
            let (from, count) = (c.position(call.arguments[1])?, c.count(call.arguments[2])?);
            let part = letters[list_operations::part(letters.len(), from, count)].to_vec();
            c.make_string(part)
        },
        "str.prefixof" => {
            |c, call| Ok(Value::from(c.letters(call.arguments[1])?.starts_with(c.letters(call.arguments[0])?)))
        }
        "str.suffixof" => {
            |c, call| Ok(Value::from(c.letters(call.arguments[1])?.ends_with(c.letters(call.arguments[0])?)))
        }
        "str.contains" => |c, call| {
            let found = list_operations::find(c.letters(call.arguments[0])?, c.letters(call.arguments[1])?, 0);
            let length = c.letters(call.arguments[0])?.len();
            c.spend(length)?;
            Ok(Value::from(found.is_some()))
        },
        "str.indexof" => |c, call| {
            let from = call.arguments.get(2).map_or(Ok(Some(0)), |from| c.position(*from))?;
            let (outer, inner) = (c.letters(call.arguments[0])?, c.letters(call.arguments[1])?);
            let (found, length) = (from.and_then(|from| list_operations::find(outer, inner, from)), outer.len());
            c.spend(length)?;
            Ok(c.index(found))
        },
        "str.replace" => |c, call| {
            let [outer, inner, new] = [0, 1, 2].map(|at| c.letters(call.arguments[at]));
            let (outer, inner, new) = (outer?, inner?, new?);
            if outer.len() + new.len() > LONGEST {
                return too_long();
            }
            let replaced = list_operations::replace(outer, inner, new);
            c.make_string(replaced)
        },
        "str.replace_all" | "str.replaceall" => |c, call| {
            let [outer, inner, new] = [0, 1, 2].map(|at| c.letters(call.arguments[at]));
            match list_operations::replace_all(outer?, inner?, new?) {
                Some(replaced) => c.make_string(replaced),
                None => too_long(),
            }
        },
        "str.is_digit" => |c, call| Ok(Value::from(matches!(c.letters(call.arguments[0])?, [0x30..=0x39]))),
        "str.to_code" => |c, call| {
            let code = match c.letters(call.arguments[0])? {
                [letter] => IBig::from(*letter),
                _ => IBig::NEG_ONE,
            };
            Ok(c.values.int(code))
        },
        "str.from_code" => |c, call| {
            let code = u32::try_from(c.int(call.arguments[0])?).ok().filter(|code| *code <= HIGHEST);
            c.make_string(code.into_iter().collect())
        },
        "str.to_int" | "str.to.int" | "str.to-int" => |c, call| {
            let letters = c.letters(call.arguments[0])?;
            let digits = letters.iter().map(|l| (0x30..=0x39).contains(l).then_some(*l as u8));
            let number = match digits.collect::<Option<Vec<u8>>>() {
                Some(digits) if (1..=1 << 20).contains(&digits.len()) => {
                    let text = String::from_utf8(digits).unwrap_or_default();
                    UBig::from_str_radix(&text, 10).map_or(IBig::NEG_ONE, IBig::from)
                }
                Some(digits) if !digits.is_empty() => return undecided("a number gets too large"),
                _ => IBig::NEG_ONE,
            };
            Ok(c.values.int(number))
        },
        "str.from_int" | "int.to.str" | "str.from-int" => |c, call| {
            let number = c.int(call.arguments[0])?;
            if number.bit_len() > 1 << 22 {
                return undecided("a number gets too large");
            }
            let text = if *number < IBig::ZERO { String::new() } else { number.to_string() };
            c.make_string(text.chars().map(u32::from).collect())
        },
        "str.rev" => |c, call| {
            let reversed = c.letters(call.arguments[0])?.iter().rev().copied().collect();
            c.make_string(reversed)
        },
        "str.update" => |c, call| {
            let (outer, new) = (c.letters(call.arguments[0])?, c.letters(call.arguments[2])?);
            let updated = list_operations::update(outer, c.position(call.arguments[1])?, new);
            c.make_string(updated)
        },
        "str.to_lower" | "str.tolower" => |c, call| {
            let changed = c.letters(call.arguments[0])?.iter().map(|l| if (65..=90).contains(l) { l + 32 } else { *l });
            let changed = changed.collect();
            c.make_string(changed)
        },
        "str.to_upper" | "str.toupper" => |c, call| {
            let changed =
                c.letters(call.arguments[0])?.iter().map(|l| if (97..=122).contains(l) { l - 32 } else { *l });
            let changed = changed.collect();
            c.make_string(changed)
        },
        "str.in_re" | "str.in.re" => |c, call| {
            let regex = c.language(call.arguments[1])?;
            let found = c.ask(call.arguments[0], |regexes, letters, fuel| regexes.contains(regex, letters, fuel))?;
            Ok(Value::from(found))
        },
        "str.indexof_re" => |c, call| {
            let Some(from) = c.position(call.arguments[2])? else { return Ok(c.index(None)) };
            let regex = c.language(call.arguments[1])?;
            let found =
                c.ask(call.arguments[0], |regexes, letters, fuel| regexes.find(regex, letters, from, 0, fuel))?;
            Ok(c.index(found.map(|(start, _)| start)))
        },
        "str.replace_re" => |c, call| {
            let regex = c.language(call.arguments[1])?;
            let found = c.ask(call.arguments[0], |regexes, letters, fuel| regexes.find(regex, letters, 0, 0, fuel))?;
            let Some((start, end)) = found else { return Ok(call.arguments[0]) };
            let (letters, new) = (c.letters(call.arguments[0])?, c.letters(call.arguments[2])?);
            let replaced = [&letters[..start], new, &letters[end..]].concat();
            c.make_string(replaced)
        },
        "str.replace_re_all" => |c, call| {
            let regex = c.language(call.arguments[1])?;
            let (mut result, mut from) = (vec![], 0);
            let length = c.letters(call.arguments[0])?.len();
            loop {
                let next = c.ask(call.arguments[0], |r, letters, fuel| r.find(regex, letters, from, 1, fuel))?;
                let letters = c.letters(call.arguments[0])?;
                let Some((start, end)) = next else {
                    result.extend_from_slice(&letters[from.min(length)..]);
                    return c.make_string(result);
                };
                result.extend_from_slice(&letters[from..start]);
                result.extend_from_slice(c.letters(call.arguments[2])?);
                if result.len() > LONGEST {
                    return too_long();
                }
                from = end;
            }
        },
        "re.none" | "re.nostr" => |c, _| Ok(c.values.intern(Datum::Regex(Regex::NONE))),
        "re.all" => |c, _| Ok(c.values.intern(Datum::Regex(Regex::ALL))),
        "re.allchar" => |c, _| c.make_regex(|regexes| regexes.range(0, HIGHEST)),
        "str.to_re" | "str.to.re" => |c, call| {
            let letters = c.letters(call.arguments[0])?.to_vec();
            c.spend(letters.len() * 8)?;
            c.make_regex(|regexes| regexes.literal(&letters))
        },
        "re.range" => |c, call| match (c.letters(call.arguments[0])?, c.letters(call.arguments[1])?) {
            (&[low], &[high]) => c.make_regex(|regexes| regexes.range(low, high)),
            _ => Ok(c.values.intern(Datum::Regex(Regex::NONE))),
        },
        "re.++" => |c, call| {
            let parts = c.languages(call)?;
            c.make_regex(|regexes| parts.iter().rev().fold(Regex::EMPTY, |rest, part| regexes.concat(*part, rest)))
        },
        "re.union" => |c, call| {
            let parts = c.languages(call)?;
            c.make_regex(|regexes| regexes.union(&parts))
        },
        "re.inter" | "re.intersection" => |c, call| {
            let parts = c.languages(call)?;
            c.make_regex(|regexes| regexes.inter(&parts))
        },
        "re.diff" | "re.difference" => |c, call| {
            let mut parts = c.languages(call)?;
            c.make_regex(|regexes| {
                parts[1..].iter_mut().for_each(|part| *part = regexes.not(*part));
                regexes.inter(&parts)
            })
        },
        "re.comp" | "re.complement" => |c, call| {
            let inner = c.language(call.arguments[0])?;
            c.make_regex(|regexes| regexes.not(inner))
        },
        "re.*" => |c, call| c.repeat(call, 0, None),
        "re.+" => |c, call| c.repeat(call, 1, None),
        "re.opt" => |c, call| c.repeat(call, 0, Some(1)),
        "re.^" => |c, call| {
            let count = c.bounds(call)?[0];
            c.repeat(call, count, Some(count))
        },
        "re.loop" => |c, call| match c.bounds(call)?[..] {
            [least] => c.repeat(call, least, None),
            [least, most, ..] => c.repeat(call, least, Some(most)),
            [] => super::ill_sorted(),
        },
        _ => return None,
    })
}

fn too_long<T>() -> Result<T, Refusal> {
    undecided("a string or sequence gets too long")
}

impl Context<'_> {
    fn make_string(&mut self, letters: Vec<u32>) -> Computed {
        self.spend(letters.len())?;
        Ok(self.values.string(letters))
    }

    fn make_regex(&mut self, make: impl FnOnce(&mut Regexes) -> Regex) -> Computed {
        let regex = make(&mut self.values.regexes);
        Ok(self.values.intern(Datum::Regex(regex)))
    }

    fn languages(&self, call: &Call<'_>) -> Result<Vec<Regex>, Refusal> {
        call.arguments.iter().map(|argument| self.language(*argument)).collect()
    }

    /// The bounds of a repetition: indices, or arguments in older benchmarks. At least one is present.
    fn bounds(&self, call: &Call<'_>) -> Result<Vec<u64>, Refusal> {
        let mut bounds = call.indices.to_vec();
        for argument in &call.arguments[1..] {
            match u64::try_from(self.int(*argument)?) {
                Ok(bound) => bounds.push(bound),
                Err(_) => return undecided("an invalid number of repetitions"),
            }
        }
        if bounds.is_empty() { super::ill_sorted() } else { Ok(bounds) }
    }

    fn repeat(&mut self, call: &Call<'_>, least: u64, most: Option<u64>) -> Computed {
        let inner = self.language(call.arguments[0])?;
        self.make_regex(|regexes| regexes.repeat(inner, least, most))
    }

    /// An optional position as a value, with -1 for `None`.
    pub(super) fn index(&mut self, found: Option<usize>) -> Value {
        self.values.int(found.map_or(IBig::NEG_ONE, IBig::from))
    }

    fn ordered(&mut self, call: &Call<'_>, holds: fn(&[u32], &[u32]) -> bool) -> Computed {
        for pair in call.arguments.windows(2) {
            if !holds(self.letters(pair[0])?, self.letters(pair[1])?) {
                return Ok(Value::FALSE);
            }
        }
        Ok(Value::TRUE)
    }

    /// Matches a string against a language, with the remaining fuel.
    fn ask<T>(
        &mut self,
        string: Value,
        ask: impl FnOnce(&mut Regexes, &[u32], &mut u64) -> Option<T>,
    ) -> Result<T, Refusal> {
        let letters = self.letters(string)?.to_vec();
        self.spend(letters.len())?;
        match ask(&mut self.values.regexes, &letters, &mut self.fuel) {
            Some(found) => Ok(found),
            None => undecided(OUT_OF_FUEL),
        }
    }
}
