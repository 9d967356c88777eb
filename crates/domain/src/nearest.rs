//! Suggestions for misspelled names.

/// The known name nearest to a word, if the difference can be a typo, an abbreviation or letter case.
fn nearest<S: AsRef<str>>(word: &str, known: impl IntoIterator<Item = S>) -> Option<S> {
    let word = word.to_lowercase();
    let most = (word.chars().count() / 3).clamp(1, 3);
    let distance = |name: &S| {
        let name = name.as_ref().to_lowercase();
        // An abbreviation is a better guess than a word that differs in several letters.
        if word.len() >= 2 && (name.starts_with(&word) || word.starts_with(&name) && name.len() >= 2) {
            return 1;
        }
        edits(&word, &name)
    };
    let near = known.into_iter().map(|name| (distance(&name), name)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// ` (did you mean NAME?)` if a known name is similar, for the middle of a message; otherwise empty.
pub fn did_you_mean<S: AsRef<str>>(word: &str, known: impl IntoIterator<Item = S>) -> String {
    nearest(word, known).map_or(String::new(), |name| format!(" (did you mean {}?)", name.as_ref()))
}

/// The Levenshtein distance between two words.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (place, against) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *against);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_recognized_and_other_words_are_not() {
        let known = ["smtcomp-2019", "smtcomp-2020", "slcomp-2019"];
        assert_eq!(nearest("smtcmp-2019", known), Some("smtcomp-2019"));
        assert_eq!(nearest("SMTCOMP-2020", known), Some("smtcomp-2020"));
        assert_eq!(nearest("slcomp", known), Some("slcomp-2019"));
        assert_eq!(nearest("casc", known), None);
        assert_eq!(nearest("qf_bv", ["QF_BV", "QF_ABV"]), Some("QF_BV"));
        assert_eq!(nearest("x", Vec::<String>::new()), None);
    }

    #[test]
    fn levenshtein_distances() {
        for (one, other, count) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
            assert_eq!(edits(one, other), count, "{one} {other}");
        }
    }
}
