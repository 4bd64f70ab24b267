#pragma once

namespace lbsp::test {

/// Whether a sanitizer watches this program. Then everything takes several times as long, and an allocation that
/// fails ends the program instead of throwing std::bad_alloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How many times longer a test waits, before it gives something up, than that takes on a quick machine with nothing
/// else to do. What comes in time costs nothing of it.
inline constexpr int patience_factor = sanitized ? 10 : 5;

}  // namespace lbsp::test
