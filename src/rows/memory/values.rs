//! Vectors of values that become Arrow buffers without being copied. Large ones take their memory from the free list,
//! or map new pages, and give back the pages that they did not grow into.

use std::mem::ManuallyDrop;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use allocator_api2::alloc::{AllocError, Allocator, Global, Layout};
use allocator_api2::vec::Vec;
use arrow_buffer::{ArrowNativeType, Buffer};

use super::free_list;
use super::mapping::{self, Mapping};

pub(in crate::rows) type Values<T> = Vec<T, Pages>;

/// Where the memory of values comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::rows) struct Pages;

/// The values as they are, without copying. A lot of room that they did not grow into is given back.
pub(in crate::rows) fn freeze<T: ArrowNativeType>(values: Values<T>) -> Buffer {
    if values.capacity() * size_of::<T>() < mapping::MMAP_THRESHOLD {
        let (start, len, capacity, _) = values.into_raw_parts_with_alloc();
        // SAFETY: by its size the allocator gave it out, with the layout of just such a vector. One buffer of it costs
        // less to make than one with an owner of another kind, and thousands of columns may have few values each.
        return Buffer::from_vec(unsafe { std::vec::Vec::from_raw_parts(start, len, capacity) });
    }
    // The vector's own pointer, not one to a slice of it: it is good for the head in front of the values, too.
    let start = NonNull::new(values.as_ptr().cast_mut()).expect("the pointer of a vector is never null").cast::<u8>();
    let len = size_of_val(values.as_slice());
    // SAFETY: by its size it was given out here. The buffer is of the first `len` bytes alone, and the vector is kept
    // only to be dropped.
    unsafe { give_back_after(start, len) };
    // SAFETY: nobody writes to these bytes any more, and they last as long as the buffer.
    unsafe { Buffer::from_custom_allocation(start, len, Arc::new(AssertUnwindSafe(values))) }
}

/// In front of the values stands how long their mapping is, which may be more than was asked for. Cache lines stay
/// whole.
const HEAD: usize = 64;

fn are_pages(layout: Layout) -> bool {
    layout.size() >= mapping::MMAP_THRESHOLD
}

/// Values stand after the head, and so are aligned as it is.
fn check_alignment(layout: Layout) -> Result<(), AllocError> {
    if layout.align() <= HEAD { Ok(()) } else { Err(AllocError) }
}

/// Pages of what is kept, or new ones. Where there are none this fails and does not turn to the allocator: where memory
/// came from is told by its size alone when it is given back.
fn pages(layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
    let len = layout.size() + HEAD;
    check_alignment(layout)?;
    let mapping = free_list::take_or_make_way(len).or_else(|| Mapping::new(len)).ok_or(AllocError)?;
    Ok(give_out(mapping, layout.size()))
}

/// Gives out what is after the head: `size` bytes, of which there are as many.
fn give_out(mapping: Mapping, size: usize) -> NonNull<[u8]> {
    let len = mapping.len();
    debug_assert!(len >= HEAD + size, "{len} bytes are too few for {size}");
    let start = mapping.into_raw();
    // SAFETY: these pages are the mapping's own and can be written to; they begin aligned to a page, and are more than
    // the head.
    let values = unsafe {
        start.cast().write(len);
        start.add(HEAD)
    };
    NonNull::slice_from_raw_parts(values, size)
}

/// The mapping of what was given out.
///
/// # Safety
/// `values` came from [`give_out`], and at most one mapping of it exists at a time. Unless that one is given out again
/// or forgotten, `values` is not used any more.
unsafe fn take_back(values: NonNull<u8>) -> Mapping {
    // SAFETY: in front of what is given out stands its head, in which `give_out` wrote how long the mapping is; that is
    // nobody else's, as is promised here.
    unsafe {
        let start = values.sub(HEAD);
        Mapping::from_raw(start, start.cast().read())
    }
}

/// # Safety
/// It was given out, and nothing beyond its first `len` bytes is used any more.
unsafe fn give_back_after(values: NonNull<u8>, len: usize) {
    // SAFETY: it was given out, and is given out again below, with nothing using it in between.
    let mut mapping = unsafe { take_back(values) };
    let rest = mapping.split_off(len + HEAD);
    give_out(mapping, len);
    rest.into_iter().for_each(free_list::keep);
}

// SAFETY: what is given out is nobody else's until it is given back, wherever this value is moved or copied. Which of
// the two ways it came is told by its size, which is the same when it is given back. Pages are given out only where
// they are as aligned as was asked.
unsafe impl Allocator for Pages {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if are_pages(layout) { pages(layout) } else { Global.allocate(layout) }
    }

    unsafe fn deallocate(&self, values: NonNull<u8>, layout: Layout) {
        if are_pages(layout) {
            // SAFETY: nobody uses it any more, and its size says that it was given out here.
            free_list::keep(unsafe { take_back(values) });
        } else {
            // SAFETY: it came from there with this layout.
            unsafe { Global.deallocate(values, layout) }
        }
    }

    unsafe fn grow(&self, values: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if !are_pages(new) {
            // SAFETY: both are from there, and the rest is promised as it is there.
            return unsafe { Global.grow(values, old, new) };
        }
        check_alignment(new)?;
        let mut kept = None;
        if are_pages(old) {
            let len = new.size() + HEAD;
            // SAFETY: its size says that it was given out here. Where it does not grow, this mapping is forgotten: what
            // was given out stays as it was, and `deallocate` below takes it back.
            let mut mapping = ManuallyDrop::new(unsafe { take_back(values) });
            if mapping.len() < len {
                // To copy into these takes less time than the system needs to find others.
                kept = free_list::take(len);
            }
            // SAFETY: the caller of this function uses what it gets instead.
            if kept.is_none() && unsafe { mapping.grow(len) }.is_some() {
                return Ok(give_out(ManuallyDrop::into_inner(mapping), new.size()));
            }
        }
        let grown = kept.map_or_else(|| pages(new), |kept| Ok(give_out(kept, new.size())))?;
        // SAFETY: the two do not overlap, and the new one is the larger.
        unsafe {
            grown.cast().copy_from_nonoverlapping(values, old.size());
            self.deallocate(values, old);
        }
        Ok(grown)
    }

    unsafe fn shrink(&self, values: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if are_pages(new) {
            check_alignment(new)?;
            // SAFETY: the old one is no smaller, so it was given out here, and what is after the new one is used no
            // more.
            unsafe { give_back_after(values, new.size()) };
            return Ok(NonNull::slice_from_raw_parts(values, new.size()));
        }
        if !are_pages(old) {
            // SAFETY: both are from there, and the rest is promised as it is there.
            return unsafe { Global.shrink(values, old, new) };
        }
        let shrunk = Global.allocate(new)?;
        // SAFETY: the two do not overlap, and the old one is the larger.
        unsafe {
            shrunk.cast().copy_from_nonoverlapping(values, new.size());
            self.deallocate(values, old);
        }
        Ok(shrunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_grows_into_kept_memory_takes_no_more_of_it_than_it_asks_for() {
        let least = mapping::MMAP_THRESHOLD;
        free_list::keep(Mapping::new(64 * least).unwrap());
        let mut values: Values<u64> = Values::new_in(Pages);
        values.reserve_exact(8);
        values.reserve_exact(least / size_of::<u64>());
        let size = values.capacity() * size_of::<u64>();
        let start = NonNull::new(values.as_mut_ptr()).unwrap().cast();
        // SAFETY: it is large enough to have been given out here, and is again before it is used.
        let mapping = unsafe { take_back(start) };
        let len = mapping.len();
        give_out(mapping, size);
        assert!(len < 2 * least, "{len} of {size}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn they_are_what_a_plain_vector_would_hold(counts in prop::collection::vec((prop_oneof![0usize..300, 0usize..200_000], any::<bool>()), 0..8)) {
            let (mut values, mut plain) = (Values::new_in(Pages), std::vec::Vec::new());
            for (count, is_exact) in counts {
                let before = plain.len() as u64;
                let more = (0..count as u64).map(|value| value ^ before);
                if is_exact {
                    values.reserve_exact(count);
                }
                values.extend(more.clone());
                plain.extend(more);
                let copy = values.clone();
                prop_assert!(*copy == *plain);
                values.truncate(plain.len() - count / 3);
                values.shrink_to_fit();
                plain.truncate(plain.len() - count / 3);
            }
            let buffer = freeze(values);
            prop_assert!(buffer.typed_data::<u64>() == plain);
        }
    }
}
