//! Quotas by family, category, status and difficulty: the selection of 2008 and, with finer cells, of 2012.
//!
//! Draws are made in the same order as in the organizers' tool of 2012, so that its outputs are reproduced: a single
//! stream of random numbers is used for the benchmarks in input order. The input lists the benchmarks of a division and
//! of a family consecutively; a change of either ends the previous one.

use crate::candidate::Candidate;
use crate::generator::Generator;
use crate::reason::Reason;
use crate::remaining::Remaining;
use agon_domain::{Category, Status};
use agon_rulebook::CellRules;

/// Benchmark indices by cell: the `sat` cells by difficulty, then the `unsat` cells. Each cell is in input order.
type Cells = Vec<Vec<usize>>;

/// Decides on each eligible candidate (given by index), in input order.
pub(crate) fn cells(
    rules: &CellRules,
    candidates: &[Candidate],
    eligible: &[usize],
    random: &mut Generator,
    decide: &mut impl FnMut(usize, Reason),
) {
    let mut draw = Draw { rules, candidates, random, decide };
    let empty = vec![vec![]; 2 * rules.difficulty_up_to.len()];
    let (mut pool, mut family) = (empty.clone(), empty.clone());
    // The last candidate that is not a check. Checks are always selected, and do not end a family or division.
    let mut last: Option<&Candidate> = None;
    for &at in eligible {
        let candidate = &candidates[at];
        if candidate.category == Some(Category::Check) {
            (draw.decide)(at, Reason::Check);
            continue;
        }
        if let Some(last) = last
            && (last.logic != candidate.logic || last.family != candidate.family)
        {
            draw.end_family(&mut pool, std::mem::replace(&mut family, empty.clone()));
            if last.logic != candidate.logic {
                draw.end_division(&std::mem::replace(&mut pool, empty.clone()));
            }
        }
        last = Some(candidate);
        match (cell(rules, candidate), candidate.category) {
            (Err(reason), _) => (draw.decide)(at, reason),
            (_, None) => (draw.decide)(at, Reason::NoCategory),
            (Ok(cell), Some(_)) => family[cell].push(at),
        }
    }
    draw.end_family(&mut pool, family);
    draw.end_division(&pool);
}

/// The index of a candidate's cell, or the reason why the candidate fits no cell.
fn cell(rules: &CellRules, candidate: &Candidate) -> Result<usize, Reason> {
    let row = match candidate.status {
        Status::Sat => 0,
        Status::Unsat => rules.difficulty_up_to.len(),
        Status::Unknown => return Err(Reason::UnknownStatus),
    };
    let difficulty = candidate.difficulty.ok_or(Reason::NoDifficulty)?;
    let column = rules.difficulty_up_to.iter().position(|last| difficulty <= f64::from(*last));
    Ok(row + column.ok_or(Reason::NoDifficulty)?)
}

struct Draw<'a, D> {
    rules: &'a CellRules,
    candidates: &'a [Candidate],
    random: &'a mut Generator,
    decide: &'a mut D,
}

impl<D: FnMut(usize, Reason)> Draw<'_, D> {
    /// Adds a family to the pool of its division. A family over the limit is first reduced by removing random members,
    /// so that its cells keep nearly equal shares (R08-4.16).
    fn end_family(&mut self, pool: &mut Cells, mut family: Cells) {
        if family.iter().map(Vec::len).sum::<usize>() > self.rules.family {
            let quotas = self.quotas(&family, self.rules.family);
            for (cell, quota) in family.iter_mut().zip(quotas) {
                // The tool keeps its cells on stacks, so its indices count from the end.
                cell.reverse();
                let mut remaining = Remaining::new(cell.len());
                let mut is_removed = vec![false; cell.len()];
                while remaining.len() > quota {
                    let place = remaining.take(self.random.below(remaining.len()));
                    is_removed[place] = true;
                    (self.decide)(cell[place], Reason::FamilyFull);
                }
                let mut is_removed = is_removed.into_iter();
                cell.retain(|_| is_removed.next() == Some(false));
                cell.reverse();
            }
        }
        for (pool, family) in pool.iter_mut().zip(family) {
            pool.extend(family);
        }
    }

    /// Selects from the pool of a division: per category, and within it per cell (R08-4.19).
    fn end_division(&mut self, pool: &Cells) {
        let categories = [Category::Industrial, Category::Crafted, Category::Random];
        let by_category = categories.map(|category| -> Cells {
            let is_of = |at: &&usize| self.candidates[**at].category == Some(category);
            pool.iter().map(|cell| cell.iter().filter(is_of).copied().collect()).collect()
        });
        let available = by_category.each_ref().map(|cells| cells.iter().map(Vec::len).sum());
        let slots = self.slots(available);
        for ((category, mut cells), slots) in categories.into_iter().zip(by_category).zip(slots) {
            let quotas = self.quotas(&cells, slots);
            for (cell, quota) in cells.iter_mut().zip(quotas) {
                for _ in 0..quota {
                    let at = cell.remove(self.random.below(cell.len()));
                    (self.decide)(at, Reason::DrawnFromCell(category));
                }
                for &at in &*cell {
                    (self.decide)(at, Reason::NotDrawn);
                }
            }
        }
    }

    /// The number of slots for industrial, crafted and random benchmarks, given how many are available. Slots that
    /// crafted and random benchmarks do not fill go to industrial ones. Slots that these do not fill go to crafted ones
    /// and then, as in the tool, to random ones (R08-4.5, R08-4.17). A division within the limit is selected completely
    /// (R08-4.20).
    fn slots(&self, [industrial, crafted, random]: [usize; 3]) -> [usize; 3] {
        let mut slots = [0, crafted.min(self.rules.crafted), random.min(self.rules.random)];
        let wanted = self.rules.division - slots[1] - slots[2];
        slots[0] = industrial.min(wanted);
        let mut free = wanted - slots[0];
        for (slot, available) in [(1, crafted), (2, random)] {
            let more = free.min(available - slots[slot]);
            slots[slot] += more;
            free -= more;
        }
        slots
    }

    /// Divides slots among cells equally. Slots that small cells cannot fill are divided equally among the others, as
    /// long as each of them gets at least one; the remaining slots go to random cells, at most one to each (R08-4.18).
    fn quotas(&mut self, cells: &Cells, places: usize) -> Vec<usize> {
        let equal = places / cells.len();
        let mut quotas: Vec<usize> = cells.iter().map(|cell| cell.len().min(equal)).collect();
        let mut free = places - quotas.iter().sum::<usize>();
        let open =
            |quotas: &[usize]| -> Vec<usize> { (0..cells.len()).filter(|at| quotas[*at] < cells[*at].len()).collect() };
        let mut rest = open(&quotas);
        while !rest.is_empty() && free / rest.len() > 0 {
            let equal = free / rest.len();
            for &at in &rest {
                let more = equal.min(cells[at].len() - quotas[at]);
                quotas[at] += more;
                free -= more;
            }
            rest = open(&quotas);
        }
        while free > 0 && !rest.is_empty() {
            quotas[rest.remove(self.random.below(rest.len()))] += 1;
            free -= 1;
        }
        quotas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::FamilyRule;
    use agon_rulebook::{GeneratorName, Rulebook, SelectionPolicy};

    fn rules() -> CellRules {
        let mut rulebook = Rulebook::named("smtcomp-2008").unwrap();
        match rulebook.selection.remove(&agon_domain::Track::SingleQuery).unwrap().policy {
            SelectionPolicy::Cells(rules) => rules,
            other => panic!("{other:?}"),
        }
    }

    fn with_draw<T>(act: impl FnOnce(&mut Draw<'_, fn(usize, Reason)>) -> T) -> T {
        let (rules, mut random) = (rules(), Generator::new(GeneratorName::CRandom, 1));
        let mut decide: fn(usize, Reason) = |_, _| {};
        act(&mut Draw { rules: &rules, candidates: &[], random: &mut random, decide: &mut decide })
    }

    #[test]
    fn r08_4_5_and_r08_4_17_unfilled_slots_go_to_other_categories() {
        for (available, slots) in [
            ([1000, 1000, 1000], [170, 20, 10]),
            // Unfilled random and crafted slots go to industrial benchmarks.
            ([1000, 1000, 4], [176, 20, 4]),
            ([1000, 5, 4], [191, 5, 4]),
            // Unfilled industrial slots go to crafted benchmarks, then to random ones.
            ([100, 1000, 1000], [100, 90, 10]),
            ([0, 0, 1000], [0, 0, 200]),
            ([10, 15, 20], [10, 15, 20]),
        ] {
            assert_eq!(with_draw(|draw| draw.slots(available)), slots, "{available:?}");
        }
    }

    #[test]
    fn r08_4_18_cells_get_equal_quotas_and_the_remainder_is_drawn() {
        let cells = |sizes: [usize; 4]| sizes.map(|size| vec![0; size]).to_vec();
        assert_eq!(with_draw(|draw| draw.quotas(&cells([90, 90, 90, 90]), 200)), [50, 50, 50, 50]);
        // 190 slots for three cells: one slot is left over and goes to one of them.
        let mut one_left = with_draw(|draw| draw.quotas(&cells([10, 90, 90, 70]), 200));
        one_left.sort_unstable();
        assert_eq!(one_left, [10, 63, 63, 64]);
        assert_eq!(with_draw(|draw| draw.quotas(&cells([1, 2, 3, 4]), 200)), [1, 2, 3, 4]);
        let two_left = with_draw(|draw| draw.quotas(&cells([90, 90, 90, 90]), 202));
        assert_eq!(two_left.iter().sum::<usize>(), 202);
        assert!(two_left.iter().all(|quota| (50..=51).contains(quota)), "{two_left:?}");
    }

    #[test]
    fn r08_4_19_the_slots_of_a_cell_are_filled_at_random_without_repetition() {
        let candidates: Vec<Candidate> = (0..800)
            .map(|at| Candidate {
                status: if at % 2 == 0 { Status::Sat } else { Status::Unsat },
                category: Some(Category::Industrial),
                difficulty: Some((at / 2 % 2 * 4) as f64),
                ..Candidate::at(&format!("QF_UF/f{}/{at}.smt", at / 100), FamilyRule::BottomDirectory)
            })
            .collect();
        let all: Vec<usize> = (0..candidates.len()).collect();
        let draw = |seed| {
            let mut taken = vec![];
            let mut random = Generator::new(GeneratorName::CRandom, seed);
            cells(&rules(), &candidates, &all, &mut random, &mut |at, reason| {
                if reason.is_in() {
                    taken.push(at);
                }
            });
            taken.sort_unstable();
            taken
        };
        let first = draw(1);
        // Fifty from each of the four cells, none twice.
        for cell in 0..4 {
            assert_eq!(first.iter().filter(|at| *at % 4 == cell).count(), 50);
        }
        assert!(first.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(draw(1), first);
        assert_ne!(draw(2), first);
    }

    #[test]
    fn r08_4_20_small_divisions_are_taken_whole() {
        let candidates: Vec<Candidate> = (0..150)
            .map(|at| Candidate {
                status: if at % 3 == 0 { Status::Sat } else { Status::Unsat },
                category: Some([Category::Industrial, Category::Crafted, Category::Random][at % 3]),
                difficulty: Some((at % 6) as f64),
                ..Candidate::at(&format!("QF_UF/f{}/{at}.smt", at / 40), FamilyRule::BottomDirectory)
            })
            .collect();
        let all: Vec<usize> = (0..candidates.len()).collect();
        let mut taken = 0;
        let mut random = Generator::new(GeneratorName::CRandom, 1);
        cells(&rules(), &candidates, &all, &mut random, &mut |_, reason| taken += usize::from(reason.is_in()));
        assert_eq!(taken, 150);
    }
}
