#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "transport/udp/sockets/port_for_ranks.hpp"
#include "transport/udp/udp_exchange.hpp"

namespace lbsp::transport {

inline Bytes message(Rank from, Rank to, int superstep, std::size_t size) {
  Bytes bytes(size);
  auto value = static_cast<std::uint32_t>(from * 1000 + to * 100 + superstep + 1);
  for (auto& byte : bytes) {
    value = value * 1664525 + 1013904223;
    byte = std::byte(value >> 24);
  }
  return bytes;
}

/// Everyone sends everyone `bytes` per superstep and checks what comes.
inline void talk(Exchange& exchange, int supersteps, std::size_t bytes) {
  for (int superstep = 0; superstep < supersteps; ++superstep) {
    std::vector<Bytes> outgoing;
    outgoing.reserve(static_cast<std::size_t>(exchange.size()));
    for (Rank to = 0; to < exchange.size(); ++to) {
      outgoing.push_back(message(exchange.rank(), to, superstep, to == exchange.rank() ? 0 : bytes));
    }
    const auto incoming = exchange.exchange(std::move(outgoing));
    for (Rank from = 0; from < exchange.size(); ++from) {
      const auto expected = message(from, exchange.rank(), superstep, from == exchange.rank() ? 0 : bytes);
      if (incoming[static_cast<std::size_t>(from)] != expected) throw std::runtime_error("a wrong message");
    }
  }
}

/// A job of n ranks over loopback in this process, each rank's program on a thread of its own.
class UdpCluster {
 public:
  explicit UdpCluster(Rank size, std::string_view wan = "", int buffer_bytes = UdpPort::usual_buffer_bytes,
                      const char* bind_address = "127.0.0.1") {
    for (Rank rank = 0; rank < size; ++rank) {
      ports_.push_back(UdpPort::bind(bind_address, 0, buffer_bytes));
      job.addresses.push_back({"127.0.0.1", ports_.back().port()});
    }
    // Jobs of tests that run side by side may have one another's ports, one after the other.
    job.key = JobKey::random();
    job.wan_seed = 7;
    if (!wan.empty()) job.wan = parse_wan_spec(wan);
  }

  /// Rank 0, and others that share one port, as those of one host may.
  static UdpCluster with_shared_port(Rank sharers, const char* bind_address = "127.0.0.1") {
    UdpCluster cluster(1, "", UdpPort::usual_buffer_bytes, bind_address);
    for (UdpPort& port : bind_for_ranks(bind_address, 0, 1, sharers)) {
      cluster.job.addresses.push_back({"127.0.0.1", port.port()});
      cluster.held_open_.push_back(UdpPort::take(::dup(port.native_handle())));
      cluster.ports_.push_back(std::move(port));
    }
    return cluster;
  }

  /// What every rank throws; null if it returned.
  std::vector<std::exception_ptr> run(const std::function<void(UdpExchange&)>& program) {
    std::vector<std::exception_ptr> errors(ports_.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ports_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          auto own = job;
          own.rank = static_cast<Rank>(rank);
          if (adjust) adjust(own);
          UdpExchange exchange(std::move(ports_[rank]), own);
          program(exchange);
        } catch (...) {
          errors[rank] = std::current_exception();
        }
      });
    }
    for (auto& thread : threads)
      thread.join();
    return errors;
  }

  void run_well(const std::function<void(UdpExchange&)>& program) {
    for (const auto& error : run(program)) {
      if (error) std::rethrow_exception(error);
    }
  }

  UdpJob job;                           ///< all but the rank; change it before run()
  std::function<void(UdpJob&)> adjust;  ///< changes one rank's own copy

 private:
  std::vector<UdpPort> ports_;
  std::vector<UdpPort> held_open_;  ///< those that are shared, until all ranks have ended
};

}  // namespace lbsp::transport
