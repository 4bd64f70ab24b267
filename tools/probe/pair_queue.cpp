#include "tools/probe/pair_queue.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::probe {
namespace {

bool has(const Pair& pair, int host) {
  return pair.first == host || pair.second == host;
}

}  // namespace

PairQueue::PairQueue(std::vector<Pair> pairs, std::vector<HostPlace> places, std::optional<int> at_a_time)
    : places_(std::move(places)), at_a_time_(at_a_time), waiting_(std::move(pairs)) {}

void PairQueue::set_machine(int host, const std::string& machine, int processors) {
  places_[static_cast<std::size_t>(host)].machine = machine;
  places_[static_cast<std::size_t>(host)].processors = processors;
}

std::optional<Pair> PairQueue::next() {
  if (waiting_.empty() && running_.empty() && !again_.empty()) {
    waiting_ = std::exchange(again_, {});
    ++attempt_;
  }
  const auto found = std::ranges::find_if(waiting_, [this](const Pair& pair) { return may_join(pair); });
  if (found == waiting_.end()) return std::nullopt;
  const Pair pair = *found;
  waiting_.erase(found);
  running_.push_back(pair);
  if (running_.size() > 1) disturbed_.insert(running_.begin(), running_.end());
  return pair;
}

void PairQueue::measured(const Pair& pair) {
  std::erase(running_, pair);
  failures_.erase(pair);
}

void PairQueue::failed(const Pair& pair, const std::string& why, bool out_of_time) {
  std::erase(running_, pair);
  failures_[pair] = why;
  const bool lost = std::ranges::any_of(lost_, [&](const auto& each) { return has(pair, each.first); });
  const bool disturbed = disturbed_.erase(pair) > 0;
  if (!lost && attempt_ < most_attempts && (disturbed || !out_of_time)) again_.push_back(pair);
}

void PairQueue::lose(int host, const std::string& why) {
  lost_.emplace(host, why);
  for (auto* const pairs : {&waiting_, &again_}) {
    std::erase_if(*pairs, [&](const Pair& pair) {
      if (!has(pair, host)) return false;
      failures_[pair] = why;
      return true;
    });
  }
}

std::size_t PairQueue::most_at_a_time() const {
  const std::size_t all = std::max<std::size_t>(places_.size() / 2, 1);
  const std::size_t most = at_a_time_ ? static_cast<std::size_t>(*at_a_time_) : all;
  if (attempt_ == 1) return most;
  return attempt_ == 2 ? std::max<std::size_t>(std::min(most, all) / 2, 1) : 1;
}

bool PairQueue::may_join(const Pair& pair) const {
  if (running_.size() >= most_at_a_time()) return false;
  for (const Pair& other : running_)
    if (has(other, pair.first) || has(other, pair.second)) return false;
  return at_a_time_ || running_.empty() || (leaves_processors(pair) && leaves_uplinks(pair));
}

bool PairQueue::leaves_processors(const Pair& pair) const {
  for (const int host : {pair.first, pair.second}) {
    const std::string& machine = place(host).machine;
    if (machine.empty()) continue;
    const auto here = [&](int each) { return place(each).machine == machine ? 1 : 0; };
    int ends = here(pair.first) + here(pair.second);
    for (const Pair& other : running_)
      ends += here(other.first) + here(other.second);
    if (ends > 2 * place(host).processors) return false;
  }
  return true;
}

bool PairQueue::crosses(const Pair& pair) const {
  const std::string& from = place(pair.first).site;
  const std::string& to = place(pair.second).site;
  return from.empty() || to.empty() || from != to;
}

bool PairQueue::leaves_uplinks(const Pair& pair) const {
  if (!crosses(pair)) return true;
  return std::ranges::none_of(running_, [&](const Pair& other) {
    if (!crosses(other)) return false;
    for (const int host : {pair.first, pair.second}) {
      const std::string& site = place(host).site;
      if (!site.empty() && (place(other.first).site == site || place(other.second).site == site)) return true;
    }
    return false;
  });
}

}  // namespace lbsp::probe
