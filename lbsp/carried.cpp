#include "lbsp/carried.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp {

void Carried::change_to(transport::WorldChange change) {
  const std::uint64_t boundary = change.boundary;
  change_ = std::move(change);
  if (newest_ && newest_->number == boundary) {
    common_ = std::move(newest_);
  } else if (boundary == 0) {
    common_.reset();
  } else if (!common_ || common_->number != boundary) {
    throw UsageError(fmt::format(
        "all ranks are to go on from state {}, which this one has not saved: save the same numbers on all ranks, in the "
        "same supersteps",
        boundary));
  }
  newest_.reset();
  restored_ = common_;
}

void Carried::save(std::uint64_t number, std::any state, std::uint64_t superstep) {
  const std::uint64_t before = newest_ ? newest_->number : common_ ? common_->number : 0;
  if (number == 0 || number < before)
    throw UsageError(fmt::format("state {} is saved after state {}: number states from 1, and never lower",
                                 number, before));
  restored_.reset();
  // What was saved before a superstep that is complete now, all others have saved, too.
  if (newest_ && superstep > saved_in_) common_ = std::move(newest_);
  newest_ = Kept{number, std::move(state)};
  saved_in_ = superstep;
}

}  // namespace lbsp
