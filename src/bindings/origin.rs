//! The process that something was made in. A fork leaves the rest of that behind: threads, connections, whoever waits.

use std::ops::{Deref, DerefMut};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin(u32);

impl Origin {
    /// This process.
    pub(super) fn here() -> Self {
        Self(std::process::id())
    }

    /// Whether it was made in the process that this one was forked from.
    pub(super) fn is_the_parents(self) -> bool {
        self != Self::here()
    }
}

/// A value that only the process it was made in drops: in a fork of that, ending it could wait for threads that
/// do not exist there, or take locks that they held.
#[derive(Debug)]
pub(super) struct DroppedHere<T> {
    origin: Origin,
    /// There until it is dropped.
    value: Option<T>,
}

impl<T> DroppedHere<T> {
    pub(super) fn new(value: T) -> Self {
        Self { origin: Origin::here(), value: Some(value) }
    }

    /// Whether it was made in the process that this one was forked from.
    pub(super) fn is_the_parents(&self) -> bool {
        self.origin.is_the_parents()
    }

    /// The value, for somebody who knows how to let go of it in any process.
    pub(super) fn into_inner(mut this: Self) -> T {
        this.value.take().expect("it is not dropped yet")
    }
}

impl<T> Deref for DroppedHere<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("it is not dropped yet")
    }
}

impl<T> DerefMut for DroppedHere<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("it is not dropped yet")
    }
}

impl<T> Drop for DroppedHere<T> {
    fn drop(&mut self) {
        if self.is_the_parents() {
            std::mem::forget(self.value.take());
        }
    }
}
