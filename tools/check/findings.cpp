#include "tools/check/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <tuple>
#include <utility>

#include "tools/launch/hosts/advice_in.hpp"
#include "transport/host_refusal.hpp"

namespace lbsp::check {
namespace {

/// A tenth of a second at 100 Mbit/s, in Linux' accounting.
constexpr int enough_buffer_bytes = 2 << 20;
constexpr double odd_clock_s = 2;
constexpr std::size_t most_pairs_named = 5;

bool usable(const HostSeen& host) {
  return host.silence.empty() && host.port != 0;
}

const PairSeen* pair_of(const Seen& seen, int from, int to) {
  const auto found = std::ranges::find_if(
      seen.pairs, [&](const PairSeen& pair) { return pair.from == from && pair.to == to; });
  return found == seen.pairs.end() ? nullptr : &*found;
}

/// Whether a host's own system refuses to send to the other: then nothing is to be learnt of the way between them.
bool one_refuses(const Seen& seen, int one, int other) {
  const PairSeen* const there = pair_of(seen, one, other);
  const PairSeen* const back = pair_of(seen, other, one);
  return (there != nullptr && there->refused != 0) || (back != nullptr && back->refused != 0);
}

/// Of the pairs to one host, and from it.
struct Ways {
  int all = 0;
  int open = 0;      ///< a knock arrived
  int answered = 0;  ///< of the host's own knocks
};

Ways ways_of(const Seen& seen, int host) {
  Ways ways;
  for (const PairSeen& pair : seen.pairs) {
    if (one_refuses(seen, pair.from, pair.to)) continue;
    if (pair.to == host) {
      ++ways.all;
      ways.open += pair.largest > 0 ? 1 : 0;
    }
    if (pair.from == host && pair.answered) ++ways.answered;
  }
  return ways;
}

/// Of the payloads that pass in one direction.
struct Largest {
  std::uint16_t bytes = 0;  ///< the largest; 0: none passes
  bool full = false;        ///< one has the size that an Ethernet carries

  void count(const PairSeen& pair) {
    bytes = std::max(bytes, pair.largest);
    full = full || (pair.largest > 0 && pair.largest >= pair.full);
  }
};

/// What any other host gets from it.
Largest largest_out(const Seen& seen, int host) {
  Largest largest;
  for (const PairSeen& pair : seen.pairs)
    if (pair.from == host) largest.count(pair);
  return largest;
}

/// What it gets from those whose large datagrams get out.
Largest largest_in(const Seen& seen, int host) {
  Largest largest;
  for (const PairSeen& pair : seen.pairs)
    if (pair.to == host && largest_out(seen, pair.from).full) largest.count(pair);
  return largest;
}

class Judgement {
 public:
  explicit Judgement(const Seen& seen) : seen_(seen), blamed_(seen.hosts.size()) {}

  std::vector<Finding> all() && {
    for (int host = 0; host < static_cast<int>(seen_.hosts.size()); ++host) {
      judge(host);
      judge_refusals(host);
      judge_paths(host);
    }
    gather();
    judge_pairs();
    return std::move(found_);
  }

 private:
  /// What is so of every host has one cause, such as their network's MTU.
  void gather() {
    const auto hosts = static_cast<std::ptrdiff_t>(seen_.hosts.size());
    std::vector<Finding> gathered;
    for (const Finding& finding : found_) {
      const auto same = [&](const Finding& other) {
        return std::tie(finding.grave, finding.what, finding.to_do) ==
               std::tie(other.grave, other.what, other.to_do);
      };
      if (hosts < 2 || std::ranges::count_if(found_, same) < hosts)
        gathered.push_back(finding);
      else if (&finding == &*std::ranges::find_if(found_, same))
        gathered.push_back({finding.grave, {}, "each host: " + finding.what, finding.to_do});
    }
    found_ = std::move(gathered);
  }

  const HostSeen& host(int index) const { return seen_.hosts[static_cast<std::size_t>(index)]; }

  void add(bool grave, int index, std::string what, std::string to_do) {
    found_.push_back({grave, host(index).name, std::move(what), std::move(to_do)});
  }

  void judge(int index) {
    const HostSeen& seen = host(index);
    if (!seen.silence.empty()) return add(true, index, seen.silence, silence_advice(seen));
    if (seen.port == 0) add(true, index, seen.port_problem, {});
    if (!seen.program_problem.empty())
      add(true, index, fmt::format("{}: {}", seen_.program, seen.program_problem),
          "copy the program there, to the same path as here");
    if (seen.port != 0 && seen.buffer_bytes < enough_buffer_bytes)
      add(false, index,
          fmt::format("its system gives a UDP port {} KiB for what waits to be read, and 8 MiB are asked for",
                      seen.buffer_bytes / 2048),
          "as root: sysctl -w net.core.rmem_max=8388608 net.core.wmem_max=8388608");
    const double ahead = seen.clock_ahead_s.value_or(0);
    if (std::abs(ahead) > odd_clock_s + seen.clock_error_s)
      add(false, index,
          fmt::format("its clock is {:.1f} s {} this machine's", std::abs(ahead),
                      ahead > 0 ? "ahead of" : "behind"),
          "let both ask a time server; lbsp does not need it, but logs and certificates do");
  }

  /// What the way to it said often says already what to do.
  std::string silence_advice(const HostSeen& seen) const {
    if (launch::hosts::has_advice_in(seen.silence)) return {};
    return fmt::format("see that {} {} true works, and that lbsp is there", seen_.way, seen.name);
  }

  void judge_refusals(int index) {
    std::vector<std::string> others;
    int error = 0;
    for (const PairSeen& pair : seen_.pairs) {
      if (pair.from != index || pair.refused == 0) continue;
      if (others.empty()) error = pair.refused;
      others.push_back(host(pair.to).name);
    }
    if (others.empty()) return;
    add(true, index,
        fmt::format("its own system refuses to send to {} ({})", few_of(others), std::strerror(error)),
        fmt::format("look at the {} there", transport::place_of_refusal(error)));
  }

  void judge_paths(int index) {
    if (!usable(host(index))) return;
    const Ways in = ways_of(seen_, index);
    if (in.all == 0) return;
    const auto port = host(index).port;
    if (in.open == 0 && largest_out(seen_, index).bytes == 0 && in.all > 1) {
      blamed_[static_cast<std::size_t>(index)] = true;
      add(true, index, "no UDP datagram gets to it or from it",
          fmt::format("let UDP through its firewall, in to port {} and out", port));
    } else if (in.open == 0) {
      const bool answers_come = in.answered > 0;
      blamed_[static_cast<std::size_t>(index)] = !answers_come;
      add(!answers_come, index,
          answers_come
              ? fmt::format("nobody can begin to send to its UDP port {}, only answers arrive (a NAT, a "
                            "firewall that remembers, or an address in the hosts file that is not its own)",
                            port)
              : fmt::format("no datagram arrives at its UDP port {}", port),
          answers_come
              ? "see that its address is right; behind a NAT this does as long as all others can be reached, "
                "else let that port in"
              : "let that port in through its firewall, from all hosts");
    } else {
      judge_size(index, largest_out(seen_, index), "get out of it");
      judge_size(index, largest_in(seen_, index), "get to it");
    }
  }

  void judge_size(int index, Largest largest, const char* fail) {
    if (largest.bytes == 0 || largest.full) return;
    add(false, index,
        fmt::format("datagrams of more than about {} bytes do not {} (a tunnel, or a link with a small MTU)",
                    largest.bytes, fail),
        fmt::format("lbsp finds a size that fits by itself; --datagram {} spares it the search",
                    largest.bytes));
  }

  void judge_pairs() {
    std::vector<std::pair<int, int>> deaf;
    const int hosts = static_cast<int>(seen_.hosts.size());
    for (int one = 0; one < hosts; ++one)
      for (int other = one + 1; other < hosts; ++other)
        if (concerns_pair_alone(one, other)) deaf.emplace_back(one, other);
    if (deaf.empty()) return;
    if (const auto common = in_all(deaf)) return judge_common(*common, deaf);
    std::vector<std::string> names;
    names.reserve(deaf.size());
    for (const auto& [one, other] : deaf)
      names.push_back(fmt::format("{} - {}", host(one).name, host(other).name));
    found_.push_back({true,
                      {},
                      fmt::format("{}: no datagram of the one gets to the other and back", few_of(names)),
                      "let the ports in through the firewalls of both, or take only one of them"});
  }

  /// The host that more than one pair have in common, and all have; none: there is no such.
  static std::optional<int> in_all(const std::vector<std::pair<int, int>>& pairs) {
    if (pairs.size() < 2) return std::nullopt;
    for (const int host : {pairs.front().first, pairs.front().second})
      if (std::ranges::all_of(pairs,
                              [&](const auto& pair) { return pair.first == host || pair.second == host; }))
        return host;
    return std::nullopt;
  }

  void judge_common(int index, const std::vector<std::pair<int, int>>& pairs) {
    std::vector<std::string> others;
    others.reserve(pairs.size());
    for (const auto& [one, other] : pairs)
      others.push_back(host(one == index ? other : one).name);
    const std::string names = few_of(others);
    if (largest_out(seen_, index).bytes == 0)
      return add(true, index, fmt::format("nothing that it sends arrives at {}", names),
                 fmt::format("let UDP out through its firewall, from port {}", host(index).port));
    add(true, index, fmt::format("no datagram gets from it to {} and back", names),
        "let its port in through its firewall, and theirs through theirs, or leave it out");
  }

  static std::string few_of(const std::vector<std::string>& names) {
    const auto named = static_cast<std::ptrdiff_t>(std::min(names.size(), most_pairs_named));
    std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + named, ", "));
    if (names.size() > most_pairs_named) text += fmt::format(" and {} more", names.size() - most_pairs_named);
    return text;
  }

  bool concerns_pair_alone(int one, int other) const {
    if (!usable(host(one)) || !usable(host(other))) return false;
    if (blamed_[static_cast<std::size_t>(one)] || blamed_[static_cast<std::size_t>(other)]) return false;
    return !one_refuses(seen_, one, other) && !reach_each_other(seen_, one, other);
  }

  const Seen& seen_;
  std::vector<bool> blamed_;  ///< a finding of its own tells why pairs with it fail
  std::vector<Finding> found_;
};

}  // namespace

bool reach_each_other(const Seen& seen, int one, int other) {
  const PairSeen* const there = pair_of(seen, one, other);
  const PairSeen* const back = pair_of(seen, other, one);
  return (there != nullptr && there->answered) || (back != nullptr && back->answered);
}

std::vector<Finding> findings(const Seen& seen) {
  return Judgement(seen).all();
}

}  // namespace lbsp::check
