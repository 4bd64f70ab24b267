#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What goes wrong at set times of a simulated run, besides what the WAN specification does at random. Times
/// count from the beginning of the run; a rank of `every` stands for all.
struct FaultPlan {
  static constexpr Rank every = -1;

  /// Nothing passes from one rank to another.
  struct Outage {
    Rank from = every;
    Rank to = every;
    Duration begin{0};
    Duration end{0};
  };
  /// What is longer than `bytes` of UDP payload does not pass any more: without a word, or, if `told`, the
  /// sending host's own system refuses it and names the limit (EMSGSIZE). If `heard`, a router has said so (ICMP), and
  /// the system names the limit once it is asked.
  struct Narrowing {
    Rank from = every;
    Rank to = every;
    Duration begin{0};
    std::size_t bytes = 0;
    bool told = false;
    Duration end = Duration::max();
    bool heard = false;
  };
  /// The rank's process does not run: what comes waits in its socket, `socket_datagrams` at most, and its
  /// timers strike when it goes on.
  struct Freeze {
    Rank rank = every;
    Duration begin{0};
    Duration end{0};
  };

  /// From `begin` on all datagrams between hosts take so much longer, one way, as after a change of routes.
  struct Detour {
    Duration begin{0};
    Duration longer{0};
  };

  /// So much is lost between hosts, as a part of 1, besides what is lost at all times.
  struct LossySpell {
    Duration begin{0};
    Duration end{0};
    double loss = 0;
  };

  /// What becomes of the ECN field between hosts, besides what queues do.
  enum class EcnFault : std::uint8_t { none, cleared, all_marked, not_told };

  std::vector<Outage> outages = {};
  std::vector<Narrowing> narrowings = {};
  std::vector<Freeze> freezes = {};
  std::vector<Detour> detours = {};
  std::vector<LossySpell> lossy_spells = {};
  std::size_t socket_datagrams = 3600;
  EcnFault ecn = EcnFault::none;

  /// By how much they take longer, so long after the beginning.
  Duration longer(Duration time) const {
    Duration sum{0};
    for (const Detour& detour : detours)
      if (time >= detour.begin) sum += detour.longer;
    return sum;
  }
  /// The loss of the spell that it is in.
  double loss(Duration time) const {
    for (const LossySpell& spell : lossy_spells)
      if (spell.begin <= time && time < spell.end) return spell.loss;
    return 0;
  }
  /// What a datagram's receiver is told that was sent with this.
  Ecn left_of(Ecn sent) const {
    if (ecn == EcnFault::none) return sent;
    if (ecn == EcnFault::not_told) return Ecn::unknown;
    if (ecn == EcnFault::cleared) return Ecn::none;
    return sent == Ecn::capable ? Ecn::marked : sent;
  }

  bool cut(Rank from, Rank to, Duration at) const {
    for (const Outage& outage : outages) {
      if (covers(outage.from, from) && covers(outage.to, to) && outage.begin <= at && at < outage.end)
        return true;
    }
    return false;
  }

  /// The narrowing that stops a datagram of so many bytes; a told one first.
  const Narrowing* narrowing(Rank from, Rank to, Duration at, std::size_t bytes) const {
    const Narrowing* found = nullptr;
    for (const Narrowing& each : narrowings) {
      const bool stops = covers(each.from, from) && covers(each.to, to) && each.begin <= at &&
                         at < each.end && bytes > each.bytes;
      if (stops && (found == nullptr || each.told)) found = &each;
    }
    return found;
  }

  /// When a rank that is frozen now goes on.
  std::optional<Duration> frozen_until(Rank rank, Duration at) const {
    std::optional<Duration> until;
    for (const Freeze& freeze : freezes) {
      if (covers(freeze.rank, rank) && freeze.begin <= at && at < freeze.end)
        until = std::max(until.value_or(freeze.end), freeze.end);
    }
    return until;
  }

 private:
  static bool covers(Rank pattern, Rank rank) { return pattern == every || pattern == rank; }
};

}  // namespace lbsp::transport
