#include "lbsp/dataflow/survival/copy_plan.hpp"

#include <algorithm>

#include "lbsp/dataflow/survival/recovery.hpp"

namespace lbsp::dataflow::survival {

/// Planned after J. W. Young, *A first order approximation to the optimum checkpoint interval*, 1974: when the work
/// since the last copies is sqrt(2 cost between_failures). Products of doubles are the same on all machines.
bool CopyPlan::copies(const Level& level) {
  if (every_ != planned) return replicated(level.number, every_);
  worked_ = std::min(worked_ + level.takes, longest_ticks);
  written_ += level.bytes;
  if (level.copies_take <= 0) return false;
  const auto worked = static_cast<double>(worked_);
  const double best_squared =
      2.0 * static_cast<double>(level.copies_take) * static_cast<double>(limits_.between_failures);
  if (worked * worked < best_squared && written_ < limits_.most_bytes) return false;
  worked_ = 0;
  written_ = 0;
  return true;
}

}  // namespace lbsp::dataflow::survival
