#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/probe/measurement.hpp"
#include "transport/probe/rate_search.hpp"

namespace lbsp::transport::probe {

/// The bandwidths of a measurement, found one after the other: of both directions at a first look, with
/// datagrams of one size, and later of both for every size. It does no I/O: the caller asks for the next train
/// and says what happened to it.
class Bandwidths {
 public:
  /// First looks at a bandwidth of at most `most`, with datagrams of `bytes`.
  Bandwidths(std::uint32_t bytes, BytesPerSecond most);

  /// Adds all sizes and directions of which something arrived. Their bandwidths go to this result, which must
  /// stay where it is.
  void add(std::vector<SizeResult>& sizes);

  /// Nothing: what was to be found so far is found.
  std::optional<TrainPlan> next();
  /// Whether the train comes from the responder.
  bool down() const { return searches_[found_].down; }
  /// What happened to the train.
  void take(const TrainSent& sent, const TrainSeen& seen) { search_->take(sent, seen); }

  /// Of the slower direction, at the first look.
  BytesPerSecond first_look() const { return {std::min(first_look_[0], first_look_[1])}; }
  std::uint32_t first_look_bytes() const { return searches_.front().bytes; }
  std::size_t found() const { return found_; }
  std::size_t wanted() const { return searches_.size(); }

 private:
  struct Search {
    bool down;
    std::uint32_t bytes;
    DirectionResult* result;  ///< none: a first look
  };

  void begin();
  void end();

  BytesPerSecond most_;
  std::vector<Search> searches_;
  std::size_t found_ = 0;
  std::optional<RateSearch> search_;
  std::array<double, 2> first_look_{};  ///< bytes per second up and down
};

}  // namespace lbsp::transport::probe
