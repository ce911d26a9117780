//! Bytes after others, as texts come. The vectors would append them one by one, and to copy bytes whose number is
//! known only at run time is a call.

use super::lines::LINE;
use super::{Tail, Values};
use crate::rows::prefetch::prefetch_write;

/// After more bytes in a row than this there is no need to say that more are written soon.
const FOLLOWED: usize = 1 << 10;

/// Appends the first `count` of these bytes, of which all are copied; `false` where there is no room for that.
#[inline]
pub(in crate::rows) fn append_loaded<const N: usize>(values: &mut Values<u8>, loaded: &[u8; N], count: usize) -> bool {
    if values.capacity() - values.len() < N || count > N {
        return false;
    }
    // SAFETY: there is room for all of them after the values. There are no fewer than `count`, so what become values
    // were written.
    unsafe {
        values.as_mut_ptr().add(values.len()).cast::<[u8; N]>().write_unaligned(*loaded);
        values.set_len(values.len() + count);
    }
    prefetch_write(values.as_ptr_range().end);
    true
}

/// Appends bytes.
pub(in crate::rows) fn append_bytes(values: &mut Values<u8>, bytes: &[u8]) {
    let mut tail = Tail::after(values);
    tail.extend(bytes);
    tail.keep();
    let end = values.as_ptr_range().end;
    // As many bytes are likely to come next. Where they are very many, processors follow by themselves.
    let ahead = if bytes.len() > FOLLOWED { LINE } else { bytes.len() };
    for line in (0..ahead).step_by(LINE) {
        prefetch_write(end.wrapping_add(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::memory::Pages;

    #[test]
    fn what_was_loaded_along_is_overwritten() {
        let mut values = Values::new_in(Pages);
        values.reserve(64);
        assert!(append_loaded(&mut values, b"ab, and what stands after", 2));
        append_bytes(&mut values, b"cd");
        assert_eq!(&values[..], b"abcd");
    }

    #[test]
    fn nothing_is_loaded_where_there_is_no_room_for_it_and_no_more_is_taken_than_was() {
        let mut values = Values::new_in(Pages);
        values.reserve_exact(64);
        let room = values.capacity();
        append_bytes(&mut values, &vec![1; room - 7]);
        assert!(!append_loaded(&mut values, b"12345678", 1));
        assert!(!append_loaded(&mut values, b"1234567", 8));
        assert!(append_loaded(&mut values, b"1234567", 7));
        assert_eq!((values.len(), values.capacity()), (room, room));
    }
}
