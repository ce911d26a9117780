//! Whether whoever wrote an intent still lives.

use std::fmt::Write as _;
use std::fs;

/// This process, so that no other is taken for it: its host, the host's boot, its namespace of processes, its number,
/// and when it began. `None` where the system does not tell; then only the deadline of a start judges it.
pub(super) fn this() -> Option<String> {
    let number = std::process::id();
    let mut name = around()?;
    let _ = write!(name, " {number} {}", began(number)?);
    Some(name)
}

/// Whether the process of that name has certainly ended. One of another host is not judged.
pub(super) fn has_ended(name: &str) -> bool {
    let mut parts = name.rsplitn(3, ' ');
    let (Some(then), Some(number), Some(there)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let Some(here) = around() else { return false };
    if there != here {
        // The same host after another boot has none of its processes left.
        let host = |name: &str| name.split(' ').next().map(str::to_owned);
        let boot = |name: &str| name.split(' ').nth(1).map(str::to_owned);
        return host(there) == host(&here) && boot(there) != boot(&here);
    }
    number.parse().is_ok_and(|number| began(number).is_none_or(|now| now != then))
}

/// Host, boot and namespace.
fn around() -> Option<String> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {} {}", host.trim(), boot.trim(), space.display()))
}

/// When a process began, in ticks since the boot; `None` where there is no such process, or only what is left of one
/// that ended.
fn began(number: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The second field is a name in parentheses, which may hold blanks and parentheses itself.
    let mut fields = line.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_that_began_at_another_time_has_ended() {
        let name = this().unwrap();
        assert!(!has_ended(&name));
        let (before, _) = name.rsplit_once(' ').unwrap();
        assert!(has_ended(&format!("{before} 1")));
        assert!(!has_ended("elsewhere another-boot pid:[1] 1 1"));
        assert!(!has_ended("junk"));
    }

    #[test]
    fn a_process_that_was_killed_has_ended_even_before_it_is_waited_for() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let name = format!("{} {} {}", around().unwrap(), child.id(), began(child.id()).unwrap());
        assert!(!has_ended(&name));
        child.kill().unwrap();
        while !has_ended(&name) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
