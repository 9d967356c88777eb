//! Families that the organizers cut to a size, so that they are not over-represented (R19-6.4).

use crate::candidate::Candidate;
use crate::generator::Generator;
use crate::reason::Reason;
use crate::remaining::Remaining;
use agon_rulebook::GeneratorName;

/// A family of which only some benchmarks stay eligible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyCut {
    /// The directory of the family, as a path in the library.
    pub directory: String,
    /// The number of benchmarks that stay eligible.
    pub to: usize,
    /// Why it is cut.
    pub why: String,
}

impl FamilyCut {
    /// Whether a benchmark is in the family.
    pub fn contains(&self, path: &str) -> bool {
        path.strip_prefix(self.directory.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Removes eligible candidates (given by index) of the cut families at random. The random numbers are not those of the
/// selection, so that a cut changes nothing in the draw of other logics.
pub(crate) fn cut(
    cuts: &[FamilyCut],
    generator: GeneratorName,
    seed: u32,
    candidates: &[Candidate],
    eligible: &mut Vec<usize>,
    reasons: &mut [Option<Reason>],
) {
    for (number, cut) in (2_u32..).zip(cuts) {
        let mut members: Vec<usize> = eligible
            .iter()
            .copied()
            .filter(|at| reasons[*at].is_none() && cut.contains(&candidates[*at].path.0))
            .collect();
        members.sort_unstable_by(|a, b| candidates[*a].path.cmp(&candidates[*b].path));
        let mut random = Generator::new(generator, seed.wrapping_add(number));
        let mut remaining = Remaining::new(members.len());
        while remaining.len() > cut.to {
            let at = members[remaining.take(random.below(remaining.len()))];
            reasons[at] = Some(Reason::Excluded(cut.why.clone()));
        }
    }
    eligible.retain(|at| reasons[*at].is_none());
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::FamilyRule;

    #[test]
    fn r19_6_4_a_family_is_cut_to_its_size_and_no_other() {
        let candidates: Vec<Candidate> = ["A/big/x", "A/big/y/z", "A/bigger/x", "B/big/x"]
            .iter()
            .flat_map(|directory| (0..10).map(move |at| format!("{directory}/{at}.smt2")))
            .map(|path| Candidate::at(&path, FamilyRule::BottomDirectory))
            .collect();
        let cuts = [FamilyCut { directory: "A/big/".into(), to: 3, why: "too many".into() }];
        let run = |seed| {
            let mut eligible: Vec<usize> = (0..candidates.len()).collect();
            let mut reasons = vec![None; candidates.len()];
            cut(&cuts, GeneratorName::CRandom, seed, &candidates, &mut eligible, &mut reasons);
            assert_eq!(reasons.iter().flatten().count(), 17);
            eligible
        };
        let kept = run(1);
        let count = |prefix: &str| kept.iter().filter(|at| candidates[**at].path.0.starts_with(prefix)).count();
        assert_eq!((count("A/big/"), count("A/bigger/"), count("B/")), (3, 10, 10));
        assert_eq!(run(1), kept);
        // A second cut leaves what the first one left.
        let mut eligible: Vec<usize> = (0..candidates.len()).collect();
        let twice = [cuts[0].clone(), FamilyCut { to: 5, ..cuts[0].clone() }];
        cut(&twice, GeneratorName::CRandom, 1, &candidates, &mut eligible, &mut vec![None; candidates.len()]);
        assert_eq!(eligible, kept);
        assert!((2..20).any(|seed| run(seed) != kept));
    }
}
