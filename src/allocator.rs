//! Where the memory of everything in Rust comes from.
//!
//! A table of few rows and many columns is thousands of small blocks, on which the system's allocator spent two fifths
//! of the time. Large blocks stay with it: of those that were let go of it keeps fewer, and a stream of 465 MB took 106
//! MB without it instead of 41. The largest are asked of neither (`rows::memory`).

use std::alloc::{GlobalAlloc, Layout, System};

use mimalloc::MiMalloc;

/// Up to here blocks are small. With 64 KiB large tables took 5 % longer.
const SMALL: usize = 8 << 10;

#[global_allocator]
static ALLOCATOR: BySize = BySize;

struct BySize;

fn is_small(size: usize) -> bool {
    size <= SMALL
}

// SAFETY: both are allocators, and which of them has a block is told by its size alone, which is the same when it is
// given back.
unsafe impl GlobalAlloc for BySize {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised here.
        unsafe { if is_small(layout.size()) { MiMalloc.alloc(layout) } else { System.alloc(layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised here.
        unsafe { if is_small(layout.size()) { MiMalloc.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as promised here, and by its size it came from there.
        unsafe { if is_small(layout.size()) { MiMalloc.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_small(layout.size()), is_small(size)) {
            // SAFETY: as promised here, and by its size it came from there.
            (true, true) => unsafe { MiMalloc.realloc(block, layout, size) },
            // SAFETY: as above.
            (false, false) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: as promised here: the size is one that goes with the alignment. The new block is as long as the
            // shorter of the two at least, and the old one is given back once, where there is a new one.
            _ => unsafe {
                let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_what_is_in_it_as_it_becomes_large_and_small_again() {
        let mut bytes: Vec<u8> = Vec::new();
        let lengths = [1, SMALL - 1, SMALL, SMALL + 1, 40 * SMALL, 2 * SMALL, SMALL + 1, SMALL, SMALL - 1, 3];
        for (len, mark) in lengths.into_iter().zip(1..) {
            let held = bytes.clone();
            bytes.resize(len, mark);
            bytes.shrink_to_fit();
            let kept = held.len().min(len);
            assert_eq!((&bytes[..kept], bytes.capacity()), (&held[..kept], len));
            assert!(bytes[kept..].iter().all(|&byte| byte == mark));
        }
    }

    #[test]
    fn blocks_of_any_size_are_aligned_as_asked_and_zeroed_where_asked() {
        for size in [1, SMALL, SMALL + 1, 9 * SMALL] {
            for align in [1, 16, 64, 4096] {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: none is empty, and each is given back as it was got.
                unsafe {
                    let [plain, zeroed] = [ALLOCATOR.alloc(layout), ALLOCATOR.alloc_zeroed(layout)];
                    assert!(plain.addr().is_multiple_of(align) && zeroed.addr().is_multiple_of(align));
                    assert!(std::slice::from_raw_parts(zeroed, size).iter().all(|&byte| byte == 0));
                    zeroed.write_bytes(1, size);
                    plain.copy_from_nonoverlapping(zeroed, size);
                    ALLOCATOR.dealloc(plain, layout);
                    ALLOCATOR.dealloc(zeroed, layout);
                }
            }
        }
    }
}
