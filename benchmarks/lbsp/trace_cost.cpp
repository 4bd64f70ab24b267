// What a trace costs: batches of empty supersteps between threads, with and without one, in pairs. Prints the medians
// of a superstep's time, and the median and quartiles of the pairs' ratios.
//   trace_cost [RANKS [SUPERSTEPS [PAIRS]]]     2 ranks, 100000 supersteps and 51 pairs by default
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <vector>

#include "lbsp/world.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Nanoseconds of a superstep of the slowest rank.
double batch(bool traced, int ranks, int supersteps) {
  const auto exchanges = lbsp::transport::make_threads_exchanges(ranks);
  std::vector<double> times(exchanges.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < exchanges.size(); ++rank)
    threads.emplace_back([&, rank] {
      lbsp::World world(*exchanges[rank]);
      if (traced) world.trace();
      world.sync();
      const auto began = Clock::now();
      for (int i = 0; i < supersteps; ++i)
        world.sync();
      times[rank] = std::chrono::duration<double, std::nano>(Clock::now() - began).count() / supersteps;
      world.finish();
    });
  for (std::thread& thread : threads)
    thread.join();
  return *std::ranges::max_element(times);
}

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int count, char** words) {
  const auto word = [&](int place, int otherwise) {
    return count > place ? std::max(1, std::atoi(words[place])) : otherwise;
  };
  const int ranks = word(1, 2);
  const int supersteps = word(2, 100'000);
  const int pairs = word(3, 51);
  std::vector<double> plain;
  std::vector<double> traced;
  std::vector<double> ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    const bool first = pair % 2 == 0;  // whichever comes first has the colder caches
    const double one = batch(first, ranks, supersteps);
    const double other = batch(!first, ranks, supersteps);
    traced.push_back(first ? one : other);
    plain.push_back(first ? other : one);
    ratios.push_back(traced.back() / plain.back());
  }
  fmt::print("{} ranks: {:.1f} ns, traced {:.1f} ns, ratio {:.4f} (quartiles {:.4f} and {:.4f})\n", ranks,
             quantile(plain, 0.5), quantile(traced, 0.5), quantile(ratios, 0.5), quantile(ratios, 0.25),
             quantile(ratios, 0.75));
  return 0;
}
