//! Gives memory back to the machine when it is freed.
//!
//! The C library keeps what is freed for the next time, and from ever larger pieces the more it has seen. A model that was
//! dropped after its rest would stay in the process, and the next one would come beside it.

/// Pieces from this size on come from the machine itself, and go back to it at once: weights do, requests do not.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 512 * 1024;

/// Called once, before there is another thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has no other way to be told; it only takes a number")]
pub(crate) fn give_back_when_freed() {
    // SAFETY: no pointer is passed, and no other thread runs yet.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Elsewhere the allocator is left as it is.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_when_freed() {}
