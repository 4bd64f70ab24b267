#include "tests/support/run_ranks.hpp"

namespace lbsp::test {

std::vector<std::exception_ptr> outcomes(const Backend& backend, Rank size, const Program& program) {
  return backend.run(size, [&program](transport::Exchange& exchange) {
    try {
      World world(exchange);
      program(world);
      world.finish();
    } catch (const std::exception& error) {
      exchange.abort(error.what());
      throw;
    }
  });
}

}  // namespace lbsp::test
