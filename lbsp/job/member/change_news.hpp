#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "lbsp/job/member/tell.hpp"
#include "lbsp/job/messages.hpp"

namespace lbsp::job::member {

/// How the launcher learns that a rank's world has become another one, and that the rank has got on in it.
class ChangeNews {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ChangeNews(Tell tell) : tell_(std::move(tell)) {}

  /// The world has changed now. `sync_began`: of the sync that this has ended; none: it is a new process.
  void tell(const Changed& change, std::optional<Time> sync_began);
  /// The first superstep of the world of that epoch is complete.
  void tell_resumed(std::uint32_t epoch);
  /// When the rank came to its world, if that is not the first.
  Time changed_at() const { return changed_at_; }

 private:
  Tell tell_;
  Time changed_at_;
  /// Since when it was in the sync that the change has ended; none: it is a new process, or has got on since.
  std::optional<Time> in_vain_since_;
};

}  // namespace lbsp::job::member
