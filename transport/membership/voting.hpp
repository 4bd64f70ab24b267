#pragma once

#include <optional>
#include <vector>

#include "transport/membership/agreement_config.hpp"
#include "transport/membership/deliberation.hpp"
#include "transport/membership/hearing.hpp"
#include "transport/membership/others_views.hpp"
#include "transport/membership/proposal.hpp"
#include "transport/membership/statement.hpp"
#include "transport/membership/view.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// One member's part in the one vote of an epoch, by Paxos: which ballots it promises, which value it votes for, what
/// it proposes if it leads, and what has been decided, as far as the views of the others tell.
///
/// Agreement says when there is a vote, and with whom: it keeps what is heard, and whom its view suspects.
class Voting {
 public:
  /// All must outlive it. `own` is what this member says.
  Voting(const AgreementConfig& config, Hearing& hearing, Statement& own)
      : config_(config), hearing_(hearing), own_(own), views_(config.members) {}

  /// Another member's view came. Takes over what it has promised and voted for. Whether it is news.
  bool take(Slot from, const View& view, Instant now);
  /// Promises a ballot to the lowest of those that are not missed.
  void promise_the_lowest(Instant now);
  /// Leads, proposes and votes, as far as that is possible now, in an agreement that goes on since then. Returns what
  /// has been decided.
  std::optional<Decision> go_on(Instant viewing_since, Instant now);

  /// For whom any other member does not wait.
  MemberSet missed_by_others() const { return views_.suspects(); }
  /// As Deliberation's.
  const MemberSet& left_out() const { return deliberation_.left_out(); }
  /// This process did not run for so long.
  void forgive(Duration slept) { deliberation_.forgive(slept); }

 private:
  MemberSet not_missed() const { return config_.members - own_.view.suspects; }
  void take_lead(Instant now);
  void propose(Instant viewing_since, Instant now);
  std::vector<Report> reports_at(const Ballot& ballot, Instant now) const;

  const AgreementConfig& config_;
  Hearing& hearing_;
  Statement& own_;
  OthersViews views_;
  Deliberation deliberation_;  ///< if it leads
};

}  // namespace lbsp::transport
