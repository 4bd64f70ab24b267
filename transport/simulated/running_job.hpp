#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::transport {

/// A simulated job that does one superstep after the other, every rank at its own pace, for as long as time goes on.
/// It is a part of SharedTime, beside other jobs and flows. A rank that fails ends it with std::runtime_error. As over
/// UDP, a rank that has to find its rate begins when the first answers are there, or when no more are to be expected.
class RunningJob {
 public:
  /// The bytes of each superstep's message.
  using SizeOf = std::function<std::size_t(Rank from, Rank to)>;

  /// Rank r begins later by `later[r]`; empty: all begin at once.
  RunningJob(const SimulationConfig& config, SizeOf size_of, const std::vector<Duration>& later = {})
      : size_of_(std::move(size_of)),
        network_(config),
        beginning_(config.beginning),
        earliest_(static_cast<std::size_t>(config.size), config.beginning),
        supersteps_(static_cast<std::size_t>(config.size)) {
    for (Rank rank = 0; rank < config.size; ++rank) {
      if (!later.empty()) earliest_[static_cast<std::size_t>(rank)] += later[static_cast<std::size_t>(rank)];
      begin_at(waits_until(rank), rank);
    }
  }

  Instant next_event() const {
    return waiting_.empty() ? network_.next_event()
                            : std::min(network_.next_event(), waiting_.begin()->first);
  }
  void step() {
    if (!waiting_.empty() && waiting_.begin()->first <= network_.next_event()) {
      const auto [at, first] = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      network_.pass_to(at);
      return begin_at(waits_until(first), first);
    }
    const auto rank = network_.step();
    if (!rank) return;
    const Endpoint& endpoint = network_.endpoint(*rank);
    if (endpoint.failure()) throw std::runtime_error(endpoint.failure()->message);
    if (waits(*rank)) return look_for_answers(*rank);
    if (!endpoint.exchange_complete()) return;
    network_.act(*rank, [](Endpoint& complete, Instant) { complete.take_messages(); });
    const std::uint32_t done = ++supersteps_[static_cast<std::size_t>(*rank)];
    if (done > ends_.size() && std::ranges::min(supersteps_) == done) ends_.push_back(network_.now());
    begin(*rank);
  }

  const SimulatedNetwork& network() const { return network_; }
  std::size_t supersteps() const { return ends_.size(); }  ///< that all ranks have done
  /// Of the supersteps from number `first` on: from the end of one, on the last rank, to that of the next.
  double mean_seconds(std::size_t first) const {
    if (ends_.size() <= first) return 1e9;
    const Instant from = first == 0 ? begun_ : ends_[first - 1];
    return std::chrono::duration<double>(ends_.back() - from).count() /
           static_cast<double>(ends_.size() - first);
  }
  double seconds(std::size_t superstep) const {
    const Instant from = superstep == 0 ? begun_ : ends_[superstep - 1];
    return std::chrono::duration<double>(ends_[superstep] - from).count();
  }
  TrafficCounters traffic() const {
    TrafficCounters sum;
    for (Rank rank = 0; rank < network_.size(); ++rank)
      sum += network_.endpoint(rank).counters();
    return sum;
  }

 private:
  auto beginning_of(Rank rank) const {
    return std::ranges::find(waiting_, rank, [](const auto& each) { return each.second; });
  }
  bool waits(Rank rank) const { return !waiting_.empty() && beginning_of(rank) != waiting_.end(); }
  Instant waits_until(Rank rank) const {
    const Endpoint& endpoint = network_.endpoint(rank);
    const Instant earliest = earliest_[static_cast<std::size_t>(rank)];
    return endpoint.awaits_first_answers() ? std::max(earliest, endpoint.first_answers_until(beginning_))
                                           : earliest;
  }
  void look_for_answers(Rank rank) {
    if (network_.endpoint(rank).awaits_first_answers()) return;
    waiting_.erase(beginning_of(rank));
    begin_at(earliest_[static_cast<std::size_t>(rank)], rank);
  }
  void begin_at(Instant time, Rank rank) {
    if (time > network_.now()) {
      waiting_.emplace(time, rank);
    } else {
      begin(rank);
    }
  }
  void begin(Rank rank) {
    begun_ = std::min(begun_, network_.now());
    std::vector<Bytes> outgoing(static_cast<std::size_t>(network_.size()));
    for (Rank to = 0; to < network_.size(); ++to) {
      if (to != rank) outgoing[static_cast<std::size_t>(to)] = Bytes(size_of_(rank, to));
    }
    network_.act(rank,
                 [&](Endpoint& endpoint, Instant now) { endpoint.begin_exchange(std::move(outgoing), now); });
  }

  SizeOf size_of_;
  SimulatedNetwork network_;
  Instant beginning_;
  std::vector<Instant> earliest_;               ///< when each may begin …
  std::set<std::pair<Instant, Rank>> waiting_;  ///< … and who has not, and will when
  std::vector<std::uint32_t> supersteps_;
  std::vector<Instant> ends_;  ///< of each superstep, on the last rank
  Instant begun_ = never;      ///< the first of them
};

}  // namespace lbsp::transport
