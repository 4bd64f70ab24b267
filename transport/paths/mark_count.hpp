#pragma once

#include <cstdint>
#include <optional>

#include "transport/ecn.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Counts how the datagrams that come from one peer were marked on their way. Reports tell it the peer while it is new:
/// a few of them each time that it has changed, as reports may be lost.
class MarkCount {
 public:
  void enter(Ecn ecn) {
    if (ecn == Ecn::unknown) return;
    const bool first = !known_;
    known_ = true;
    if (ecn == Ecn::marked) ++marked_;
    const bool is_first_bare = ecn == Ecn::none && !bare_;
    bare_ = bare_ || is_first_bare;
    if (first || is_first_bare || ecn == Ecn::marked) untold_ = reports_of_news;
  }

  /// For the report that is being written; nothing if it need not tell.
  std::optional<MarkReport> next() {
    if (untold_ == 0) return std::nullopt;
    --untold_;
    return MarkReport{static_cast<std::uint16_t>(marked_ % mark_report_window), bare_};
  }

  /// Whether the next report tells something.
  bool news() const { return untold_ > 0; }
  std::uint64_t marked() const { return marked_; }

  /// One of them arrives, whatever a path loses.
  static constexpr int reports_of_news = 8;

 private:
  bool known_ = false;  ///< the host tells
  bool bare_ = false;   ///< a datagram has come that could not have been marked
  std::uint64_t marked_ = 0;
  int untold_ = 0;  ///< so many reports have still to tell
};

}  // namespace lbsp::transport
