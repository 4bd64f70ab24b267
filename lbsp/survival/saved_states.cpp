#include "lbsp/survival/saved_states.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp {

void SavedStates::check(std::uint64_t number) const {
  const std::uint64_t before = newest_ ? newest_->number : common_ ? common_->number : 0;
  if (number == 0 || number < before)
    throw UsageError(fmt::format("state {} is saved after state {}: number states from 1, and never lower",
                                 number, before));
}

void SavedStates::save(std::uint64_t number, std::any state, std::uint64_t superstep) {
  check(number);
  restored_.reset();
  // What was saved before a superstep that is complete now, all others have saved, too.
  if (newest_ && superstep > saved_in_) common_ = std::move(newest_);
  newest_ = Kept{number, std::move(state)};
  saved_in_ = superstep;
}

void SavedStates::go_on_from(std::uint64_t number) {
  if (newest_ && newest_->number == number) {
    common_ = std::move(newest_);
  } else if (number == 0) {
    common_.reset();
  } else if (!common_ || common_->number != number) {
    throw UsageError(fmt::format(
        "all ranks are to go on from state {}, which this one has not saved: save the same numbers on all ranks, in the "
        "same supersteps",
        number));
  }
  newest_.reset();
  restored_ = common_;
}

}  // namespace lbsp
