//! Exported and imported results have the same scores: in every track, under every rulebook, by the text of the rules
//! and as published.

use agon_domain::{Answer, Claim, Division, End, Evidence, Logic, Status, Time, Track, Validity};
use agon_rulebook::Rulebook;
use agon_score::{
    BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Rules, Run, Solver, SolverIx, TrackResults, score, solved_times,
};
use std::collections::BTreeSet;

/// A pseudorandom generator with the same sequence in every run of the test.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// True with probability 1 / `times`.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

const ANSWERS: [Answer; 3] = [Answer::Sat, Answer::Unsat, Answer::Unknown];
const VALIDITIES: [Validity; 4] = [Validity::Valid, Validity::Invalid, Validity::CutOff, Validity::Undecided];

fn claim(random: &mut Random, track: Track, is_incremental: bool) -> Claim {
    let answer = random.one_of(&ANSWERS);
    if is_incremental {
        let wrong = u32::from(random.once_in(6));
        let correct = if wrong > 0 { 0 } else { random.below(9) as u32 };
        return Claim { answer: Answer::Unknown, evidence: Evidence::Queries { correct, wrong } };
    }
    match track {
        Track::UnsatCore => {
            let evidence = match answer {
                Answer::Unsat if random.once_in(5) => Evidence::RefutedCore,
                Answer::Unsat => Evidence::Core(random.below(20) as u32),
                Answer::Sat => Evidence::RefutedCore,
                Answer::Unknown => Evidence::Core(0),
            };
            Claim { answer, evidence }
        }
        Track::ModelValidation => Claim { answer, evidence: Evidence::Model(random.one_of(&VALIDITIES)) },
        // Checkers have no result for a proof that is cut off.
        Track::Proof => {
            let validity = random.one_of(&[Validity::Valid, Validity::Invalid, Validity::Undecided]);
            let evidence = if random.once_in(4) { Evidence::None } else { Evidence::Proof(validity) };
            Claim { answer, evidence }
        }
        Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud => {
            if random.once_in(8) {
                Claim { answer: Answer::Unknown, evidence: Evidence::Failure }
            } else {
                Claim { answer, evidence: Evidence::None }
            }
        }
        Track::Incremental | Track::IndustryChallengeIncremental => unreachable!("handled above"),
    }
}

fn solvers(random: &mut Random) -> Vec<Solver> {
    let count = 3 + random.below(4) as usize;
    let solver = |at: usize, random: &mut Random| Solver {
        disqualified: random.once_in(6).then(|| "cheats, (decision 3)".to_owned()),
        name: format!("Solver {at}, \"fast\""),
        team: format!("team {}", random.below(count as u64)),
        competing: !random.once_in(4),
        has_source: random.once_in(2),
        base: random.once_in(4).then(|| SolverIx::at((at + 1) % count)),
        wraps: if random.once_in(4) { vec![SolverIx::at((at + 2) % count)] } else { vec![] },
        wraps_older: random.once_in(6),
        won: if random.once_in(4) { vec![Division("QF_BV".into())] } else { vec![] },
        is_new: random.once_in(3),
        note: random.once_in(3).then(|| "a note, with commas".to_owned()),
    };
    (0..count).map(|at| solver(at, random)).collect()
}

fn results(random: &mut Random, track: Track, is_incremental: bool) -> TrackResults {
    let solvers = solvers(random);
    let logics: Vec<Logic> = ["QF_BV", "LIA", "UFNIA", "QF_S"].map(|name| Logic(name.into())).into();
    let mut results =
        TrackResults { track, is_incremental, solvers, logics, benchmarks: vec![], runs: vec![], entered: vec![] };
    for at in 0..24 {
        let logic = LogicIx::at(random.below(4) as usize);
        let family = random.below(3);
        // The directory of the last logic does not have the name of any logic.
        let directory = if logic.0 == 3 { "mine" } else { &results.logics[logic].0 };
        results.benchmarks.push(BenchmarkFacts {
            name: format!("non-incremental/{directory}/f{family}/deep/b{at}.smt2").into(),
            logic,
            status: random.one_of(&[Status::Sat, Status::Unsat, Status::Unknown]),
            queries: Some(9),
            asserts: Some(20),
        });
        for solver in 0..results.solvers.len() {
            if random.once_in(10) {
                continue;
            }
            let end = random.one_of(&[End::Complete, End::Complete, End::Complete, End::Timeout, End::Memout]);
            let wall = Time::from_nanos(random.below(3_000_000_000_000));
            results.runs.push(Run {
                solver: SolverIx::at(solver),
                benchmark: BenchmarkIx::at(at),
                claim: claim(random, track, is_incremental),
                end,
                wall,
                cpu: Time::from_nanos(wall.as_nanos() / 2 + random.below(2_000_000_000_000)),
                measured: Measured::All,
            });
        }
    }
    // A solver that entered but has no runs.
    results.solvers.push(Solver { name: "absent".into(), team: "absent".into(), competing: true, ..Solver::default() });
    results.entered.push((LogicIx(0), SolverIx::at(results.solvers.len() - 1)));
    results
}

#[test]
fn exported_results_score_like_the_original_in_every_track_under_every_rulebook() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("export.csv");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let rulebooks: Vec<Rulebook> = Rulebook::names().map(|name| Rulebook::named(name).unwrap()).collect();
    let mut compared = 0;
    for track in Track::ALL {
        let kinds: &[bool] = match track {
            Track::Incremental | Track::IndustryChallengeIncremental => &[true],
            Track::IndustryChallenge => &[false, true],
            _ => &[false],
        };
        for (is_incremental, _) in kinds.iter().flat_map(|kind| (0..4).map(move |round| (*kind, round))) {
            let origin = results(&mut random, track, is_incremental);
            let mut table = vec![];
            agon_import::write_csv(&origin, &mut table).unwrap();
            std::fs::write(&file, &table).unwrap();
            let imported = agon_import::read(std::slice::from_ref(&file)).unwrap();
            assert_eq!(imported.errors().next(), None);
            assert_eq!(imported.track(), if is_incremental { origin.track } else { track });
            let again = imported.into_results(track).unwrap().0;
            for rulebook in rulebooks.iter().filter(|rulebook| rulebook.tracks.contains_key(&track)) {
                for deviations in [&BTreeSet::new(), &rulebook.published] {
                    let rules = Rules::new(rulebook, track, deviations).unwrap();
                    let text = |results: &TrackResults| serde_json::to_string(&score(results, &rules)).unwrap();
                    assert_eq!(text(&origin), text(&again), "{} {track} {deviations:?}", rulebook.name);
                    assert_eq!(solved_times(&origin, &rules), solved_times(&again, &rules));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
}
