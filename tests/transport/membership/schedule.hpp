#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::testing {

inline constexpr Duration peer_timeout = std::chrono::seconds{1};

/// What goes wrong in one run of a job. Times count from its beginning.
struct Schedule {
  struct Death {
    Slot slot;
    Duration at;
  };
  /// Dies while it says its view for the `saying`-th time, after so many members have been told.
  struct DeathSpeaking {
    Slot slot;
    int saying;
    int told;
  };
  /// Does not run; what comes waits in its socket.
  struct Freeze {
    Slot slot;
    Duration begin;
    Duration end;
  };
  /// Nothing passes from any of these to any of those.
  struct Cut {
    MemberSet from;
    MemberSet to;
    Duration begin;
    Duration end;
  };

  /// These are told then that the one's process has ended, whether it has or not.
  struct Notice {
    Slot of;
    Duration at;
    MemberSet to;
  };

  std::uint64_t seed = 0;
  Slot size = 3;
  Duration one_way{};  ///< least delay of a datagram
  double loss = 0;
  Duration compute{};  ///< of a superstep, at most
  std::vector<Death> deaths = {};
  std::vector<DeathSpeaking> deaths_speaking = {};
  std::vector<Freeze> freezes = {};
  std::vector<Cut> cuts = {};
  std::vector<Notice> notices = {};

  /// When all of it is over.
  Duration end() const;
  /// Of which nothing is said above.
  MemberSet untouched() const;
  /// Or nothing but a death.
  MemberSet answers() const;
};

/// Deaths in the middle of everything, freezes around the peer timeout and its half, cuts of one way, of a pair, and of
/// the network in two. With every second seed, notices of the deaths, at any time, and of deaths of those that live and
/// answer.
Schedule random_schedule(std::uint64_t seed);

std::string describe(const Schedule& schedule);

}  // namespace lbsp::transport::testing
