#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/udp/udp_exchange.hpp"

namespace lbsp::transport::bench {

/// The exchanges of a job's ranks over UDP on this host, each with a socket and an I/O thread of its own.
inline std::vector<std::unique_ptr<UdpExchange>> make_udp_exchanges(Rank size, const ExchangeOptions& options,
                                                                    const std::optional<WanSpec>& wan,
                                                                    const PlannerFactory& planner = {}) {
  std::vector<std::unique_ptr<UdpExchange>> exchanges;
  std::vector<UdpPort> ports;
  UdpJob job;
  job.key = JobKey::random();
  job.cipher = fastest_cipher();
  job.options = options;
  job.wan = wan;
  job.wan_seed = 1;
  job.planner = planner;
  for (Rank rank = 0; rank < size; ++rank) {
    ports.push_back(UdpPort::bind("127.0.0.1", 0));
    job.addresses.push_back({"127.0.0.1", ports.back().port()});
  }
  for (Rank rank = 0; rank < size; ++rank) {
    job.rank = rank;
    exchanges.push_back(std::make_unique<UdpExchange>(std::move(ports[static_cast<std::size_t>(rank)]), job));
  }
  return exchanges;
}

/// The ranks of a job in one process, each with a socket, an I/O thread and a program thread of its own, that
/// do one superstep together whenever they are told to.
class RankTeam {
 public:
  RankTeam(Rank size, const ExchangeOptions& options, const std::optional<WanSpec>& wan,
           const PlannerFactory& planner = {})
      : exchanges_(make_udp_exchanges(size, options, wan, planner)), gate_(size + 1) {
    for (Rank rank = 0; rank < size; ++rank)
      threads_.emplace_back([this, rank] { live(rank); });
  }

  ~RankTeam() {
    over_ = true;
    gate_.arrive_and_wait();
    for (std::thread& thread : threads_)
      thread.join();
  }

  /// One superstep in which every rank sends `bytes_per_pair` to every other. Returns the time from the
  /// common start until the last rank has all its messages. Making the messages is not part of it.
  std::chrono::duration<double> superstep(std::size_t bytes_per_pair) {
    bytes_ = bytes_per_pair;
    gate_.arrive_and_wait();  // the ranks make their messages
    gate_.arrive_and_wait();  // go
    const auto begin = std::chrono::steady_clock::now();
    gate_.arrive_and_wait();
    if (error_) std::rethrow_exception(error_);
    return std::chrono::steady_clock::now() - begin;
  }

  /// Of all ranks together.
  TrafficCounters counters() const {
    TrafficCounters sum;
    for (const auto& exchange : exchanges_)
      sum += exchange->counters();
    return sum;
  }

 private:
  void live(Rank rank) {
    UdpExchange& exchange = *exchanges_[static_cast<std::size_t>(rank)];
    for (;;) {
      gate_.arrive_and_wait();
      if (over_) break;
      std::vector<Bytes> messages(exchanges_.size());
      for (std::size_t to = 0; to < messages.size(); ++to) {
        if (to != static_cast<std::size_t>(rank)) messages[to].assign(bytes_, std::byte{42});
      }
      gate_.arrive_and_wait();
      exchange_once(exchange, std::move(messages));
      gate_.arrive_and_wait();
    }
    if (!error_) exchange.finish();
  }

  void exchange_once(UdpExchange& exchange, std::vector<Bytes> messages) {
    try {
      const auto received = exchange.exchange(std::move(messages));
      const auto wrong = std::count_if(received.begin(), received.end(),
                                       [&](const Bytes& message) { return message.size() != bytes_; });
      if (wrong > 1) throw std::runtime_error("a message arrived short");
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
  }

  std::vector<std::unique_ptr<UdpExchange>> exchanges_;
  std::vector<std::thread> threads_;
  std::barrier<> gate_;
  std::atomic<bool> over_ = false;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace lbsp::transport::bench
