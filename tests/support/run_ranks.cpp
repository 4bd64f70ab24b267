#include "tests/support/run_ranks.hpp"

namespace lbsp::test {
namespace {

std::exception_ptr run_rank(transport::Exchange& exchange, const Program& program) {
  try {
    World world(exchange);
    program(world);
    world.finish();
    return nullptr;
  } catch (const std::exception& error) {
    exchange.abort(error.what());
    return std::current_exception();
  }
}

}  // namespace

std::vector<std::exception_ptr> outcomes(const Backend& backend, Rank size, const Program& program) {
  std::vector<std::exception_ptr> results(static_cast<std::size_t>(size));
  backend.run(size, [&](transport::Exchange& exchange) {
    results[static_cast<std::size_t>(exchange.rank())] = run_rank(exchange, program);
  });
  return results;
}

}  // namespace lbsp::test
