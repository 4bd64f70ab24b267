#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "transport/core/endpoint.hpp"

namespace lbsp::transport::testing {

using namespace std::chrono_literals;

/// A datagram on its way, as a test may look at it before it decides its fate. Kind and numbers are in the
/// clear.
struct Passing {
  ClearHeader header;
  std::size_t bytes = 0;
  int index = 0;  ///< how many datagrams of this kind went from this sender to this receiver before it
};

/// Endpoints in virtual time, joined by a network with one fixed delay, on which a test decides, datagram by
/// datagram, what is lost. For scenarios; random faults are the simulated network's.
class ScriptedNetwork {
 public:
  ScriptedNetwork(Rank size, ExchangeOptions options, Duration one_way_delay = 10ms,
                  const PlannerFactory& planner = {})
      : delay_(one_way_delay) {
    for (std::uint8_t i = 0; i < 32; ++i)
      key_.bytes[i] = i;
    for (Rank rank = 0; rank < size; ++rank) {
      endpoints_.push_back(std::make_unique<Endpoint>(
          EndpointConfig{rank,
                         size,
                         options,
                         key_,
                         Cipher::chacha20_poly1305,
                         {},
                         planner ? std::shared_ptr<RedundancyPlanner>(planner(rank)) : nullptr},
          now_));
    }
  }

  /// Returns true for what is to be lost.
  std::function<bool(const Passing&)> lose = [](const Passing&) { return false; };

  Endpoint& operator[](Rank rank) { return *endpoints_[static_cast<std::size_t>(rank)]; }
  Instant now() const { return now_; }
  const JobKey& key() const { return key_; }
  /// How many datagrams of a kind were handed to the network, lost ones included.
  int sent(DatagramKind kind) const {
    int count = 0;
    for (const auto& [flow, flow_count] : counts_)
      count += flow.second == kind ? flow_count : 0;
    return count;
  }
  /// All datagrams of the run so far, as they crossed the network.
  const std::vector<std::pair<Rank, std::vector<std::byte>>>& record() const { return record_; }

  void begin_exchange(const std::function<Bytes(Rank, Rank)>& message) {
    for (Rank from = 0; from < size(); ++from)
      begin_exchange(from, message);
  }
  void begin_exchange(Rank from, const std::function<Bytes(Rank, Rank)>& message) {
    std::vector<Bytes> outgoing(static_cast<std::size_t>(size()));
    for (Rank to = 0; to < size(); ++to) {
      if (to != from) outgoing[static_cast<std::size_t>(to)] = message(from, to);
    }
    (*this)[from].begin_exchange(std::move(outgoing), now_);
    flush(from);
  }

  /// Runs until `done`, or until `limit` has passed; says whether it is done.
  bool run_until(const std::function<bool()>& done, Duration limit) {
    const Instant end = now_ + limit;
    for (Rank rank = 0; rank < size(); ++rank)
      flush(rank);
    while (!done()) {
      const Instant next = next_event();
      if (next > end) {
        now_ = end;
        return false;
      }
      now_ = std::max(now_, next);
      step();
    }
    return true;
  }
  bool run_exchange(Duration limit = 10s) {
    return run_until([&] { return all(&Endpoint::exchange_complete); }, limit);
  }
  void run_for(Duration time) {
    run_until([] { return false; }, time);
  }
  /// All processes are stopped for so long, and go on: nothing was called meanwhile.
  void sleep(Duration time) { now_ += time; }
  bool all(bool (Endpoint::*property)() const) {
    for (const auto& endpoint : endpoints_) {
      if (!(endpoint.get()->*property)()) return false;
    }
    return true;
  }
  /// From now on datagrams take so long.
  void set_delay(Duration one_way_delay) { delay_ = one_way_delay; }
  /// Takes a rank off the network: it hears nothing, and nothing is heard of it.
  void cut_off(Rank rank) { cut_off_.push_back(rank); }
  Rank size() const { return static_cast<Rank>(endpoints_.size()); }

  /// Sends what the endpoint wants to send now.
  void flush(Rank from) {
    std::vector<std::byte> buffer(65507);
    while (const auto transmit = (*this)[from].poll_transmit(buffer, now_)) {
      std::vector<std::byte> datagram(buffer.begin(),
                                      buffer.begin() + static_cast<std::ptrdiff_t>(transmit->bytes));
      const ClearHeader header = *read_clear_header(datagram);
      int& count = counts_[{{from, transmit->to}, header.kind}];
      const Passing passing{header, transmit->bytes, count++};
      const bool unreachable = is_cut_off(from) || is_cut_off(transmit->to);
      record_.emplace_back(transmit->to, datagram);
      if (!unreachable && !lose(passing))
        in_flight_.emplace(now_ + delay_, std::pair(transmit->to, datagram));
    }
  }

 private:
  Instant next_event() const {
    Instant next = in_flight_.empty() ? never : in_flight_.begin()->first;
    for (const auto& endpoint : endpoints_)
      next = std::min(next, endpoint->next_timeout());
    return next;
  }
  void step() {
    while (!in_flight_.empty() && in_flight_.begin()->first <= now_) {
      auto [to, datagram] = std::move(in_flight_.begin()->second);
      in_flight_.erase(in_flight_.begin());
      (*this)[to].handle_datagram(datagram, now_);
      flush(to);
    }
    for (Rank rank = 0; rank < size(); ++rank) {
      if ((*this)[rank].next_timeout() <= now_) (*this)[rank].handle_timeout(now_);
      flush(rank);
    }
  }
  bool is_cut_off(Rank rank) const {
    return std::find(cut_off_.begin(), cut_off_.end(), rank) != cut_off_.end();
  }

  JobKey key_;
  Duration delay_;
  Instant now_{};
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::multimap<Instant, std::pair<Rank, std::vector<std::byte>>> in_flight_;
  std::map<std::pair<std::pair<Rank, Rank>, DatagramKind>, int> counts_;
  std::vector<std::pair<Rank, std::vector<std::byte>>> record_;
  std::vector<Rank> cut_off_;
};

/// A message whose bytes tell who sent it to whom, and where they belong.
inline Bytes patterned(Rank from, Rank to, std::size_t bytes, std::uint32_t salt = 0) {
  Bytes message(bytes);
  auto state = static_cast<std::uint32_t>(from * 7919 + to * 104729) + salt * 2654435761u;
  for (std::byte& byte : message) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(state >> 24);
  }
  return message;
}

}  // namespace lbsp::transport::testing
