//! Heats: random parts of a division that are run one after the other (R19-6.8).

use crate::generator::Generator;

/// Divides `count` benchmarks at random into heats of `size`; the last may have fewer. Returns each benchmark's heat,
/// from 0. Heats are run in order, and an unfinished heat is ignored as a whole, so that the scored benchmarks are
/// still a random sample of the division.
pub(crate) fn heats(count: usize, size: usize, random: &mut Generator) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last + 1));
    }
    let mut heats = vec![0; count];
    for (place, at) in order.into_iter().enumerate() {
        heats[at] = place / size.max(1);
    }
    heats
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::GeneratorName;

    #[test]
    fn r19_6_8_heats_partition_a_division() {
        let parts = heats(103, 25, &mut Generator::new(GeneratorName::CRandom, 5));
        let sizes: Vec<usize> = (0..5).map(|heat| parts.iter().filter(|other| **other == heat).count()).collect();
        assert_eq!(sizes, [25, 25, 25, 25, 3]);
        assert_eq!(parts, heats(103, 25, &mut Generator::new(GeneratorName::CRandom, 5)));
        assert_ne!(parts, heats(103, 25, &mut Generator::new(GeneratorName::CRandom, 6)));
    }
}
