//! When another key is to be expected first: one that some objects lack comes back, and one that all lack does not.

/// So many objects in succession have to lack it.
const PATIENCE: u8 = 8;

/// How many objects in succession began not with the expected key but with one of the next.
#[derive(Debug, Default)]
pub(in crate::rows::columns) struct FirstMissed {
    times: u8,
    /// The place of the object after the last of them.
    next: usize,
}

impl FirstMissed {
    /// Takes note of the object at `place`. Gives whether these are so many that its first key is to be expected.
    pub(super) fn learn(&mut self, place: usize) -> bool {
        self.times = match self.next.checked_sub(place) {
            Some(0) => self.times + 1,
            // A row that is read again.
            Some(1) => self.times,
            _ => 1,
        };
        self.next = place + 1;
        let is_gone = self.times >= PATIENCE;
        if is_gone {
            self.times = 0;
        }
        is_gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_gone_where_many_objects_in_succession_lack_it_and_only_there() {
        let mut missed = FirstMissed::default();
        assert!(!(0..1000).filter(|place| place % 8 > 0).any(|place| missed.learn(place)));
        let gone: Vec<usize> = (1001..1021).filter(|&place| missed.learn(place) | missed.learn(place)).collect();
        assert_eq!(gone, [1008, 1016]);
    }
}
