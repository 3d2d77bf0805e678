//! Lists the children of a process from `/proc`. Allocates nothing: forks use it.
use std::ffi::CStr;

/// Calls `f` with the number of each child in a `children` file of `/proc`; never where there is no such file. The list
/// may lack some of those that come while others go.
pub(super) fn each(file: &CStr, mut f: impl FnMut(i32)) {
    // SAFETY: system calls on a name, a descriptor and a buffer that live through them.
    unsafe {
        let fd = libc::open(file.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return;
        }
        let mut buffer = [0_u8; 4096];
        let mut number = 0_i32;
        while let Ok(count @ 1..) = usize::try_from(libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len())) {
            // Each number has a blank after it.
            for &byte in buffer.iter().take(count) {
                if byte.is_ascii_digit() {
                    number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
                } else if number > 0 {
                    f(number);
                    number = 0;
                }
            }
        }
        libc::close(fd);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_child_is_on_the_list() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut found = Vec::new();
        super::each(c"/proc/thread-self/children", |pid| found.push(pid.cast_unsigned()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&child.id()), "{found:?}");
    }
}
