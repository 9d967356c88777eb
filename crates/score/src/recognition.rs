//! The competition-wide recognitions of 2019: biggest lead and largest contribution (R19-3.7), and new entrants
//! (R19-7.11).

use crate::division::Group;
use crate::largest_contribution;
use crate::line::DivisionScore;
use crate::ranking::{Standing, compare, standings};
use crate::rules::LeadScope;
use crate::totals::Totals;
use crate::winner::can_win;
use agon_domain::ScoreKind;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An entry in the ranking of a recognition: a solver and the division for which it is ranked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The rank of this entry; equal entries share one.
    pub rank: usize,
    /// The solver's name.
    pub solver: String,
    /// The name of the runner-up, for a lead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The division's name.
    pub division: String,
    /// The correctness rank, which orders the entries.
    pub correctness: f64,
    /// The time rank, which breaks ties.
    pub time: f64,
    /// Whether the division is experimental, so that nobody is recognized for it (R19-3.6).
    pub experimental: bool,
}

/// A new entrant that beats a solver of an earlier edition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Newcomer {
    /// The new entrant's name.
    pub solver: String,
    /// The division's name.
    pub division: String,
    /// The names of the solvers of earlier editions that it beats.
    pub beats: Vec<String>,
}

/// All recognitions, for every ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Recognitions {
    /// The biggest leads (R19-7.9).
    pub biggest_lead: BTreeMap<ScoreKind, Vec<Place>>,
    /// The largest contributions (R19-7.10).
    pub largest_contribution: BTreeMap<ScoreKind, Vec<Place>>,
    /// New entrants that beat solvers of earlier editions (R19-7.11).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub new_entrants: BTreeMap<ScoreKind, Vec<Newcomer>>,
}

/// Computes all recognitions of a track. `divisions` are the scores of the divisions that have rows.
pub(crate) fn recognize(totals: &Totals<'_>, divisions: &[DivisionScore]) -> Recognitions {
    let mut recognitions = Recognitions::default();
    if !totals.rules.track_rules.scoring.recognitions {
        return recognitions;
    }
    // The text of the rules requires a competitive division, and a runner-up from another team. Some published results
    // recognize all divisions, and allow a runner-up from the same team.
    let is_ranked = |score: &DivisionScore| score.competitive || totals.rules.lead == LeadScope::Solvers;
    let groups = totals.grouping.divisions.iter().filter(|group| totals.is_shown(group));
    let ranked: Vec<(&Group, &DivisionScore)> = groups.zip(divisions).filter(|(_, score)| is_ranked(score)).collect();
    for &kind in &totals.kinds {
        let leads = ranked.iter().filter_map(|(group, score)| lead(totals, group, score, kind));
        recognitions.biggest_lead.insert(kind, places(leads));
        recognitions.largest_contribution.insert(kind, places(largest_contribution::all(totals, &ranked, kind)));
        let real = ranked.iter().filter(|(_, score)| !score.experimental);
        let newcomers = real.flat_map(|(group, score)| newcomers(totals, group, score, kind));
        let newcomers: Vec<Newcomer> = newcomers.collect();
        if !newcomers.is_empty() {
            recognitions.new_entrants.insert(kind, newcomers);
        }
    }
    recognitions
}

/// Sorts entries and assigns their ranks; equal entries share one.
fn places(places: impl IntoIterator<Item = Place>) -> Vec<Place> {
    let mut places: Vec<Place> = places.into_iter().collect();
    places.sort_by(|a, b| {
        let by_worth = b.correctness.total_cmp(&a.correctness).then(b.time.total_cmp(&a.time));
        by_worth.then_with(|| a.division.cmp(&b.division))
    });
    for at in 0..places.len() {
        let above = at.checked_sub(1).map(|above| &places[above]);
        let worth = |place: &Place| (place.correctness, place.time);
        let shared = above.filter(|above| worth(above) == worth(&places[at]));
        places[at].rank = shared.map_or(at + 1, |above| above.rank);
    }
    places
}

/// The lead of the winner over the next competing solver of another team (R19-7.9).
fn lead(totals: &Totals<'_>, group: &Group, score: &DivisionScore, kind: ScoreKind) -> Option<Place> {
    let solvers = &totals.results.solvers;
    let standings = standings(totals, group, kind);
    let first = standings.iter().find(|standing| can_win(totals, group, kind, &standings, standing))?;
    let mut competing =
        standings.iter().filter(|other| solvers[other.solver].competing && other.solver != first.solver);
    let within_teams = totals.rules.lead == LeadScope::Solvers;
    let second = competing.find(|other| within_teams || solvers[other.solver].team != solvers[first.solver].team)?;
    let seconds = |standing: &Standing| kind.time(standing.total.score.wall, standing.total.score.cpu).as_secs_f64();
    (first.total.score.correct > 0).then(|| Place {
        rank: 0,
        solver: solvers[first.solver].name.clone(),
        second: Some(solvers[second.solver].name.clone()),
        division: score.name.to_string(),
        correctness: (first.total.score.correct + 1) as f64 / (second.total.score.correct + 1) as f64,
        time: (seconds(second) + 1.0) / (seconds(first) + 1.0),
        experimental: score.experimental,
    })
}

/// The new entrants of a division that beat solvers of earlier editions by other teams.
fn newcomers(totals: &Totals<'_>, group: &Group, score: &DivisionScore, kind: ScoreKind) -> Vec<Newcomer> {
    let solvers = &totals.results.solvers;
    let standings = standings(totals, group, kind);
    let of = |at: usize| &solvers[standings[at].solver];
    let entry = |at: usize| {
        let own = of(at);
        let beaten: BTreeSet<&String> = (at + 1..standings.len())
            .filter(|other| compare(totals, kind, &standings[at], &standings[*other]).is_lt())
            .map(of)
            .filter(|other| other.competing && !other.is_new && other.team != own.team)
            .map(|other| &other.name)
            .collect();
        let is_one = own.is_new && own.competing && standings[at].total.score.correct > 0 && !beaten.is_empty();
        is_one.then(|| Newcomer {
            solver: own.name.clone(),
            division: score.name.to_string(),
            beats: beaten.into_iter().cloned().collect(),
        })
    };
    (0..standings.len()).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{World, world};
    use agon_domain::{Logic, ScoreKind, Track};

    const THREE: [(&str, &str, bool); 3] = [("A", "a", true), ("B", "b", true), ("C", "c", true)];

    fn three() -> World {
        world("smtcomp-2019").with_solvers(&THREE)
    }

    #[test]
    fn r19_3_7_and_r19_7_9_biggest_lead() {
        let world = three()
            .with_logic("CLOSE", &[("sat", "sat@1 sat@5 ."), ("sat", "sat@1 sat@5 .")])
            .with_logic("WIDE", &[("sat", "- sat@9 ."), ("sat", "- sat@9 .")]);
        let scores = world.score();
        let places = &scores.recognitions.biggest_lead[&ScoreKind::Parallel];
        assert_eq!((places[0].solver.as_str(), places[0].division.as_str(), places[0].rank), ("B", "WIDE", 1));
        assert_eq!(places[0].correctness, 3.0);
        assert_eq!(places[1].solver, "A");
        assert_eq!((places[1].correctness, places[1].time), (1.0, 11.0 / 3.0));
    }

    #[test]
    fn r19_7_10_largest_contribution() {
        let world = three()
            .with_logic("THREE", &[("sat", "sat@1 sat@5 sat@9"), ("sat", "- - sat@7"), ("sat", "- - -")])
            .with_logic("TWO", &[("sat", "sat@1 sat@5 .")]);
        let scores = world.score();
        let places = &scores.recognitions.largest_contribution[&ScoreKind::Parallel];
        // TWO has only two sound solvers. In THREE only C solves the second benchmark: without it 1 of 2 is lost.
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].solver, "C");
        let weight = 9.0 / (9.0 + 2.0);
        assert!((places[0].correctness - 0.5 * weight).abs() < 1e-12);
        let time = 1.0 - (1.0 + 7.0 + 2400.0) / (1.0 + 2400.0 + 2400.0);
        assert!((places[0].time - time * weight).abs() < 1e-12);
    }

    #[test]
    fn r19_7_11_new_entrants_that_beat_others() {
        let mut world = three().with_logic("QF_BV", &[("sat", "sat@1 sat@5 sat@9")]);
        world.solvers[1].is_new = true;
        let scores = world.score();
        let newcomers = &scores.recognitions.new_entrants[&ScoreKind::Parallel];
        assert_eq!(newcomers.len(), 1);
        assert_eq!((newcomers[0].solver.as_str(), &newcomers[0].beats[..]), ("B", &["C".to_owned()][..]));
        // Beating another new entrant is not beating an existing solver.
        world.solvers[2].is_new = true;
        assert!(world.score().recognitions.new_entrants.is_empty());
    }

    #[test]
    fn r19_3_6_nobody_is_recognized_for_an_experimental_division() {
        let world = three().with_logic("QF_S", &[("sat", "sat@1 sat@5 sat@9")]);
        let scores = world.score();
        assert!(scores.divisions[0].experimental);
        assert!(scores.recognitions.biggest_lead[&ScoreKind::Parallel][0].experimental);
        // A division of the table, and a whole track, can be experimental too.
        let mut world = three().with_logic("QF_BV", &[("sat", "sat@1 sat@5 sat@9")]);
        assert!(!world.score().divisions[0].experimental);
        world.rulebook.tracks.get_mut(&Track::SingleQuery).unwrap().experimental = true;
        assert!(world.score().divisions[0].experimental);
        world.rulebook.tracks.get_mut(&Track::SingleQuery).unwrap().experimental = false;
        let table = agon_rulebook::DivisionRules {
            logics: vec![Logic("QF_BV".into())],
            experimental: true,
            ..agon_rulebook::DivisionRules::default()
        };
        let table = agon_rulebook::Divisions([(agon_domain::Division("Bits".into()), table)].into());
        world.rulebook.divisions.insert(Track::SingleQuery, table);
        assert!(world.score().divisions[0].experimental);
    }
}
