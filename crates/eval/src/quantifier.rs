//! Quantifiers over finitely many values.
//!
//! A variable ranges over all values of a small sort, over the elements that the model names, or over the integers
//! within bounds that the body implies. First the body is evaluated with unknown variables: if it is true or false
//! regardless of their values, no value needs to be tried.

use crate::machine::{Machine, Step};
use crate::theory::Refusal;
use crate::value::Value;
use agon_smtlib::{Binder, Constructor, Head, Sort, Term, Variable};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// The state of the evaluation of one quantifier.
#[derive(Debug)]
pub(crate) struct Search {
    variables: Vec<Variable>,
    /// The domain of each variable.
    domains: Vec<Domain>,
    /// The bounds on integer variables, whose terms have to be evaluated first.
    bounds: Vec<Bound>,
    /// The index of the current value in each domain.
    at: Vec<u64>,
    /// Whether the domains contain all values that matter, or only some.
    complete: bool,
    /// The first undecided value of the body.
    undecided: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Forall,
    Exists,
}

impl Quantifier {
    /// The truth value over an empty domain, which is also the result if no value of the domain is decisive.
    fn over_nothing(self) -> bool {
        self == Self::Forall
    }
}

/// Whether all values of a variable are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coverage {
    All,
    Some,
}

/// The values that are tried for a variable.
#[derive(Debug)]
enum Domain {
    /// All values of a small sort, and their number.
    Small(Sort, u64),
    /// These values.
    Listed(Vec<Value>),
    /// Consecutive integers: the first, and their number.
    Integers(IBig, u64),
}

impl Domain {
    fn len(&self) -> u64 {
        match self {
            Self::Small(_, count) | Self::Integers(_, count) => *count,
            Self::Listed(values) => values.len() as u64,
        }
    }
}

/// A bound of an integer variable: the value of a term, plus an offset.
#[derive(Clone, Copy, Debug)]
struct Bound {
    variable: Variable,
    term: Term,
    is_lower: bool,
    by: i8,
}

/// The maximum number of values that are tried for one quantifier.
const MOST: u64 = 1 << 22;

impl Machine<'_> {
    /// One step of a quantifier. The progress is 0 at first, 1 after the body was evaluated with unknown variables, 2
    /// while bounds are evaluated, and 3 while values are tried.
    pub(crate) fn quantifier(&mut self, binder: Binder, body: Term, quantifier: Quantifier) -> Result<Step, Refusal> {
        let decisive = Value::from(!quantifier.over_nothing());
        match *self.progress() {
            0 => {
                // Evaluate the body with unknown variables.
                *self.progress() = 1;
                let unknown = self.undecided("a quantifier over more values than can be tried");
                let variables = self.checker.terms.variables(binder).map(|variable| (variable, unknown)).collect();
                self.enter_scope(variables, body);
                Ok(Step::Pushed)
            }
            1 => {
                if !self.returned.is_undecided() {
                    return Ok(Step::Done(self.returned));
                }
                *self.progress() = 2;
                let search = self.start_search(binder, body, quantifier);
                self.searches.push(search);
                self.advance(body, quantifier)
            }
            2 => self.advance(body, quantifier),
            _ => {
                let returned = self.returned;
                let Some(search) = self.searches.last_mut() else { return Ok(Step::Done(returned)) };
                if returned == decisive {
                    return Ok(Step::Done(decisive));
                }
                if returned.is_undecided() && search.undecided.is_none() {
                    search.undecided = Some(returned);
                }
                // The next combination of values, counting up like an odometer.
                let lengths: Vec<u64> = search.domains.iter().map(Domain::len).collect();
                let mut place = 0;
                while place < search.at.len() {
                    search.at[place] += 1;
                    if search.at[place] < lengths[place] {
                        break;
                    }
                    search.at[place] = 0;
                    place += 1;
                }
                if place < search.at.len() {
                    return self.try_values(body);
                }
                Ok(Step::Done(match (search.undecided, search.complete) {
                    (Some(undecided), _) => undecided,
                    (None, true) => Value::from(quantifier.over_nothing()),
                    (None, false) => self.undecided("a quantifier over more values than can be tried"),
                }))
            }
        }
    }

    /// Starts a search, with the bounds that the body implies.
    fn start_search(&mut self, binder: Binder, body: Term, quantifier: Quantifier) -> Search {
        let checker = self.checker;
        let variables: Vec<Variable> = checker.terms.variables(binder).collect();
        let mut bounds = vec![];
        let inside: FxHashSet<Variable> = variables.iter().copied().collect();
        for (atom, holds) in self.guards(body, !quantifier.over_nothing()) {
            bounds.extend(self.bounds_of(atom, holds, &inside));
        }
        Search { variables, domains: vec![], bounds, at: vec![], complete: true, undecided: None }
    }

    /// The atoms that must hold, or must not hold, for the body to have this truth value. For the decisive truth value,
    /// no value of a variable outside the bounds that these atoms imply can decide the quantifier.
    fn guards(&self, body: Term, truth: bool) -> Vec<(Term, bool)> {
        let terms = &self.checker.terms;
        let mut found = vec![];
        let mut left = vec![(body, truth)];
        while let Some((term, truth)) = left.pop() {
            let arguments = terms.arguments(term);
            let name = match terms.head(term) {
                Head::Operator(operator) => self.checker.operator(operator).0,
                Head::Annotated(_) => {
                    left.push((arguments[0], truth));
                    continue;
                }
                _ => "",
            };
            match (name, truth) {
                ("not", _) => left.push((arguments[0], !truth)),
                ("and", true) | ("or", false) => left.extend(arguments.iter().map(|argument| (*argument, truth))),
                ("=>", false) => {
                    let last = arguments.len() - 1;
                    left.extend(arguments.iter().enumerate().map(|(at, argument)| (*argument, at < last)));
                }
                _ => found.push((term, truth)),
            }
        }
        found
    }

    /// The bounds on integer variables that an atom implies if it has this truth value.
    fn bounds_of(&self, atom: Term, holds: bool, inside: &FxHashSet<Variable>) -> Vec<Bound> {
        let terms = &self.checker.terms;
        let Head::Operator(operator) = terms.head(atom) else { return vec![] };
        let name = self.checker.operator(operator).0;
        let arguments = terms.arguments(atom);
        let mut found = vec![];
        // A chain such as `(< a b c)` that is false implies nothing about its parts.
        if !holds && arguments.len() != 2 {
            return found;
        }
        for pair in arguments.windows(2) {
            // As left ≤ right, left < right, or left = right.
            let (left, right, strict, equal) = match (name, holds) {
                ("<=", true) | (">", false) => (pair[0], pair[1], false, false),
                ("<", true) | (">=", false) => (pair[0], pair[1], true, false),
                (">=", true) | ("<", false) => (pair[1], pair[0], false, false),
                (">", true) | ("<=", false) => (pair[1], pair[0], true, false),
                ("=", true) => (pair[0], pair[1], false, true),
                _ => continue,
            };
            let by = i8::from(strict);
            for (one, other, is_lower) in [(right, left, true), (left, right, false)] {
                if let Head::Variable(variable) = terms.head(one)
                    && inside.contains(&variable)
                    && terms.variable_sort(variable) == Sort::INT
                    && terms.sort(other) == Sort::INT
                    && !self.mentions(other, inside)
                {
                    let by = if is_lower { by } else { -by };
                    found.push(Bound { variable, term: other, is_lower, by });
                    if equal {
                        found.push(Bound { variable, term: other, is_lower: !is_lower, by: 0 });
                    }
                }
            }
        }
        found
    }

    /// Whether a term contains one of these variables, or is too large to tell.
    fn mentions(&self, term: Term, variables: &FxHashSet<Variable>) -> bool {
        let terms = &self.checker.terms;
        let mut seen = FxHashSet::default();
        let mut left = vec![term];
        while let Some(term) = left.pop() {
            if terms.is_closed(term) || !seen.insert(term) {
                continue;
            }
            // Large terms are not used as bounds.
            match terms.head(term) {
                Head::Variable(variable) if variables.contains(&variable) => return true,
                _ if seen.len() > 1000 => return true,
                _ => left.extend(terms.arguments(term)),
            }
        }
        false
    }

    /// Evaluates the bounds that are not known yet. Then determines the domains, and tries the first values.
    fn advance(&mut self, body: Term, quantifier: Quantifier) -> Result<Step, Refusal> {
        let Some(search) = self.searches.last() else {
            return Err(Refusal::Undecided("internal error: a quantifier without a search".into()));
        };
        if let Some(bound) = search.bounds.iter().find(|bound| self.known(bound.term).is_none()) {
            return Ok(Step::First(bound.term));
        }
        let variables = search.variables.clone();
        let bounds = search.bounds.clone();
        let mut domains = vec![];
        let mut complete = true;
        let mut product = 1_u64;
        for variable in &variables {
            let (domain, coverage) = self.domain(*variable, &bounds);
            complete &= coverage == Coverage::All;
            product = product.saturating_mul(domain.len());
            domains.push(domain);
        }
        if product > MOST {
            return Err(Refusal::Undecided("a quantifier over too many values".into()));
        }
        *self.progress() = 3;
        let Some(search) = self.searches.last_mut() else {
            return Err(Refusal::Undecided("internal error: a quantifier without a search".into()));
        };
        search.at = vec![0; domains.len()];
        search.domains = domains;
        search.complete = complete;
        if product == 0 {
            return if complete {
                Ok(Step::Done(Value::from(quantifier.over_nothing())))
            } else {
                Err(Refusal::Undecided("a quantifier over more values than can be tried".into()))
            };
        }
        self.try_values(body)
    }

    /// The values to try for a variable, and whether these are all that matter.
    fn domain(&mut self, variable: Variable, bounds: &[Bound]) -> (Domain, Coverage) {
        let sort = self.checker.terms.variable_sort(variable);
        if let Some(size) = self.context.small_size(sort) {
            return (Domain::Small(sort, size), Coverage::All);
        }
        match self.checker.sorts.constructor(sort) {
            Constructor::Int => {
                let end = |machine: &Self, is_lower: bool| {
                    let ends = bounds.iter().filter(|b| b.variable == variable && b.is_lower == is_lower);
                    let ends = ends.filter_map(|bound| {
                        let value = machine.known(bound.term).filter(|value| !value.is_undecided())?;
                        Some(machine.context.int(value).ok()? + IBig::from(bound.by))
                    });
                    if is_lower { ends.max() } else { ends.min() }
                };
                match (end(self, true), end(self, false)) {
                    (Some(low), Some(high)) => {
                        let count = high - &low + IBig::ONE;
                        let count = if count < IBig::ZERO { 0 } else { u64::try_from(count).unwrap_or(u64::MAX) };
                        (Domain::Integers(low, count), Coverage::All)
                    }
                    // A few values, one of which may be decisive.
                    _ => (Domain::Integers(IBig::from(-2), 5), Coverage::Some),
                }
            }
            Constructor::Declared(_) => {
                if let Some(constructors) = self.checker.constructors_of(sort) {
                    let constructors = constructors.to_vec();
                    let plain = |f: &agon_smtlib::Function| self.checker.function(*f).parameters.is_empty();
                    let coverage = if constructors.iter().all(plain) { Coverage::All } else { Coverage::Some };
                    let plain: Vec<_> = constructors.iter().copied().filter(plain).collect();
                    let datum = |f| crate::value::Datum::Data(f, [].into());
                    let values = plain.into_iter().map(|f| self.context.values.intern(datum(f))).collect();
                    return (Domain::Listed(values), coverage);
                }
                let mut elements = self.elements.get(&sort).cloned().unwrap_or_default();
                if elements.is_empty() {
                    elements.push(self.context.values.intern(crate::value::Datum::Abstract(sort, 0)));
                }
                (Domain::Listed(elements), Coverage::All)
            }
            _ => (Domain::Listed(vec![]), Coverage::Some),
        }
    }

    /// Evaluates the body with the current values of the variables.
    fn try_values(&mut self, body: Term) -> Result<Step, Refusal> {
        self.context.spend(64)?;
        let Some(search) = self.searches.last() else {
            return Err(Refusal::Undecided("internal error: a quantifier without a search".into()));
        };
        let mut chosen = FxHashMap::default();
        for ((variable, domain), at) in search.variables.iter().zip(&search.domains).zip(&search.at) {
            let value = match domain {
                Domain::Listed(values) => values[*at as usize],
                Domain::Small(sort, _) => match self.context.small_value(*sort, *at) {
                    Some(value) => value,
                    None => return Err(Refusal::Undecided("a sort that cannot be listed".into())),
                },
                Domain::Integers(low, _) => {
                    let number = low + IBig::from(*at);
                    self.context.values.int(number)
                }
            };
            chosen.insert(*variable, value);
        }
        self.enter_scope(chosen, body);
        Ok(Step::Pushed)
    }
}
