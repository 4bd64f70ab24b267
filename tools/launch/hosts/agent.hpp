#pragma once

namespace lbsp::launch::hosts {

/// `lbsp agent`: runs ranks on this machine for a launcher on another, which speaks frames to its standard
/// input and hears them from its standard output. Ends when the launcher does, and its ranks with it. Returns
/// the exit code.
int run_agent();

}  // namespace lbsp::launch::hosts
