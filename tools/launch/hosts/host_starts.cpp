#include "tools/launch/hosts/host_starts.hpp"

#include <algorithm>

namespace lbsp::launch::hosts {

void HostStarts::add(const void* host, std::function<void()> begin) {
  waiting_.push_back({host, std::move(begin)});
  slices_.begin();
}

void HostStarts::remove(const void* host) {
  const auto found = std::ranges::find(waiting_, host, &Waiting::host);
  if (found != waiting_.end()) waiting_.erase(found);
}

void HostStarts::settled() {
  --opening_;
  if (!waiting_.empty()) slices_.begin();
}

bool HostStarts::begin_next() {
  if (waiting_.empty() || opening_ >= most_at_once) return false;
  const auto begin = std::move(waiting_.front().begin);
  waiting_.pop_front();
  ++opening_;
  begin();
  return true;
}

}  // namespace lbsp::launch::hosts
