#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "transport/exchange.hpp"

namespace lbsp::test {

/// A way of carrying supersteps that the suites run over.
struct Backend {
  std::string name;
  /// Calls the program on `size` ranks, each with its exchange and on a thread of its own; returns when all
  /// have returned. The program throws nothing.
  std::function<void(Rank size, const std::function<void(transport::Exchange&)>& program)> run;

  friend std::ostream& operator<<(std::ostream& out, const Backend& backend) { return out << backend.name; }
};

/// Every backend that there can be in one process; or, if mpirun has started it, MPI alone.
std::vector<Backend> all_backends();

}  // namespace lbsp::test
