#include "tools/launch/places/placement.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <numeric>
#include <optional>
#include <sys/socket.h>

#include "tools/launch/request/hosts_file.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::places {

using request::HostEntry;
using request::RunOptions;

namespace {

constexpr const char* loopback = "127.0.0.1";

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

bool is_this_machine(const HostEntry& host, const RunOptions& options) {
  if (!options.launch_agent.empty() || !host.user.empty()) return false;
  return request::plain_name(host.name) == "localhost" || is_loopback(host.name);
}

bool began_on(const PlacedHost& host, Rank rank) {
  return rank >= host.first_rank && rank < host.first_rank + host.ranks;
}

std::optional<std::size_t> host_index(const Placement& placement, Rank rank) {
  if (const auto found = placement.moved.find(rank); found != placement.moved.end()) return found->second;
  for (std::size_t i = 0; i < placement.hosts.size(); ++i)
    if (began_on(placement.hosts[i], rank)) return i;
  return std::nullopt;
}

/// Not one that means this host, nobody or many. A number is read as such an address by the system's resolver.
bool is_of_one_host(const sockaddr& address) {
  if (address.sa_family == AF_INET6) {
    const in6_addr& place = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return !IN6_IS_ADDR_UNSPECIFIED(&place) && !IN6_IS_ADDR_MULTICAST(&place);
  }
  const std::uint32_t place = ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
  constexpr std::uint32_t first_of_a_host = 0x01000000;
  constexpr std::uint32_t first_of_groups = 0xe0000000;
  return place >= first_of_a_host && place < first_of_groups;
}

/// How to tell the address of a host, in words.
constexpr const char* in_hosts_file = "as address=ADDRESS in a hosts file";
constexpr const char* to_join = "by --address to lbsp join, or as address=ADDRESS in the job's hosts file";

/// As fe80::1%eth0: the interface is that of whoever sends there, and this machine may have none of that name.
bool is_link_local_with_interface(const std::string& address) {
  const auto interface = address.find('%');
  if (interface == std::string::npos || interface + 1 == address.size()) return false;
  in6_addr place{};
  return ::inet_pton(AF_INET6, address.substr(0, interface).c_str(), &place) == 1 &&
         IN6_IS_ADDR_LINKLOCAL(&place);
}

/// The first address of the name, IPv4 before IPv6. `cure`: how to tell another one.
std::string look_up(const HostEntry& host, const char* cure) {
  const std::string& name = host.address.empty() ? host.name : host.address;
  if (is_link_local_with_interface(name)) return name;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (status != 0) {
    throw UsageError(fmt::format("host {}: {} has no address here ({}): give one {}", host.name, name,
                                 ::gai_strerror(status), cure));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  const addrinfo* chosen = found;
  while (chosen->ai_next != nullptr && chosen->ai_family != AF_INET)
    chosen = chosen->ai_next;
  if (chosen->ai_family != AF_INET) chosen = found;
  std::array<char, NI_MAXHOST> text{};
  ::getnameinfo(chosen->ai_addr, chosen->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  if (!is_of_one_host(*chosen->ai_addr))
    throw UsageError(fmt::format("host {}: {} means the address {}, which no host has: give its own {}",
                                 host.name, name, text.data(), cure));
  return text.data();
}

Placement place_here(const RunOptions& options) {
  const int ranks = options.ranks.value_or(1);
  return {.size = ranks,
          .hosts = {{.name = "localhost",
                     .user = {},
                     .address = loopback,
                     .local = true,
                     .first_rank = 0,
                     .ranks = ranks}},
          .over_hosts = false,
          .bind_address = loopback};
}

void fill_slots(Placement& placement, const std::vector<HostEntry>& entries, const RunOptions& options) {
  for (const HostEntry& entry : entries) {
    const Rank placed =
        placement.hosts.empty() ? 0 : placement.hosts.back().first_rank + placement.hosts.back().ranks;
    const int ranks = std::min(entry.slots, placement.size - placed);
    const int spares = options.respawns() ? entry.slots - ranks : 0;
    if (ranks == 0 && spares == 0) break;
    placement.hosts.push_back({.name = entry.name,
                               .user = entry.user,
                               .address = entry.address,
                               .local = is_this_machine(entry, options),
                               .first_rank = placed,
                               .ranks = ranks,
                               .spares = spares});
  }
}

/// A job within one host needs no address but the loopback one; else every host's must be reachable from the
/// others.
void find_addresses(Placement& placement, const std::vector<HostEntry>& entries) {
  if (placement.hosts.size() == 1 && placement.hosts.front().address.empty()) {
    placement.hosts.front().address = loopback;
    return;
  }
  for (std::size_t i = 0; i < placement.hosts.size(); ++i)
    placement.hosts[i].address = look_up(entries[i], in_hosts_file);
  const auto on_loopback = [](const PlacedHost& host) { return is_loopback(host.address); };
  const auto unreachable = std::ranges::find_if(placement.hosts, on_loopback);
  if (unreachable == placement.hosts.end() || std::ranges::all_of(placement.hosts, on_loopback)) return;
  throw UsageError(
      fmt::format("host {}: its address {} means every other host itself: give the one that the others "
                  "reach as address=ADDRESS",
                  unreachable->name, unreachable->address));
}

std::string address_to_bind(const Placement& placement) {
  const bool any_ipv6 =
      std::ranges::any_of(placement.hosts, [](const auto& host) { return is_ipv6(host.address); });
  if (placement.hosts.size() == 1 && is_loopback(placement.hosts.front().address)) {
    return placement.hosts.front().address;
  }
  return any_ipv6 ? "::" : "0.0.0.0";
}

/// Leaves as many slots as there are ranks, alike on all hosts as far as they have them.
void share_evenly(std::vector<HostEntry>& entries, int ranks) {
  std::vector<int> shares(entries.size());
  for (int placed = 0; placed < ranks;) {
    const int before = placed;
    for (std::size_t i = 0; i < entries.size() && placed < ranks; ++i) {
      if (shares[i] == entries[i].slots) continue;
      ++shares[i];
      ++placed;
    }
    if (placed == before) return;  // too few, which is told elsewhere
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i].slots = shares[i];
  std::erase_if(entries, [](const HostEntry& entry) { return entry.slots == 0; });
}

}  // namespace

std::string Placement::host_of(Rank rank) const {
  const auto index = host_index(*this, rank);
  return index ? hosts[*index].name : std::string{};
}

int Placement::ranks_on_host_of(Rank rank) const {
  const auto index = host_index(*this, rank);
  if (!over_hosts || !index) return 1;
  int ranks = hosts[*index].ranks;
  for (const auto& [other, now_on] : moved)
    ranks += (now_on == *index ? 1 : 0) - (began_on(hosts[*index], other) ? 1 : 0);
  return ranks;
}

bool Placement::leaves_this_machine() const {
  return !std::ranges::all_of(hosts, [](const PlacedHost& host) { return is_loopback(host.address); });
}

std::uint16_t Placement::port_of(const PlacedHost& host, std::uint16_t first) const {
  constexpr std::ptrdiff_t last = 65535;
  const auto before = std::ranges::count_if(hosts, [&](const PlacedHost& other) {
    return other.first_rank < host.first_rank && other.address == host.address;
  });
  if (first + before > last) {
    throw UsageError(fmt::format(
        "--port {}: {} is {} times among the hosts, which goes beyond port {}: choose a lower one", first,
        host.address, before + 1, last));
  }
  return static_cast<std::uint16_t>(first + before);
}

void require_address(const HostEntry& host) {
  look_up(host, in_hosts_file);
}

std::vector<HostEntry> hosts_asked_for(const RunOptions& options) {
  if (options.allocation) return options.allocation->hosts;
  if (options.hosts_file.empty()) return {};
  return request::read_hosts_file(options.hosts_file, options.only);
}

Placement place_ranks(const RunOptions& options) {
  auto entries = hosts_asked_for(options);
  if (entries.empty()) return place_here(options);
  if (!options.only.empty() && options.ranks) share_evenly(entries, *options.ranks);
  return place_ranks_on(options, entries);
}

Placement place_ranks_on(const RunOptions& options, const std::vector<HostEntry>& entries) {
  const auto slots =
      std::accumulate(entries.begin(), entries.end(), std::int64_t{0},
                      [](std::int64_t sum, const HostEntry& entry) { return sum + entry.slots; });
  if (!options.ranks && slots > request::most_ranks) {
    throw UsageError(fmt::format("{} has {} slots: a job has at most {} ranks: choose how many with -n",
                                 options.hosts_name(), slots, request::most_ranks));
  }
  Placement placement;
  placement.over_hosts = true;
  placement.size = options.ranks.value_or(static_cast<int>(slots));
  if (placement.size > slots) {
    throw UsageError(fmt::format("{} ranks need {} slots, and {} has {}{}: {}use -n {}", placement.size,
                                 placement.size, options.hosts_name(), slots,
                                 options.only.empty() ? "" : " on the hosts of --only",
                                 options.allocation ? "ask the batch system for more tasks, or "
                                                    : "write slots=N behind its hosts, or ",
                                 slots));
  }
  fill_slots(placement, entries, options);
  find_addresses(placement, entries);
  placement.bind_address = address_to_bind(placement);
  return placement;
}

PlacedHost place_joining(const RunOptions& options, const Placement& job, const HostEntry& entry, Rank rank) {
  PlacedHost host{.name = entry.name,
                  .user = entry.user,
                  .address = {},
                  .local = is_this_machine(entry, options),
                  .first_rank = rank,
                  .ranks = 1};
  const bool within_machine = is_loopback(job.bind_address);
  host.address = within_machine && host.local ? job.bind_address : look_up(entry, to_join);
  if (within_machine && !is_loopback(host.address))
    throw UsageError(fmt::format(
        "host {}: all ranks of this job are on one machine, where no other one reaches them: let localhost join, or "
        "start the job over hosts (--hosts)",
        host.name));
  if (!within_machine && is_loopback(host.address) && job.leaves_this_machine())
    throw UsageError(
        fmt::format("host {}: its address {} means every other host itself: give the one that the others "
                    "reach by --address",
                    host.name, host.address));
  if (is_ipv6(host.address) && !is_ipv6(job.bind_address))
    throw UsageError(
        fmt::format("host {}: its address {} is one of IPv6, and the job's are not: give another by "
                    "--address",
                    host.name, host.address));
  const auto same = std::ranges::find_if(job.hosts, [&](const PlacedHost& other) {
    return other.address == host.address && request::plain_name(other.name) != request::plain_name(host.name);
  });
  if (same != job.hosts.end()) host.same_address_as = same->name;
  return host;
}

}  // namespace lbsp::launch::places
