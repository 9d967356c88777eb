//! What tests need beside the code: the real binary in a world of its own, solvers that behave badly on purpose,
//! a real browser, and the shared data where it is at hand.

mod browser;
mod cost;
mod shared;
mod slurm;
mod solver;
mod world;

pub use browser::Browser;
pub use cost::{Cost, benchexec, contained_cost, from_pypi, random_numbers};
pub use shared::{shared, skipped, table, unpacked};
pub use slurm::{CONFIGURATION, Slurm};
pub use solver::{asked, fake_solver, solver_program, trivial_library};
pub use world::{Output, World, real_solvers};
