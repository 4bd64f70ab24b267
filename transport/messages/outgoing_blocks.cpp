#include "transport/messages/outgoing_blocks.hpp"

#include <algorithm>

namespace lbsp::transport {

namespace {

std::uint8_t possible(int coded_segments) {
  return static_cast<std::uint8_t>(std::clamp(coded_segments, 0, most_repair_segments));
}

}  // namespace

void OutgoingBlocks::plan(const MessagePlan& plan) {
  blocks_.resize(layout_.blocks());
  for (std::uint32_t b = 0; b < layout_.blocks(); ++b) {
    if (layout_.end(b) > plan.first_protected) blocks_[b].planned = possible(plan.repair_segments);
    blocks_[b].spare = possible(plan.most_segments - blocks_[b].planned);
  }
}

bool OutgoingBlocks::plan_without_spares(std::uint32_t block, int coded_segments) {
  OutgoingBlock& state = blocks_[block];
  const int further = std::min<int>(possible(coded_segments) - state.next_coded - state.planned, state.spare);
  if (further <= 0) return false;
  const bool had_none = state.planned == 0;
  state.planned = static_cast<std::uint8_t>(state.planned + further);
  state.spare = static_cast<std::uint8_t>(state.spare - further);
  return had_none;
}

void OutgoingBlocks::note_held(std::uint32_t block, std::uint32_t coded) {
  if (block >= blocks_.size()) return;
  std::uint8_t& held = blocks_[block].held;
  held = std::max(held, static_cast<std::uint8_t>(std::min<std::uint32_t>(coded, most_repair_segments)));
}

std::optional<std::uint32_t> OutgoingBlocks::next_to_code(std::uint32_t sent) {
  while (next_to_code_ < blocks_.size() && layout_.end(next_to_code_) <= sent) {
    const std::uint32_t block = next_to_code_++;
    if (blocks_[block].planned > 0) return block;
  }
  return std::nullopt;
}

int OutgoingBlocks::most_transmissions() const {
  int most = 1;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    const int size = static_cast<int>(layout_.size(b));
    most = std::max(most, 1 + (blocks_[b].planned + size - 1) / size);
  }
  return most;
}

}  // namespace lbsp::transport
