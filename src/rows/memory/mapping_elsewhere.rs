//! No pages from the system itself: elsewhere than on Linux the allocator has it all.

use std::convert::Infallible;
use std::ptr::NonNull;

/// No layout is as large.
pub(super) const MMAP_THRESHOLD: usize = 1 << (usize::BITS - 1);

/// There is none.
#[derive(Debug)]
pub(super) struct Mapping(Infallible);

impl Mapping {
    pub(super) fn new(_: usize) -> Option<Self> {
        None
    }

    pub(super) fn populated(_: usize) -> Option<Self> {
        None
    }

    pub(super) fn untouched(_: usize) -> Option<Self> {
        None
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        match self.0 {}
    }

    pub(super) fn len(&self) -> usize {
        match self.0 {}
    }

    pub(super) unsafe fn grow(&mut self, _: usize) -> Option<()> {
        match self.0 {}
    }

    pub(super) fn split_off(&mut self, _: usize) -> Option<Self> {
        match self.0 {}
    }

    pub(super) fn is_beside(&self, _: &Self) -> bool {
        match self.0 {}
    }

    pub(super) fn join(self, _: Self) -> Self {
        match self.0 {}
    }

    pub(super) fn into_raw(self) -> NonNull<u8> {
        match self.0 {}
    }

    /// # Safety
    /// There is none that could be made one again, so this is never safe.
    pub(super) unsafe fn from_raw(_: NonNull<u8>, _: usize) -> Self {
        unreachable!("no memory is as large as that")
    }

    pub(super) fn offer(&self) {
        match self.0 {}
    }
}
