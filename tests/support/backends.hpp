#pragma once

#include <exception>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::test {

/// What one rank does with its exchange.
using RankBody = std::function<void(transport::Exchange&)>;

/// A way of carrying supersteps that the suites run over.
struct Backend {
  std::string name;
  /// Runs the body on `size` ranks, each on a thread of its own. Returns what each threw; null where it returned.
  std::function<std::vector<std::exception_ptr>(Rank size, const RankBody& body)> run;

  friend std::ostream& operator<<(std::ostream& out, const Backend& backend) { return out << backend.name; }
};

/// Threads of one process, real sockets without and with heavy loss, and the simulated network with every fault.
std::vector<Backend> all_backends();

}  // namespace lbsp::test
