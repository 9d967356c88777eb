//! Gates over a SAT solver. Equal gates are created only once.

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use rustc_hash::FxHashMap;

/// Stops a search after a number of conflicts.
#[derive(Debug, Default)]
struct Patience {
    /// The number of conflicts left; `None` means no limit.
    left: Option<u64>,
}

impl Callbacks for Patience {
    fn on_new_clause(&mut self, _: &[Lit], kind: batsat::ClauseKind) {
        if kind == batsat::ClauseKind::Learnt
            && let Some(left) = &mut self.left
        {
            *left = left.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.left == Some(0)
    }
}

/// A propositional formula under construction.
pub(crate) struct Circuit {
    solver: Solver<Patience>,
    truth: Lit,
    ands: FxHashMap<(Lit, Lit), Lit>,
    xors: FxHashMap<(Lit, Lit), Lit>,
    clause: Vec<Lit>,
    /// The number of variables and clauses.
    size: usize,
}

/// The maximum number of variables and clauses. They take about two gigabytes.
const MOST: usize = 20_000_000;

impl Circuit {
    pub(crate) fn new() -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Patience::default());
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        Self { solver, truth, ands: FxHashMap::default(), xors: FxHashMap::default(), clause: vec![], size: 0 }
    }

    pub(crate) fn constant(&self, value: bool) -> Lit {
        self.truth.apply_sign(value)
    }

    /// Whether the size limit is reached. Further clauses are dropped, so the circuit can no longer decide anything.
    pub(crate) fn is_full(&self) -> bool {
        self.size >= MOST
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Lit {
        if self.is_full() {
            return self.truth;
        }
        self.size += 1;
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, literals: &[Lit]) {
        if self.is_full() {
            return;
        }
        self.size += 1;
        self.clause.clear();
        self.clause.extend_from_slice(literals);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    pub(crate) fn and(&mut self, one: Lit, other: Lit) -> Lit {
        let (yes, no) = (self.truth, !self.truth);
        if one == no || other == no || one == !other {
            return no;
        }
        if one == yes || one == other {
            return other;
        }
        if other == yes {
            return one;
        }
        let key = if one < other { (one, other) } else { (other, one) };
        if let Some(known) = self.ands.get(&key) {
            return *known;
        }
        let gate = self.fresh();
        self.add(&[!gate, one]);
        self.add(&[!gate, other]);
        self.add(&[gate, !one, !other]);
        self.ands.insert(key, gate);
        gate
    }

    pub(crate) fn or(&mut self, one: Lit, other: Lit) -> Lit {
        !self.and(!one, !other)
    }

    pub(crate) fn xor(&mut self, one: Lit, other: Lit) -> Lit {
        // Signs are factored out, so that one gate serves all four combinations.
        let odd = one.sign() == other.sign();
        let (one, other) = (Lit::new(one.var(), true), Lit::new(other.var(), true));
        let truth = Lit::new(self.truth.var(), true);
        let plain = if one == other {
            !self.truth
        } else if one == truth {
            // The positive literal of the constant's variable may be true or false.
            if self.truth.sign() { !other } else { other }
        } else if other == truth {
            if self.truth.sign() { !one } else { one }
        } else {
            let key = if one < other { (one, other) } else { (other, one) };
            match self.xors.get(&key) {
                Some(known) => *known,
                None => {
                    let gate = self.fresh();
                    self.add(&[!gate, one, other]);
                    self.add(&[!gate, !one, !other]);
                    self.add(&[gate, !one, other]);
                    self.add(&[gate, one, !other]);
                    self.xors.insert(key, gate);
                    gate
                }
            }
        };
        if odd { plain } else { !plain }
    }

    pub(crate) fn equal(&mut self, one: Lit, other: Lit) -> Lit {
        !self.xor(one, other)
    }

    pub(crate) fn choose(&mut self, condition: Lit, one: Lit, other: Lit) -> Lit {
        if one == other {
            return one;
        }
        let yes = self.and(condition, one);
        let no = self.and(!condition, other);
        self.or(yes, no)
    }

    pub(crate) fn all(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let yes = self.truth;
        literals.into_iter().fold(yes, |sum, next| self.and(sum, next))
    }

    /// Whether the clauses are satisfiable under these assumptions; `None` if `patience` conflicts were not enough.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], patience: Option<u64>) -> Option<bool> {
        if self.is_full() {
            return None;
        }
        self.solver.cb_mut().left = patience;
        let answer = self.solver.solve_limited(assumptions);
        (answer != lbool::UNDEF).then(|| answer == lbool::TRUE)
    }

    /// Whether an assumption is in the unsat core. Only valid after [`Self::solve`] returned `Some(false)`.
    pub(crate) fn needs(&self, assumption: Lit) -> bool {
        self.solver.unsat_core_contains_lit(assumption) || self.solver.unsat_core_contains_lit(!assumption)
    }

    /// The value of a literal in the model; an irrelevant variable is false. Only valid after [`Self::solve`] returned
    /// `Some(true)`.
    pub(crate) fn value(&self, literal: Lit) -> bool {
        let value = self.solver.value_lit(literal);
        if value == lbool::UNDEF { !literal.sign() } else { value == lbool::TRUE }
    }
}
