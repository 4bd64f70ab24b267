#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/leg.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::threads {

/// The letter boxes through which the ranks of one process exchange messages. Messages are moved, not copied.
/// A waiting rank sleeps, and waits as long as the ranks it waits for are alive: a long computation is not an
/// error, a rank that has left is. All calls may come from any thread.
class Hub {
 public:
  /// Throws UsageError if `size` is below 1.
  explicit Hub(Rank size);

  Rank size() const noexcept { return static_cast<Rank>(boxes_.size()); }

  /// Moves `messages[j]` to each rank j of `destinations`. Throws Aborted if a rank has ended the job.
  void post(Rank from, Leg leg, std::vector<Bytes>& messages, const std::vector<Rank>& destinations);

  /// Waits for a message from each of `sources`, and takes them. Throws Aborted if a rank ends the job
  /// meanwhile, and PeerLost if an awaited rank has left; `superstep` is for that error's text.
  std::vector<Bytes> collect(Rank at, Leg leg, const std::vector<Rank>& sources, std::uint64_t superstep);

  /// The rank will post nothing more. After finish() that is in order; a rank that leaves without it is lost
  /// to the others.
  void finish(Rank rank);
  void leave(Rank rank) noexcept;

  /// The first call ends the job for all ranks; later ones are ignored.
  void abort(Rank rank, std::string_view reason) noexcept;

 private:
  enum class State : std::uint8_t { running, finished, lost };

  struct Letter {
    Leg leg;
    Bytes bytes;
  };

  /// One rank's state, and what has arrived for it. A rank is at most one superstep ahead of another, so a
  /// pile has at most three letters: both legs of one superstep and the first leg of the next.
  struct Box {
    State state = State::running;
    std::vector<std::vector<Letter>> piles;  ///< by source, oldest first
    std::vector<bool> wanted;                ///< by source: awaited, and not there yet
    std::size_t missing = 0;                 ///< how many of `wanted` are set
    std::condition_variable changed;
  };

  Box& box(Rank rank) { return boxes_[static_cast<std::size_t>(rank)]; }
  void want(Box& mine, const std::vector<Rank>& sources);
  std::optional<Rank> culprit(const Box& mine, const std::vector<Rank>& sources);
  static Bytes take(Box& mine, Rank source, Leg leg);
  void wake_all();

  std::mutex mutex_;
  std::vector<Box> boxes_;
  std::string abort_message_;       ///< empty while the job is on
  std::optional<Rank> first_lost_;  ///< whose loss made the others leave
};

}  // namespace lbsp::transport::threads
