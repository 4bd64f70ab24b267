#pragma once

#include <optional>
#include <vector>

#include "transport/membership/agreement_config.hpp"
#include "transport/membership/hearing.hpp"
#include "transport/membership/member_set.hpp"
#include "transport/membership/others_views.hpp"
#include "transport/membership/proposal.hpp"
#include "transport/membership/view.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// For whom the member that leads an agreement waits before it proposes a value, although enough have reported: for
/// those that most others hear, for those that would be left out although they report, and for new processes.
class Deliberation {
 public:
  struct Known {
    const AgreementConfig& config;
    const Hearing& hearing;
    const OthersViews& views;
    Instant viewing_since;  ///< the agreement goes on
    Instant progress_at;    ///< when it got on last
  };

  /// What is to be proposed in this process's ballot, after these reports of enough members; nothing: nothing yet, or
  /// too few would be left.
  std::optional<Decision> value_to_propose(const Ballot& ballot, const std::vector<Report>& reports,
                                           const Known& known, Instant now);
  /// Of the value that it would propose, once there is only a new process to wait for.
  const MemberSet& left_out() const { return left_out_; }
  /// This process did not run for so long.
  void forgive(Duration slept);

 private:
  bool awaits_others_members(const MemberSet& reporters, const std::vector<Report>& reports,
                             const Known& known, Instant now) const;
  bool is_doubtful(const Decision& value, const MemberSet& reporters, const Known& known, Instant now);
  bool awaits_newcomers(const Decision& value, const Known& known, Instant now);

  MemberSet left_out_;
  MemberSet doubted_;               ///< who reports and would be left out …
  Instant doubtful_since_ = never;  ///< … and since when, the first or another one
  Ballot enough_at_ballot_{};       ///< at which enough have reported …
  Instant enough_since_{};          ///< … and since when
};

/// Whose these are.
MemberSet reporters_of(const std::vector<Report>& reports);

}  // namespace lbsp::transport
