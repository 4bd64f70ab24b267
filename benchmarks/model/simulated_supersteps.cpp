#include "benchmarks/model/simulated_supersteps.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "transport/simulated/superstep.hpp"

namespace lbsp::bench {
namespace {

using namespace transport;

// Empty supersteps until the smoothed round trip and its variation no longer remember their beginning.
constexpr int warm_up = 40;

double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

class RunningMean {
 public:
  void add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / count_;
    squares_ += step * (value - mean_);
  }
  Mean result() const { return {mean_, count_ > 1 ? std::sqrt(squares_ / (count_ - 1) / count_) : 0}; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace

SimulatedSupersteps::SimulatedSupersteps(const SimulationConfig& config, Pattern pattern, std::size_t bytes)
    : network_(config),
      rest_(4 * config.wan.round_trip_time + std::chrono::milliseconds{50}),
      pattern_(pattern),
      bytes_(bytes) {
  for (int i = 0; i < warm_up; ++i)
    superstep(0);
}

void SimulatedSupersteps::run() {
  superstep(bytes_);
}

void SimulatedSupersteps::rest() {
  network_.run_until([] { return false; }, network_.now() + rest_);
}

void SimulatedSupersteps::superstep(std::size_t bytes) {
  const auto ranks = static_cast<std::size_t>(network_.size());
  std::vector<std::vector<Bytes>> outgoing(ranks, std::vector<Bytes>(ranks));
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const bool sends = pattern_ == Pattern::all_to_all ? to != from : to == (from + 1) % ranks;
      if (sends) outgoing[from][to].assign(bytes, std::byte{42});
    }
  }
  std::vector<std::uint64_t> rounds_before;
  for (Rank rank = 0; rank < network_.size(); ++rank)
    rounds_before.push_back(network_.endpoint(rank).counters().rounds);
  const Instant begin = network_.now();
  const SuperstepOutcome outcome = run_superstep(network_, std::move(outgoing));
  seconds_ = to_seconds(*std::max_element(outcome.completed.begin(), outcome.completed.end()) - begin);
  forecast_ = to_seconds(network_.endpoint(0).forecast().duration);
  rounds_ = 0;
  for (Rank rank = 0; rank < network_.size(); ++rank) {
    const auto rounds =
        network_.endpoint(rank).counters().rounds - rounds_before[static_cast<std::size_t>(rank)];
    rounds_ = std::max(rounds_, static_cast<double>(rounds));
  }
  rest();
}

std::uint64_t SimulatedSupersteps::segments_sent() const {
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < network_.size(); ++rank)
    sum += network_.endpoint(rank).counters().segments_sent;
  return sum;
}

Measurement measure(SimulatedSupersteps& job, const Effort& effort) {
  // The processor's time: what else runs on the machine takes no supersteps away.
  const std::clock_t begin = std::clock();
  RunningMean seconds;
  RunningMean rounds;
  Measurement result;
  while (result.supersteps < effort.most) {
    job.run();
    seconds.add(job.seconds());
    result.each_seconds.push_back(job.seconds());
    rounds.add(job.rounds());
    ++result.supersteps;
    const Mean so_far = seconds.result();
    if (result.supersteps >= effort.fewest && so_far.standard_error <= effort.standard_error * so_far.value) {
      break;
    }
    if (static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC > effort.seconds) break;
  }
  result.seconds = seconds.result();
  result.rounds = rounds.result();
  return result;
}

}  // namespace lbsp::bench
