#pragma once

#include "transport/membership/announcement.hpp"
#include "transport/membership/hearing.hpp"
#include "transport/membership/view.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a member says in the agreement of its epoch: its own view, and when it says that to whom.
struct Statement {
  View view;
  Announcement announcement;
  MemberSet refused =
      {};                ///< to whom this process's host refuses to send; the view has it as it was said last
  Instant changed_at{};  ///< when the agreement got on last, as far as is known here

  /// The view has changed by what gets the agreement on: all are told.
  void note_change(Instant now) {
    changed_at = now;
    announcement.news(now);
  }
  /// Whom this process hears, and to whom its host refuses to send, as it is now.
  void look(const Hearing& hearing, Instant now) {
    view.hears = hearing.not_silent(now);
    view.refused = refused;
  }
};

}  // namespace lbsp::transport
