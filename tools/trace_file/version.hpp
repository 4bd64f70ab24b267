#pragma once

namespace lbsp::trace_file {

/// The "version" in every line of a trace, which grows when a key goes or means something else. Version 1 did not say
/// its own, and had no processor time.
inline constexpr int trace_version = 2;

}  // namespace lbsp::trace_file
