#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp::test {

/// A way of carrying supersteps that the suites run over.
struct Backend {
  std::string name;
  std::function<std::vector<std::unique_ptr<transport::Exchange>>(Rank size)> make;

  friend std::ostream& operator<<(std::ostream& out, const Backend& backend) { return out << backend.name; }
};

/// Every backend: a line each.
inline std::vector<Backend> all_backends() {
  return {
      {"threads", transport::make_threads_exchanges},
  };
}

}  // namespace lbsp::test
