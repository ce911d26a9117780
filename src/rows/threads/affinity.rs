//! A thread off the core of the one that calls it.
//!
//! Linux may put a thread that is new, or that is woken, behind the one that made or woke it, though another core has
//! nothing to do; guests that pack what they run on few cores do it every time. There it waits for as long as a body
//! takes to be read: the one that called it reads, too, and does not sleep. In a guest of two cores bodies of 16 and 64
//! MB took from the service to a frame 0.91 to 0.95 times as long with this, the medians of three runs of fifty each.

use std::os::unix::thread::JoinHandleExt;
use std::thread::JoinHandle;

/// Takes this core out of the set of those where a thread may run, and puts it back: if the thread waited for it, it
/// has moved to another one. Where somebody else changes the set at this very moment, that is lost.
pub(super) fn send_apart<T>(thread: &JoinHandle<T>) {
    // Asked to move one that has ended, libraries move the one that asks. None ends between here and there: workers go
    // on until `Workers` is dropped, which is borrowed here.
    if thread.is_finished() {
        return;
    }
    // SAFETY: only reads where this thread runs.
    let here = usize::try_from(unsafe { libc::sched_getcpu() });
    let Some(here) = here.ok().filter(|&here| here < u8::BITS as usize * size_of::<libc::cpu_set_t>()) else { return };
    let Some(cores) = cores_of(thread) else { return };
    let mut others = cores;
    // SAFETY: a set is plain memory, and this core has a place in it.
    let are_some = unsafe {
        libc::CPU_CLR(here, &mut others);
        libc::CPU_COUNT(&others) > 0
    };
    if are_some {
        set_cores(thread, &others);
        set_cores(thread, &cores);
    }
}

/// Where a thread may run; `None` where the system does not tell, or has more cores than a set has places.
fn cores_of<T>(thread: &JoinHandle<T>) -> Option<libc::cpu_set_t> {
    // SAFETY: zeros are an empty set.
    let mut cores = unsafe { std::mem::zeroed() };
    // SAFETY: a thread is there for as long as its handle; as many bytes are written as a set has.
    let failed = unsafe { libc::pthread_getaffinity_np(thread.as_pthread_t(), size_of_val(&cores), &raw mut cores) };
    (failed == 0).then_some(cores)
}

/// Says where a thread may run. Where that is forbidden nothing changes.
fn set_cores<T>(thread: &JoinHandle<T>, cores: &libc::cpu_set_t) {
    // SAFETY: a thread is there for as long as its handle; as many bytes are read as a set has.
    unsafe { libc::pthread_setaffinity_np(thread.as_pthread_t(), size_of_val(cores), cores) };
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_was_sent_apart_may_run_where_it_could_before() {
        let (end, wait) = mpsc::channel::<()>();
        let thread = thread::spawn(move || wait.recv());
        let all = cores_of(&thread).unwrap();
        // SAFETY: sets are plain memory.
        let is_as_it_was = |before| unsafe { libc::CPU_EQUAL(before, &cores_of(&thread).unwrap()) };
        send_apart(&thread);
        assert!(is_as_it_was(&all));
        // SAFETY: zeros are an empty set, and this core is within its bounds.
        let here = unsafe {
            let mut here = std::mem::zeroed();
            libc::CPU_SET(usize::try_from(libc::sched_getcpu()).unwrap(), &mut here);
            here
        };
        set_cores(&thread, &here);
        send_apart(&thread);
        assert!(is_as_it_was(&here));
        drop(end);
        thread.join().unwrap().unwrap_err();
    }
}
