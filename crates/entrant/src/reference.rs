//! The reference solver, which comes with Agon.

use crate::DESCRIPTION;
use std::fs;
use std::io;
use std::path::Path;

/// The file name of the reference solver. It is installed in the same directory as `agon`.
pub const REFERENCE: &str = "agon-ref";

/// The logics that the reference solver decides.
const LOGICS: [&str; 7] = ["QF_UF", "QF_BV", "QF_UFBV", "QF_AX", "QF_ABV", "QF_AUFBV", "QF_AUF"];

/// Writes an entrant's directory with the reference solver, as an entry of the organizers (R19-4.13).
pub fn write_reference(program: &Path, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("bin"))?;
    fs::copy(program, directory.join("bin").join(REFERENCE))?;
    let logics = LOGICS.map(|logic| format!("{logic:?}")).join(", ");
    let mut text = format!(
        "name = {REFERENCE:?}\nversion = {:?}\nteam = \"Agon\"\nkind = \"organizer\"\n\n[commands]\n",
        env!("CARGO_PKG_VERSION")
    );
    let tracks = ["single-query", "unsat-core", "model-validation"];
    for track in tracks {
        text.push_str(&format!("{track} = [\"bin/{REFERENCE}\", \"{{benchmark}}\"]\n"));
    }
    text.push_str(&format!("incremental = [\"bin/{REFERENCE}\", \"-\"]\n\n[divisions]\n"));
    for track in tracks.into_iter().chain(["incremental"]) {
        text.push_str(&format!("{track} = [{logics}]\n"));
    }
    fs::write(directory.join(DESCRIPTION), text)
}
