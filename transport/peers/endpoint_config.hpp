#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transport/options.hpp"
#include "transport/path_log.hpp"
#include "transport/peers/receive_room.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

struct KnownNetwork;

struct EndpointConfig {
  Rank rank = 0;
  Rank size = 1;
  ExchangeOptions options;
  JobKey key;
  Cipher cipher = Cipher::chacha20_poly1305;
  std::vector<std::string> places;  ///< by rank, for error texts, as in `at 10.0.0.4:4000`; may be empty
  std::shared_ptr<RedundancyPlanner> planner = {};  ///< this endpoint's alone; none: options.copies, always
  /// By rank: what is known of the paths before anything is measured, with the weight of `loss_sample`
  /// datagrams; a round trip of 0 is not known. Empty: default_prior() for all, then what this
  /// rank's other paths have shown.
  std::vector<PathForecast> priors = {};
  /// By rank: the number of its host, in a job of several. Ranks of one host share `options.rate`, which is what the
  /// host may send to the others; what they send one another does not count. Empty: every rank has a host of its own,
  /// or all have the same.
  std::vector<std::uint16_t> hosts = {};
  /// Memory that this rank shares with all others of its host: host_room_bytes of HostUplink, zeros at first, at
  /// a multiple of 128. Empty: they do not know of each other, and each has an equal part of the rate.
  std::shared_ptr<std::byte> uplink_room = {};
  /// Datagrams of the largest size that this rank's receive buffer holds.
  std::size_t buffer_datagrams = usual_buffer_datagrams;
  /// What the endpoint has found out whose place this one takes; none: it is the first of its process.
  std::shared_ptr<const KnownNetwork> known = {};
  std::shared_ptr<PathLog> log = {};  ///< is told what is sent, comes and is lost; none: nobody is
};

/// Whether these two are known to be on one host.
bool are_on_one_host(const EndpointConfig& config, Rank one, Rank other);
/// Whether that rank is known to be on the endpoint's own host.
bool is_near(const EndpointConfig& config, Rank other);
/// The ranks of the rank's own host; 1 if hosts are not known.
Rank ranks_on_own_host(const EndpointConfig& config);
/// The rank's number among them, from 0.
Rank seat_on_own_host(const EndpointConfig& config);
/// What one rank may send to other hosts: its part of options.rate.
BytesPerSecond own_rate(const EndpointConfig& config);
/// What one rank may send to others of its host.
BytesPerSecond near_rate(const EndpointConfig& config);

}  // namespace lbsp::transport
