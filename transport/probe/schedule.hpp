#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// The spacings at which the loss of a second copy is measured.
inline constexpr std::array<transport::Duration, 5> copy_spacings{
    std::chrono::milliseconds{0}, std::chrono::milliseconds{1}, std::chrono::milliseconds{5},
    std::chrono::milliseconds{20}, std::chrono::milliseconds{50}};

/// Datagrams of one size in a loss measurement.
struct SizePlan {
  std::uint32_t bytes = 0;                ///< UDP payload
  std::uint32_t count = 0;                ///< in all rounds together
  std::uint32_t period_microseconds = 0;  ///< of the pattern of departures

  friend bool operator==(const SizePlan&, const SizePlan&) = default;
};

/// When each datagram of a loss measurement leaves. Both ends compute it from the same few numbers, so a
/// receiver knows what was sent, including the last datagrams.
///
/// Sizes take turns in blocks, `rounds` times, so that a change of the network in these seconds affects all
/// of them. A block has only one size, so that runs of losses can be counted. It repeats a pattern of
/// departures with pairs at all copy_spacings: three datagrams at 0, 0 and 1 ms every 5 ms if the size allows
/// that, otherwise six at 0, 0, 1, 5, 20 and 50 ms in each period.
class LossSchedule {
 public:
  struct Departure {
    transport::Duration time;  ///< since the start
    std::uint16_t size;        ///< place in sizes()
    std::uint16_t block;
  };

  static constexpr std::uint32_t dense_period_microseconds = 5'000;
  static constexpr std::uint32_t least_sparse_period_microseconds = 75'000;
  /// Idle time between blocks, which lets a queue empty.
  static constexpr transport::Duration pause = std::chrono::milliseconds{20};

  LossSchedule(std::vector<SizePlan> sizes, int rounds);
  /// One of each size after the other, again and again until all their counts have left; period is the time
  /// until the next datagram. What befalls several in a row so befalls different sizes.
  static LossSchedule taking_turns(std::vector<SizePlan> sizes);

  const std::vector<SizePlan>& sizes() const { return sizes_; }
  const std::vector<Departure>& departures() const { return departures_; }
  std::uint32_t bytes_of(std::size_t index) const { return sizes_[departures_[index].size].bytes; }
  /// The time until the last departure.
  transport::Duration length() const {
    return departures_.empty() ? transport::Duration{0} : departures_.back().time;
  }

 private:
  LossSchedule() = default;

  std::vector<SizePlan> sizes_;
  std::vector<Departure> departures_;
};

/// The densest plan for `count` datagrams that stays below `rate` on average.
SizePlan plan_size(std::uint32_t bytes, std::uint32_t count, transport::BytesPerSecond rate);

/// How long the departures of a plan take.
transport::Duration length_of(const SizePlan& plan);

/// What one direction did to the datagrams of one size. It can be sent and added up without loss.
struct LossSummary {
  struct Copies {
    std::uint32_t first_lost = 0;  ///< pairs whose first datagram was lost
    std::uint32_t both_lost = 0;   ///< of these, second one too
  };

  std::uint32_t sent = 0;
  std::uint32_t lost = 0;
  std::uint32_t runs = 0;  ///< of consecutive losses
  std::array<Copies, copy_spacings.size()> copies{};

  double loss() const { return sent == 0 ? 0 : static_cast<double>(lost) / sent; }
  /// Mean length of a run of losses; 1 if there was none.
  double burst() const { return runs == 0 ? 1 : static_cast<double>(lost) / runs; }
};

/// What happened to every size, computed from which of the departures `arrived`.
std::vector<LossSummary> summarise(const LossSchedule& schedule, const std::vector<bool>& arrived);

}  // namespace lbsp::transport::probe
