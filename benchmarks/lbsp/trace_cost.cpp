// What a trace costs: short batches of empty supersteps between threads, with and without one, in pairs that follow
// each other, so that whatever else the machine does meets both alike. Prints the medians of a superstep's time, and
// the median of the pairs' ratios with its interval of 95 %, from the order of the ratios alone. One rank waits for
// nothing: of it the processor's time counts, in which other programs are not.
//   trace_cost [RANKS [SUPERSTEPS [PAIRS]]]     2 ranks, 10000 supersteps and 4001 pairs by default
//   trace_cost --only plain|traced [RANKS [SUPERSTEPS]]     one batch, for a tool that counts instructions
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <vector>

#include "lbsp/trace/processor_time.hpp"
#include "lbsp/world.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace {

double nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count());
}

double now(bool alone) {
  return alone ? nanoseconds(lbsp::trace::thread_processor_time())
               : nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
}

/// Nanoseconds of a superstep of one rank, once all have begun.
double rank_batch(lbsp::transport::Exchange& exchange, bool traced, int supersteps) {
  lbsp::World world(exchange);
  if (traced) world.trace();
  world.sync();
  const bool alone = exchange.size() == 1;
  const double began = now(alone);
  for (int i = 0; i < supersteps; ++i)
    world.sync();
  const double took = now(alone) - began;
  world.finish();
  return took / supersteps;
}

/// The same of the slowest rank.
double batch(bool traced, int ranks, int supersteps) {
  const auto exchanges = lbsp::transport::make_threads_exchanges(ranks);
  std::vector<double> times(exchanges.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 1; rank < exchanges.size(); ++rank)
    threads.emplace_back([&, rank] { times[rank] = rank_batch(*exchanges[rank], traced, supersteps); });
  times[0] = rank_batch(*exchanges[0], traced, supersteps);
  for (std::thread& thread : threads)
    thread.join();
  return *std::ranges::max_element(times);
}

/// The value so many standard deviations of a median's place above it.
double around_median(std::vector<double> values, double deviations) {
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  const double place = last / 2 + deviations * std::sqrt(last + 1) / 2;
  return values[static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, last)))];
}

void compare(int ranks, int supersteps, int pairs) {
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
  constexpr double two_sided = 1.96;
  fmt::print(
      "{} ranks: {:.1f} ns, traced {:.1f} ns, ratio {:.4f} ({:.4f} to {:.4f} in 95 % of measurements, {} pairs)\n",
      ranks, around_median(plain, 0), around_median(traced, 0), around_median(ratios, 0),
      around_median(ratios, -two_sided), around_median(ratios, two_sided), pairs);
}

}  // namespace

int main(int count, char** words) {
  const auto word = [&](int place, int otherwise) {
    return count > place ? std::max(1, std::atoi(words[place])) : otherwise;
  };
  constexpr int supersteps = 10'000;
  constexpr int pairs = 4001;
  if (count > 2 && std::string(words[1]) == "--only") {
    batch(std::string(words[2]) == "traced", word(3, 2), word(4, supersteps));
  } else {
    compare(word(1, 2), word(2, supersteps), word(3, pairs));
  }
  return 0;
}
