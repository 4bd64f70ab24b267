#pragma once

#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lbsp/world.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/udp/udp_exchange.hpp"

namespace lbsp::bench {

/// The worlds of all ranks of a job in one process, a program thread each, which run a program together
/// whenever they are told to.
class WorldTeam {
 public:
  using Program = std::function<void(World&)>;

  explicit WorldTeam(std::vector<std::unique_ptr<transport::Exchange>> exchanges)
      : exchanges_(std::move(exchanges)), gate_(static_cast<std::ptrdiff_t>(exchanges_.size()) + 1) {
    for (const auto& exchange : exchanges_)
      worlds_.push_back(std::make_unique<World>(*exchange));
    for (std::size_t rank = 0; rank < worlds_.size(); ++rank)
      threads_.emplace_back([this, rank] { live(rank); });
  }

  ~WorldTeam() {
    program_ = nullptr;
    gate_.arrive_and_wait();
    for (std::thread& thread : threads_)
      thread.join();
  }

  /// Returns the time from the common start until the last rank is through.
  Seconds run(Program program) {
    program_ = std::move(program);
    const auto begin = std::chrono::steady_clock::now();
    gate_.arrive_and_wait();
    gate_.arrive_and_wait();
    if (error_) std::rethrow_exception(error_);
    return std::chrono::steady_clock::now() - begin;
  }

  World& world(std::size_t rank) { return *worlds_[rank]; }
  std::size_t size() const { return worlds_.size(); }

 private:
  void live(std::size_t rank) {
    for (;;) {
      gate_.arrive_and_wait();
      if (!program_) break;
      try {
        program_(*worlds_[rank]);
      } catch (const std::exception& error) {
        exchanges_[rank]->abort(error.what());
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
      }
      gate_.arrive_and_wait();
    }
    if (!error_) worlds_[rank]->finish();
  }

  std::vector<std::unique_ptr<transport::Exchange>> exchanges_;
  std::vector<std::unique_ptr<World>> worlds_;
  std::barrier<> gate_;
  Program program_;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

inline std::vector<std::unique_ptr<transport::Exchange>> udp_exchanges(
    Rank size, const transport::ExchangeOptions& options, const std::optional<transport::WanSpec>& wan) {
  std::vector<transport::UdpPort> ports;
  transport::UdpJob job;
  job.key = transport::JobKey::random();
  if (transport::cipher_available(transport::Cipher::aes256_gcm)) job.cipher = transport::Cipher::aes256_gcm;
  job.options = options;
  job.wan = wan;
  job.wan_seed = 1;
  for (Rank rank = 0; rank < size; ++rank) {
    ports.push_back(transport::UdpPort::bind("127.0.0.1", 0));
    job.addresses.push_back({"127.0.0.1", ports.back().port()});
  }
  std::vector<std::unique_ptr<transport::Exchange>> exchanges;
  for (auto& port : ports) {
    exchanges.push_back(std::make_unique<transport::UdpExchange>(std::move(port), job));
    ++job.rank;
  }
  return exchanges;
}

}  // namespace lbsp::bench
