#pragma once

#include <string>

namespace lbsp {

/// What `lbsp --version` prints: the version, what it was built by and with, and what this build can do on this host.
std::string version_text();

}  // namespace lbsp
