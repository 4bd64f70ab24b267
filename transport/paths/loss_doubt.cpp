#include "transport/paths/loss_doubt.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Less of it is worth no doubt.
constexpr double heavy = 0.12;
constexpr double least_datagrams_of_superstep = 64;
/// Of what was lost before: then it was not the paths' own.
constexpr double part_left_of_loss = 0.7;
/// Supersteps between two looks where the first ones have shown nothing.
constexpr std::uint64_t longest_period = 1024;
constexpr std::uint64_t most_none_lost = 3200;

}  // namespace

bool LossDoubt::forgets(std::uint64_t superstep, double loss, double datagrams, bool& queued) {
  if (superstep % first_period != 0 || datagrams < least_datagrams_of_superstep) return false;
  if (const double before = std::exchange(before_, 0); before > 0) {
    const bool helped = loss < part_left_of_loss * before;
    period_ = helped ? first_period : std::min(4 * period_, longest_period);
    none_lost_ = helped ? std::min(4 * none_lost_, most_none_lost) : few;
  }
  if (!std::exchange(queued, false) || loss < heavy || superstep % period_ != 0) return false;
  before_ = loss;
  return true;
}

}  // namespace lbsp::transport
