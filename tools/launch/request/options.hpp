#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/request/allocation.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/options.hpp"

namespace lbsp::launch::request {

/// Ranks are 16-bit numbers on the wire.
inline constexpr int most_ranks = 65535;

/// Whether ranks of one host exchange through memory.
enum class Sharing : std::uint8_t {
  automatic,  ///< unless the user has asked for the network
  on,
  off,
};

/// What the user asked of `lbsp run`.
struct RunOptions {
  std::optional<int> ranks;              ///< none: all slots of the hosts file, or 1
  std::string hosts_file;                ///< empty: this machine
  std::vector<std::string> only;         ///< these hosts of the file; empty: all
  std::optional<Allocation> allocation;  ///< without a file: the hosts of the batch system's job
  std::string profile_file;              ///< of the network, by lbsp probe; empty: none
  transport::ExchangeOptions exchange{.redundancy = transport::Redundancy::automatic};
  /// By rank at the start: its host's, from the profile; none: of its host it knows nothing. Empty: exchange.rate.
  std::vector<std::optional<transport::BytesPerSecond>> rates;
  std::optional<transport::WanSpec> wan;
  std::uint64_t wan_seed = 1;
  int survive = 1;                               ///< hosts lost at once
  std::string checkpoint;                        ///< a folder on each host, with its whole path; empty: none
  std::string restart;                           ///< the same
  std::optional<transport::Duration> host_mtbf;  ///< mean time between failures of a host
  transport::Duration start_timeout = std::chrono::seconds{30};
  std::vector<std::string> launch_agent;  ///< the command that replaces ssh; empty: ssh
  std::string remote_lbsp;                ///< lbsp's path on other hosts; empty: as here
  std::string json_file;                  ///< `-`: standard output; empty: none
  std::string trace_file;                 ///< empty: none
  std::uint64_t trace_packets = 0;        ///< the last so many events of single datagrams of each rank
  std::string program;
  std::vector<std::string> arguments;
  std::uint16_t port = 0;  ///< of every host, shared by its ranks; 0: each rank takes a free one
  job::Backend backend = job::Backend::udp;
  Sharing sharing = Sharing::automatic;
  bool automatic_ranks = false;  ///< as lbsp tune advises
  bool datagram_given = false;   ///< exchange.datagram_bytes is the user's own
  bool rate_given = false;       ///< exchange.rate is the user's own
  bool backend_given = false;
  bool network_given = false;  ///< an option that is about datagrams
  bool tag_output = false;

  /// New processes take the places of lost ranks.
  bool respawns() const { return exchange.newcomer_wait > transport::Duration{0}; }
  /// What the ranks of that one's first host were told that they may send to others, or what they began with. None:
  /// each of them has its own rate, and of that host nothing was known.
  std::optional<transport::BytesPerSecond> rate_of(Rank rank) const {
    const auto place = static_cast<std::size_t>(rank);
    if (rates.empty()) return exchange.rate;
    return place < rates.size() ? rates[place] : std::nullopt;
  }
  /// For messages: where the hosts were named.
  const std::string& hosts_name() const { return allocation ? allocation->name : hosts_file; }
  bool json_to_output() const { return json_file == "-"; }
};

/// Reads what follows `lbsp run`. Nothing means that the user asked for help, which has been printed. Throws
/// UsageError for whatever cannot be run, in itself; hosts and programs are not looked up.
std::optional<RunOptions> parse_run_options(const std::vector<std::string>& arguments);

}  // namespace lbsp::launch::request
