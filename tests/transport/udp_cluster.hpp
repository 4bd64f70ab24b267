#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "transport/udp/udp_exchange.hpp"

namespace lbsp::transport {

/// A job of n ranks over loopback in this process, each rank's program on a thread of its own.
class UdpCluster {
 public:
  explicit UdpCluster(Rank size, std::string_view wan = "", int buffer_bytes = UdpPort::usual_buffer_bytes) {
    for (Rank rank = 0; rank < size; ++rank) {
      ports_.push_back(UdpPort::bind("127.0.0.1", 0, buffer_bytes));
      job.addresses.push_back({"127.0.0.1", ports_.back().port()});
    }
    std::ranges::fill(job.key.bytes, std::uint8_t{42});
    job.wan_seed = 7;
    if (!wan.empty()) job.wan = parse_wan_spec(wan);
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
};

}  // namespace lbsp::transport
