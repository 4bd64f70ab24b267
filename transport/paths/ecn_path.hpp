#pragma once

#include <cstdint>
#include <optional>

#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// How many of some datagrams that arrived had been marked on their way.
struct Marks {
  std::uint32_t marked = 0;
  std::uint32_t arrived = 0;
  Instant since{};  ///< none of them was sent earlier
};

/// Whether what goes to one peer lets routers mark it instead of dropping it (ECN), and the marks that the peer has
/// told of. All datagrams go so at first; what comes back shows whether the path leaves them so (after RFC 9000,
/// section 13.4.2). If it does not, no more go so, and nothing else changes.
class EcnPath {
 public:
  /// `answers`: the rank sends less where datagrams are marked. Who does not must not have them marked.
  explicit EcnPath(bool answers) : off_(!answers) {}

  /// Datagrams go as ECT(0).
  bool capable() const { return !off_; }

  /// A report came `now`, in which the peer says that so many datagrams have arrived in all; `marks`: what it tells of
  /// marks. The newest datagram that was known to have arrived until then was sent at `newest`.
  void told(const std::optional<MarkReport>& marks, std::uint32_t arrived, Instant newest, Instant now);
  /// Nothing of what was sent is known to have arrived: so many datagrams, the first so long ago. Some filters drop
  /// what may be marked.
  void unanswered(std::uint64_t packets, Duration since_first);
  /// What reports have told since this was asked last; nothing if none did, or only within that time: those of other
  /// paths, which tell whether the marks are of this path alone, may be under way.
  std::optional<Marks> take(Duration wait, Instant now);
  /// When a report told of marks; long ago if none has.
  Instant marked_at() const { return marked_at_; }

 private:
  void give_up();

  bool off_;
  bool tells_ = false;  ///< the peer has told something
  bool believed_ =
      false;  ///< a datagram has arrived as it was sent, so the path neither clears nor marks all
  int silent_reports_ = 0;
  std::uint16_t last_ = 0;
  std::uint32_t marked_ = 0;   ///< in all …
  std::uint32_t arrived_ = 0;  ///< … of so many
  Instant newest_{};           ///< at the last report
  Instant marked_at_{};
  std::optional<Marks> waiting_;
  Instant waiting_since_{};
};

}  // namespace lbsp::transport
