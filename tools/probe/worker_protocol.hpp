#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/probe/measure.hpp"
#include "tools/profile/profile.hpp"
#include "transport/probe/client.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::probe {

/// What passes between a survey and its workers on the hosts: one line of JSON each. A worker reads orders
/// from its standard input, a Setup first, and writes news to its standard output.

struct Setup {
  transport::JobKey key;
  std::string bind_address;
  bool compute = true;
  transport::probe::MeasurementPlan plan;
  std::string wan;  ///< a WAN SPEC; empty: none
  std::uint64_t seed = 0;
};

struct Order {
  transport::PeerAddress responder;
  std::uint64_t seed = 0;
};

/// It is there.
struct Ready {
  std::uint16_t port = 0;
  std::optional<profile::ComputeRates> compute;
  std::string machine{};  ///< the same for hosts that share a kernel; empty: not known
  int processors = 1;
  double slowdown = 1;  ///< of what it computes: MeasuredRates
};

/// What came of an order: figures, or why there are none.
struct Done {
  PairResult result;
  std::string problem;
  bool out_of_time = false;  ///< that is the problem
};

std::string to_line(const Setup& setup);
std::string to_line(const Order& order);
std::string to_line(const Ready& ready);
std::string to_line(const Done& done);

/// Each throws Error for a line that the same version of lbsp would not write.
Setup read_setup(std::string_view line);
Order read_order(std::string_view line);
Ready read_ready(std::string_view line);
Done read_done(std::string_view line);

}  // namespace lbsp::probe
