#include "transport/probe/bandwidths.hpp"

namespace lbsp::transport::probe {
namespace {

constexpr BytesPerSecond first_rate = megabits_per_second(1);
constexpr double over_first_look = 1.25;

}  // namespace

Bandwidths::Bandwidths(std::uint32_t bytes, BytesPerSecond most)
    : most_(most), searches_{{false, bytes, nullptr}, {true, bytes, nullptr}} {}

void Bandwidths::add(std::vector<SizeResult>& sizes) {
  for (SizeResult& size : sizes) {
    for (const bool is_down : {false, true}) {
      DirectionResult& result = is_down ? size.down : size.up;
      if (result.loss.lost < result.loss.sent) searches_.push_back({is_down, size.bytes, &result});
    }
  }
}

std::optional<TrainPlan> Bandwidths::next() {
  while (found_ < searches_.size()) {
    if (!search_) begin();
    if (const auto train = search_->next()) return train;
    end();
  }
  return std::nullopt;
}

void Bandwidths::begin() {
  const Search& search = searches_[found_];
  if (search.result == nullptr) {
    search_.emplace(RateSearch::Start{search.bytes, first_rate, most_, std::nullopt, 1});
  } else {
    const double rate = over_first_look * first_look_[search.down ? 1 : 0];
    search_.emplace(RateSearch::Start{search.bytes, {rate}, most_, search.result->loss.loss(), 2});
  }
}

void Bandwidths::end() {
  const Search& search = searches_[found_++];
  if (search.result == nullptr) {
    first_look_[search.down ? 1 : 0] = search_->bandwidth().value;
  } else {
    search.result->bandwidth = search_->bandwidth();
    search.result->limited_by_sender = search_->limited_by_sender();
  }
  search_.reset();
}

}  // namespace lbsp::transport::probe
