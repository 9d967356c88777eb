//! A list from which items are drawn, with the others kept in order.

/// The subset of `0..len` that is left. Finds and removes its n-th item in logarithmic time.
#[derive(Debug)]
pub(crate) struct Remaining {
    /// A Fenwick tree of counts, indexed from 1.
    counts: Vec<u32>,
    left: usize,
}

impl Remaining {
    pub(crate) fn new(len: usize) -> Self {
        // A node covers as many items as the value of its lowest set bit, and all of them are present.
        let counts = (0..=len).map(|node| (node & node.wrapping_neg()) as u32).collect();
        Self { counts, left: len }
    }

    pub(crate) fn len(&self) -> usize {
        self.left
    }

    /// Removes and returns the n-th remaining item, from 0.
    pub(crate) fn take(&mut self, nth: usize) -> usize {
        debug_assert!(nth < self.left);
        let (mut node, mut before) = (0, nth as u32);
        let mut step = self.counts.len().next_power_of_two() / 2;
        while step > 0 {
            if let Some(&count) = self.counts.get(node + step)
                && count <= before
            {
                node += step;
                before -= count;
            }
            step /= 2;
        }
        self.remove(node);
        node
    }

    /// Removes an item, which must be present.
    pub(crate) fn remove(&mut self, item: usize) {
        let mut node = item + 1;
        while node < self.counts.len() {
            self.counts[node] -= 1;
            node += node & node.wrapping_neg();
        }
        self.left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_behaves_like_a_list_with_removal() {
        for len in [0, 1, 2, 3, 7, 8, 9, 100] {
            let mut list: Vec<usize> = (0..len).collect();
            let mut remaining = Remaining::new(len);
            let mut random = crate::CRandom::new(len as u32);
            while !list.is_empty() {
                let nth = random.below(list.len());
                if nth % 5 == 4 {
                    remaining.remove(list.remove(nth));
                } else {
                    assert_eq!(remaining.take(nth), list.remove(nth));
                }
                assert_eq!(remaining.len(), list.len());
            }
        }
    }
}
