#include "tests/support/run_ranks.hpp"

#include <thread>
#include <utility>

namespace lbsp::test {
namespace {

std::exception_ptr run_rank(std::unique_ptr<transport::Exchange> exchange, const Program& program) {
  try {
    World world(*exchange);
    program(world);
    world.finish();
    return nullptr;
  } catch (const std::exception& error) {
    exchange->abort(error.what());
    return std::current_exception();
  }
}

}  // namespace

std::vector<std::exception_ptr> outcomes(const Backend& backend, Rank size, const Program& program) {
  auto exchanges = backend.make(size);
  std::vector<std::exception_ptr> results(exchanges.size());
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < exchanges.size(); ++rank) {
    threads.emplace_back([&results, &program, rank, exchange = std::move(exchanges[rank])]() mutable {
      results[rank] = run_rank(std::move(exchange), program);
    });
  }
  threads.clear();
  return results;
}

}  // namespace lbsp::test
