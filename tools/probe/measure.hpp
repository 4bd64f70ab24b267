#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/profile/profile.hpp"
#include "transport/error.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/probe/client.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::probe {

/// What one pair of hosts measured. Places in `pairs`: 0 is this host, 1 the other.
struct PairResult {
  std::vector<profile::PairProfile> pairs;
  std::vector<std::string> notes;  ///< what a reader of the figures should know
  int limited_by_sender = 0;       ///< entries of which the bandwidth is what could be sent
  std::optional<profile::ComputeRates> other_rates;
};

/// What a reader should know of so many entries limited by the sender, of all pairs together, which it names if there
/// are any to be named.
std::string note_of_limited(int entries, const std::vector<std::string>& pairs = {});

struct Impairment {
  std::optional<transport::WanSpec> wan;
  std::uint64_t seed = 0;
};

/// It takes longer than it may.
class OutOfTime : public Error {
 public:
  using Error::Error;
};

/// Measures to where a responder listens, over UDP, and returns when that is done; `progress` is told 0 … 1.
/// Throws Error, which names the address, if it cannot be measured.
PairResult measure_pair(const transport::PeerAddress& responder, const transport::JobKey& key,
                        const transport::probe::MeasurementPlan& plan, const Impairment& impairment,
                        const std::function<void(double)>& progress);

/// A socket for a responder on all addresses, or on one.
transport::UdpPort open_port(const std::string& address, std::uint16_t port);

transport::probe::Rates as_rates(const std::optional<profile::ComputeRates>& compute);

}  // namespace lbsp::probe
