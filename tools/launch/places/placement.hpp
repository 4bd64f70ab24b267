#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/launch/request/hosts_file.hpp"
#include "tools/launch/request/options.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::places {

/// A host of the job and its ranks, `first_rank` … `first_rank + ranks - 1`.
struct PlacedHost {
  std::string name;
  std::string user;
  std::string address;  ///< where the others send its ranks' datagrams: a literal IP address
  bool local = false;   ///< this machine, without an agent
  Rank first_rank = 0;
  int ranks = 0;
  int spares = 0;  ///< slots for new processes in the places of lost ones
  /// Of one that joins: another host that has the same address, and may be this one by another name. Empty: none has.
  std::string same_address_as = {};
};

struct Placement {
  Rank size = 0;
  std::vector<PlacedHost>
      hosts;  ///< those that have ranks, then those that have spare slots only, if any are wanted
  bool over_hosts = false;  ///< of a hosts file
  /// Whether ranks send one another datagrams through a network.
  bool leaves_this_machine() const;
  std::map<Rank, std::size_t> moved{};  ///< by rank, where its process is now, if that is another host
  /// The name of the rank's host; empty if there is no such rank.
  std::string host_of(Rank rank) const;
  /// How many ranks share the uplink of the rank's host; 1 without a hosts file.
  int ranks_on_host_of(Rank rank) const;

  /// The UDP port of a host where --port gives `first`. Entries of the hosts file that have the same address are taken
  /// for the same host, and have successive ports. Throws UsageError if they go beyond the last port.
  std::uint16_t port_of(const PlacedHost& host, std::uint16_t first) const;

  std::string bind_address;  ///< what every rank binds: all interfaces, or the loopback one
};

/// The hosts of the hosts file, or of the batch system's job; none: this machine.
std::vector<request::HostEntry> hosts_asked_for(const request::RunOptions& options);

/// Throws UsageError if this machine knows no address of the host. May take the system's resolver some seconds.
void require_address(const request::HostEntry& host);

/// Fills the hosts' slots in the file's order and looks up their addresses, which may take the system's
/// resolver some seconds. `localhost` is run without ssh, unless a user or a launch agent is given. Throws
/// UsageError if there are too few slots, a host has no address, or not one that the others can reach.
/// With `only` the ranks are shared out among those hosts evenly, as far as they have slots.
Placement place_ranks(const request::RunOptions& options);
/// The same for hosts that were read already.
Placement place_ranks_on(const request::RunOptions& options, const std::vector<request::HostEntry>& entries);

/// Where a rank that joins is to run, in a job that runs already. Throws UsageError if the host has no address, or the
/// job's ranks cannot reach it. May take the system's resolver some seconds.
PlacedHost place_joining(const request::RunOptions& options, const Placement& job,
                         const request::HostEntry& entry, Rank rank);

}  // namespace lbsp::launch::places
