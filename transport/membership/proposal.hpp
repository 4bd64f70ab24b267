#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/membership/agreement_config.hpp"
#include "transport/membership/view.hpp"

namespace lbsp::transport {

/// What a member has told whoever proposes. The view must outlive it.
struct Report {
  Slot from;
  const View* view;
};

/// Whether a value could be one of this epoch's.
bool makes_sense(const Decision& value, const AgreementConfig& config);

/// Of two that do not hear each other, each misses the other.
enum class Misses {
  all,
  by_own_fault,  ///< but not where the other one's own host alone refuses to send
};

/// What these reports call for: the vote with the highest ballot if there is one, because its value may have been
/// decided; else those that hear each other, by their own faults if these are enough. Nothing if they are too few to go
/// on.
std::optional<Decision> value_after(const std::vector<Report>& reports, const AgreementConfig& config);

/// Of those that reported, those that hear each other: while any two do not, whoever misses most is left out; of
/// equals, one that is `new_here`, then whose own host refuses to send to most of them, then whom most have missed,
/// then the highest slot.
MemberSet all_hear_each_other(const std::vector<Report>& reports, const MemberSet& new_here = {},
                              Misses which = Misses::all);

/// The newest boundary that all of these members hold; 0, the beginning of the job, if they have none in common.
std::uint64_t common_boundary(const std::vector<Report>& reports, const MemberSet& members);

}  // namespace lbsp::transport
