#include "lbsp/dataflow/survival/held_streams.hpp"

#include <utility>

namespace lbsp::dataflow::survival {

const StreamBytes* HeldStreams::find(StreamId id) const {
  const auto found = held_.find(id);
  return found == held_.end() ? nullptr : &found->second.bytes;
}

const StreamBytes& HeldStreams::put(StreamId id, StreamBytes bytes) {
  Held& held = held_[id];
  forget_spare(held);
  held.bytes = std::move(bytes);
  return held.bytes;
}

void HeldStreams::drop(StreamId id) {
  const auto found = held_.find(id);
  if (found == held_.end()) return;
  forget_spare(found->second);
  held_.erase(found);
}

StreamBytes HeldStreams::take(StreamId id) {
  Held& held = held_.at(id);
  forget_spare(held);
  StreamBytes bytes = std::move(held.bytes);
  held_.erase(id);
  return bytes;
}

void HeldStreams::make_spare(StreamId id) {
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.spare) return;
  found->second.spare = true;
  spare_bytes_ += found->second.bytes.size();
  spare_.push_back(id);
}

void HeldStreams::keep_all() {
  for (auto& [id, held] : held_)
    held.spare = false;
  spare_.clear();
  spare_bytes_ = 0;
}

void HeldStreams::drop_spare(std::uint64_t most_bytes) {
  while (spare_bytes_ > most_bytes) {
    const StreamId oldest = spare_.front();
    spare_.pop_front();
    const auto found = held_.find(oldest);
    if (found != held_.end() && found->second.spare) drop(oldest);
  }
}

std::vector<StreamId> HeldStreams::ids() const {
  std::vector<StreamId> all;
  for (const auto& [id, held] : held_)
    all.push_back(id);
  return all;
}

void HeldStreams::forget_spare(Held& held) {
  if (held.spare) spare_bytes_ -= held.bytes.size();
  held.spare = false;
}

}  // namespace lbsp::dataflow::survival
