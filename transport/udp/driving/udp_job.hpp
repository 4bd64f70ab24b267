#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "transport/impairment/link.hpp"
#include "transport/loss_notice.hpp"
#include "transport/missing.hpp"
#include "transport/options.hpp"
#include "transport/path_log.hpp"
#include "transport/redundancy.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {

/// What one rank must know to take part in a job over UDP. Everything except `rank` is the same on every
/// rank.
struct UdpJob {
  Rank rank = 0;
  std::vector<PeerAddress> addresses;  ///< by rank; the own entry is not used to send
  JobKey key;
  Cipher cipher = Cipher::chacha20_poly1305;
  ExchangeOptions options;
  std::optional<WanSpec> wan;  ///< impairs what this rank sends
  std::uint64_t wan_seed = 0;
  PlannerFactory planner = {};  ///< empty: options.copies, always
  /// What is known of the path to each rank before anything has been measured, by rank; of some paths it may be
  /// nothing. Empty: nothing is known of any.
  std::vector<std::optional<PathForecast>> priors = {};
  /// Memory that all ranks of this rank's host see (EndpointConfig); none: they do not know of each other.
  std::shared_ptr<std::byte> uplink_room = {};
  std::shared_ptr<PathLog> log = {};  ///< is told what is sent, comes and is lost; none: nobody is
  /// This process is to take the place of a lost one, on the host of this number (Seat).
  std::optional<std::uint16_t> newcomer_on = {};
  std::uint32_t newcomer = 0;  ///< then: its number (Incarnation)
  /// Then: where ranks may be too, whose `addresses` are those of other such processes.
  std::vector<std::pair<Rank, PeerAddress>> former = {};
  /// Is told for whom this rank does not wait any more, and to whom its host refuses to send while the members agree,
  /// when that changes: on the thread that drives the network, which must not be kept. Throws nothing.
  std::function<void(const Missing&)> on_missed = {};
};

/// By rank: the number of its host. Of one host are the ranks with one name and address. Empty where a network is
/// pretended, and where all are on one host.
std::vector<std::uint16_t> hosts_of_ranks(const UdpJob& job);

/// What this rank's host and its pretended network did to datagrams after the protocol sent them.
struct UdpLosses {
  std::uint64_t refused_by_system = 0;
  ImpairmentCounters impairment;
};

}  // namespace lbsp::transport
