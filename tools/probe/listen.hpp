#pragma once

#include "tools/probe/options.hpp"

namespace lbsp::probe {

/// `lbsp probe --listen`: serves clients one after the other until SIGINT or SIGTERM. Returns the exit code.
int listen(const ProbeOptions& options);

}  // namespace lbsp::probe
