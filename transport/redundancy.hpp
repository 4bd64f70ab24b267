#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "transport/options.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a rank knows of the path to one peer when it plans: what it measured (older datagrams count less),
/// and a prior for what it has not measured yet.
struct PathForecast {
  double loss = 0;                   ///< p: that a datagram to this peer is lost
  double loss_after_loss = 0;        ///< that the next one is lost too, given that one was; p if independent
  double loss_sample = 0;            ///< the number of datagrams behind the two; 0: only the prior
  Duration round_trip{0};            ///< smoothed
  Duration round_trip_variation{0};  ///< mean deviation (RFC 9002, section 5.3)
  bool round_trip_known = true;      ///< measured, or told by another measurement; not just assumed
  Duration newest_round_trip{0};     ///< of the last datagram that an echo has told of; 0: nobody knows
  Duration least_round_trip{0};      ///< of all that were seen: without queues; 0: nobody knows
  /// A prior's: the most that goes on this path, as another measurement told; 0: what the rank may send. Paced by it is
  /// only what is clearly slower than the rank.
  BytesPerSecond bandwidth{0};
};

/// One message that a leg is going to send.
struct PlannedMessage {
  Rank to = 0;
  std::uint64_t bytes = 0;
  std::uint32_t segments = 1;
  PathForecast path;
  bool near = false;  ///< to a rank of the same host, beside all others
};

/// Where a rate is from: told by the user, found by what came through, what a rank begins with that knows nothing, or
/// what bounds it besides, as short bursts have shown.
enum class RateSource : std::uint8_t { told, found, guessed, shown };

/// What a leg goes at: what was told or found for the host and its paths, what the rank's datagrams have shown that is
/// carried of them, or what those to the peer to which it takes longest have.
enum class RateBound : std::uint8_t { host, shown, path };

/// Everything that a rank is about to send in one leg of a superstep.
struct LegOutline {
  Rank rank = 0;
  Rank size = 1;
  Recovery recovery = Recovery::receiver;
  BytesPerSecond rate;             ///< what this rank may send to all peers together
  std::size_t datagram_bytes = 0;  ///< of a full segment's datagram
  std::span<const PlannedMessage> messages;
  BytesPerSecond host_rate{0};                ///< of which `rate` is a part; 0: the same
  RateSource rate_source = RateSource::told;  ///< of the host's rate
  RateBound bound = RateBound::host;          ///< why the leg goes no faster …
  BytesPerSecond bound_rate{0};               ///< … and what that is, if it is not the host's rate
  std::uint32_t superstep = 0;
  /// Lately, from the end of a leg to the begin of the next one; none: nobody knows.
  std::optional<Duration> pause{};
};

/// The most segments in a block of a coded message (messages/block_layout.hpp), and the most coded segments that
/// a block can have.
inline constexpr int most_block_segments = 128;
inline constexpr int most_repair_segments = 128;

/// How one message is protected against loss before anything of it is known to be lost.
///
/// A message of several segments is cut into blocks (messages/block_layout.hpp). r coded segments follow each
/// block. A block of m segments is complete when any m of its segments and coded segments have arrived. A
/// block of one segment has copies instead.
struct MessagePlan {
  int copies = 1;           ///< k, 1 … max_copies: planned transmissions of every protected segment
  int repair_segments = 0;  ///< r: coded segments of each protected block; 0 … most_repair_segments
  /// Segments before this one are sent once and have no coded segments of their own. If they are lost, they
  /// are repaired while later ones are still being sent.
  std::uint32_t first_protected = 0;
  bool coded = false;  ///< whether repairs may be coded segments
  /// Coded segments of each block with the spare ones, which follow when everything else has been sent, until
  /// something is heard of it. They cost bytes, but delay nothing. At most r: none.
  int most_segments = 0;
  /// Coded segments of each protected block that no spare ones can follow in time, as the next leg has begun; some of
  /// the spare ones then go before that leg's messages. At most r: none do.
  int without_spares = 0;
};

/// What a plan is expected to achieve for a leg.
struct LegForecast {
  /// From the beginning of the leg, if all ranks begin it at once and send alike. 0: not known, as before the
  /// round trips are.
  Duration duration{0};
  Duration earlier{0};  ///< by how much less than that nine of ten legs take at least, …
  Duration later{0};    ///< … and by how much more at most, as losses fall
};

/// Decides on redundancy: what is sent in advance, for each leg and pair, and what is sent when something is
/// lost. It is called while datagrams wait to be sent, so it does no I/O, never waits and throws nothing. A
/// plan should cost microseconds.
class RedundancyPlanner {
 public:
  RedundancyPlanner() = default;
  RedundancyPlanner(const RedundancyPlanner&) = delete;
  RedundancyPlanner& operator=(const RedundancyPlanner&) = delete;
  virtual ~RedundancyPlanner() = default;

  /// Fills in one plan for each of leg.messages. `plans` has the same length and holds defaults.
  virtual LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) = 0;

  /// How many segments to send to a peer that lacks `lacking` segments of one block (at least 1), after
  /// `earlier` such repairs of that block. Returns at least `lacking`.
  virtual int repairs_for(int lacking, int earlier, const PathForecast& path) const = 0;
};

/// Makes the planner of one rank.
using PlannerFactory = std::function<std::unique_ptr<RedundancyPlanner>(Rank)>;

}  // namespace lbsp::transport
