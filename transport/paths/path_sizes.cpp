#include "transport/paths/path_sizes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

constexpr Duration first_rest = std::chrono::seconds{5};
constexpr Duration longest_rest = std::chrono::minutes{10};
/// What could be won by finer steps is less than what the headers of a datagram take.
constexpr std::size_t parts_of_a_step = 12;

}  // namespace

void PathSizes::lower(std::size_t bytes, Instant now) {
  if (bytes >= in_use_) return;
  in_use_ = std::max(bytes, min_datagram_bytes);
  on_trial_ = 0;
  between_ = {};
  rest_ = first_rest;
  rest(now);
}

void PathSizes::follow(std::size_t bytes, Instant now) {
  if (bytes >= in_use_) return;
  lower(bytes, now);
  search_below(SIZE_MAX, now);
}

void PathSizes::begin_with(std::size_t bytes, Instant now) {
  if (bytes >= in_use_) return;
  const std::size_t before = in_use_;
  lower(bytes, now);
  base_known_ = false;
  base_open_ = true;
  short_answered_ = false;
  rested_ = now;
  rest_ = first_rest;
  before_longer_ = before;
}

/// What lies between can be looked for at once.
void PathSizes::search_below(std::size_t too_long, Instant now) {
  too_long_ = too_long;
  attempts_ = 1;
  rested_ = now;
  rest_ = first_rest;
}

void PathSizes::limit(std::size_t bytes) {
  ceiling_ = std::clamp(bytes, min_datagram_bytes, ceiling_);
  in_use_ = std::min(in_use_, ceiling_);
}

void PathSizes::rest(Instant now) {
  attempts_ = 0;
  before_longer_ = SIZE_MAX;
  rested_ = now + rest_;
  rest_ = std::min(2 * rest_, longest_rest);
}

std::vector<std::size_t> PathSizes::search(Instant now, Duration patience, std::size_t longest) {
  if (on_trial() || now < rested_ || (attempts_ > 0 && now < last_attempt_ + patience)) return {};
  if (attempts_ == 0) {
    too_long_ = SIZE_MAX;
    between_ = {};
  }
  const std::size_t most = std::min({ceiling_, longest, too_long_ - 1, before_longer_});
  std::vector<std::size_t> sizes;
  if (attempts_ < most_attempts) sizes = usual(most);
  const std::vector<std::size_t> finer = between(most);
  sizes.insert(sizes.end(), finer.begin(), finer.end());
  if (sizes.empty()) {
    if (attempts_ > 0 && in_use_ < ceiling_) rest(now);
    return {};
  }
  asked_ = std::max(asked_, std::ranges::max(sizes));
  last_attempt_ = now;
  if (++attempts_ >= most_attempts && finer.empty()) rest(now);
  return sizes;
}

std::vector<std::size_t> PathSizes::usual(std::size_t most) const {
  std::vector<std::size_t> sizes;
  if (!base_known_)
    sizes = {in_use_, in_use_, in_use_ > small_datagram_bytes ? small_datagram_bytes : min_datagram_bytes};
  for (const std::size_t size : usual_datagram_bytes) {
    if (in_use_ < size && size <= most && size < ceiling_ && (attempts_ > 0 || is_frequent(size)))
      sizes.push_back(size);
  }
  if (in_use_ < ceiling_ && ceiling_ <= most) sizes.push_back(ceiling_);
  return sizes;
}

/// After the usual ones have been asked for in vain, or a trial has.
std::vector<std::size_t> PathSizes::between(std::size_t most) {
  if (attempts_ == 0 || in_use_ >= base_datagram_bytes) return {};
  for (const std::size_t size : std::exchange(between_, {}))
    if (size > in_use_) too_long_ = std::min(too_long_, size);
  const std::size_t above =
      std::min({ceiling_, too_long_, *std::ranges::upper_bound(usual_datagram_bytes, in_use_)});
  if (above <= in_use_ + in_use_ / parts_of_a_step) return {};
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < between_.size(); ++i) {
    const std::size_t size = in_use_ + (i + 1) * (above - in_use_) / (between_.size() + 1);
    if (size > most) break;
    between_[i] = size;
    sizes.push_back(size);
  }
  // Each again, but not next to itself: losses come together.
  const std::vector<std::size_t> again = sizes;
  sizes.insert(sizes.end(), again.begin(), again.end());
  return sizes;
}

std::vector<std::size_t> PathSizes::begin_trial(std::size_t bytes) {
  on_trial_ = bytes;
  base_known_ = true;  // or will be
  short_ = bytes > small_datagram_bytes ? small_datagram_bytes : min_datagram_bytes;
  short_asked_ = 0;
  short_answers_ = 0;
  many_in_a_row_ = false;
  longest_answered_ = 0;
  return further_questions();
}

std::vector<std::size_t> PathSizes::further_questions() {
  heard_ = false;
  first_asked_ = never;
  waits_ = 0;
  asked_ = std::max(asked_, on_trial_);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < questions_on_trial; ++i) {
    const bool long_first = i % 2 == 0;
    sizes.push_back(long_first ? on_trial_ : short_);
    if (i < questions_between) {
      for (const std::size_t size : usual_datagram_bytes) {
        if (size != short_ && size < on_trial_ && is_frequent(size)) sizes.push_back(size);
      }
    }
    sizes.push_back(long_first ? short_ : on_trial_);
  }
  return sizes;
}

PathSizes::Verdict PathSizes::judge(Instant now) {
  const bool proved = has_enough_answers();
  if (!proved && heard_) {
    if (short_answers_ == 0) short_ = min_datagram_bytes;
    return Verdict::not_proved;
  }
  if (!proved && ++in_vain_ < most_in_vain) {
    on_trial_ = 0;
    return Verdict::nothing_arrives;
  }
  in_vain_ = 0;
  const std::size_t too_long = on_trial_;
  if (proved) base_open_ = false;
  lower(proved ? longest_answered_ : next_smaller_datagram(too_long), now);
  search_below(too_long, now);
  return Verdict::narrow;
}

void PathSizes::short_answered() {
  ++short_answers_;
  const int on_their_way = short_asked_ - short_answers_;
  if (short_answers_ >= enough_in_a_row && (on_their_way == 0 || on_their_way == 1)) many_in_a_row_ = true;
}

bool PathSizes::answered(std::size_t bytes) {
  if (bytes > asked_) return false;
  arrived(bytes);
  short_answered_ = true;
  if (on_trial()) {
    heard_ = true;
    if (bytes == short_) short_answered();
    if (bytes < on_trial_) {
      longest_answered_ = std::max(longest_answered_, bytes);
      return false;
    }
    on_trial_ = 0;
    return true;
  }
  if (bytes <= in_use_ || bytes > ceiling_) return false;
  if (bytes >= before_longer_) before_longer_ = SIZE_MAX;
  in_use_ = bytes;
  return true;
}

}  // namespace lbsp::transport
