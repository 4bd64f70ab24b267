#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of what goes to one peer where most of it is lost round after round, as where bursts spill over a
/// queue of a few datagrams, or meet a policer: they have gone before an echo can come, too few of them arrive for
/// their times to say what the link carries, and what is lost is sent again in one burst.
///
/// The bound is the part of the rate that arrived, but no less than twice what arrived in a round trip, which is known
/// to be carried, or than an eighth of the rate, as all may be lost in an outage. It doubles with each round that
/// arrives, and rises by a quarter once a bound was too high, as two rounds in a row tell that lose a sixth more
/// than usual. If far less is sent, and no larger part of it arrives, that is the path's own loss, and there is no
/// bound for a minute, or until far more is lost again.
///
/// After a pause of ten seconds links may have changed: then the bound doubles again. It is kept for a minute, as
/// supersteps on slow links may take that long.
///
/// On a short path rounds are of eight datagrams or 5 ms. There a bound that loses most is far too high, and what
/// follows doubles again until it is nearly as high; one that was a little too high goes on by small steps that become
/// larger, as a policer's bucket forgives the first ones.
///
/// At a bound that was too high once, or on a short path twice at about the same rate, and is carried, messages may
/// take so long that they are no bursts any more. Then whoever looks for a rate is to go on from there.
///
/// (A policer's rate is what arrives between two rounds that lose much, and is kept for a while: BBRv1's long-term
/// bandwidth.)
class SpillBound {
 public:
  /// On shorter paths a round takes so long: hosts hold datagrams back. It is over long before a policer's bucket is
  /// full or empty.
  static constexpr Duration short_path = std::chrono::milliseconds{5};

  struct Path {
    Duration round_trip;  ///< the least
    BytesPerSecond fair;  ///< what goes there without a bound
    std::size_t datagram_bytes;
    double usual_loss;
    bool in_bursts;  ///< what goes has gone before an echo can come; else other bounds are better
  };

  /// Something waits for the bound to let it go.
  void held() { held_ = true; }

  /// Takes what an echo says. Whether the bound has changed.
  bool echoed(const TrainMark& mark, const Path& path);
  /// Whether that has made it lower on a short path: what was lost before says nothing of the path.
  bool fell() const { return fell_; }

  /// nullopt: there is no bound.
  std::optional<BytesPerSecond> rate() const {
    return rate_ > 0 ? std::optional(BytesPerSecond{rate_}) : std::nullopt;
  }
  /// The bound, if it has shown about what is carried.
  std::optional<BytesPerSecond> shown() const { return shown_ ? rate() : std::nullopt; }

 private:
  struct Round {
    double datagrams;
    double loss;
    double own_loss;  ///< the path's part of that, as far as is known
    double arrived;   ///< bytes per second
    double sent;      ///< bytes per second

    bool floods() const;
    bool loses_more() const;
  };
  /// Rounds in a row that have lost too much since the bound has changed.
  struct Lossy {
    int rounds = 0;
    double datagrams = 0;
    double lost = 0;
  };

  struct Rules;
  static const Rules& rules_of(const Path& path);

  bool pause(const TrainMark& mark, bool ends);
  bool begin(const Round& round, const Path& path, Instant now);
  bool judge(const Round& round, const Path& path, Instant now);
  bool fall(const Round& round, const Path& path, Instant now);
  void lower(const Round& lossy, const Path& path);
  bool rise(const Round& round, const Path& path, bool held);

  std::optional<TrainMark> begun_;
  double rate_ = 0;  ///< bytes per second; 0: there is no bound
  double first_loss_ = 0;
  double first_sent_ = 0;  ///< bytes per second
  Lossy lossy_;
  int lossy_rounds_ = 0;   ///< in a row
  double bold_until_ = 0;  ///< doubled, the bound stays below what was far too high
  double step_ = 0;        ///< of the rate, with the next round that arrives, once that is not so
  int falls_ = 0;          ///< in a row, from about …
  double fell_from_ = 0;   ///< … this rate, which was a little too high
  bool shown_ = false;
  bool held_ = false;  ///< in this round
  bool fell_ = false;
  Instant not_before_{};
  double own_arrived_ = 0;  ///< the part that arrived when the loss passed for the path's own
};

}  // namespace lbsp::transport
