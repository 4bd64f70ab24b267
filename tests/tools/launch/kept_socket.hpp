#pragma once

#include <fstream>
#include <string>

namespace lbsp::test {

/// Whether a process listens for `lbsp attach` of that job, whatever folder it is kept for.
inline bool has_kept_socket(int job) {
  const std::string end = "-" + std::to_string(job);
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);)
    if (line.find("@lbsp-kept-") != std::string::npos && line.ends_with(end)) return true;
  return false;
}

}  // namespace lbsp::test
