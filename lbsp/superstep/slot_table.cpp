#include "lbsp/superstep/slot_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

bool same_call(const LogEntry& left, const LogEntry& right) {
  return left.kind == right.kind && left.slot_kind == right.slot_kind && left.slot == right.slot &&
         left.element_bytes == right.element_bytes && left.parameter == right.parameter;
}

std::string describe_at(std::span<const LogEntry> log, std::size_t place) {
  return place < log.size() ? describe(log[place]) : std::string("made no further registration");
}

std::string describe_slot(const LogEntry& entry) {
  if (entry.slot_kind == SlotKind::memory)
    return fmt::format("memory of {}-byte elements", entry.element_bytes);
  if (entry.parameter == any_tag) return fmt::format("a queue of {}-byte values", entry.element_bytes);
  return fmt::format("a queue of {}-byte values with {}-byte tags", entry.element_bytes, entry.parameter);
}

}  // namespace

std::string describe(const LogEntry& entry) {
  switch (entry.kind) {
    case LogKind::registered:
      return "registered " + describe_slot(entry);
    case LogKind::released:
      return fmt::format("released registration {} ({})", entry.slot, describe_slot(entry));
    case LogKind::agreed:
      return fmt::format("gave the value {} to agree on", entry.parameter);
  }
  return "did something unknown";
}

SlotNumber SlotTable::add(SlotSpec spec) {
  Slot slot{std::move(spec), true, false, {}, {}};
  slot.bytes_at.assign(static_cast<std::size_t>(size_), unknown_bytes);
  slot.bytes_at[static_cast<std::size_t>(rank_)] = slot.memory.size();
  SlotNumber number = static_cast<SlotNumber>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  log_.push_back(
      {LogKind::registered, slot.kind, number, slot.element_bytes, slot.tag_bytes, slot.memory.size()});
  slots_[number] = std::move(slot);
  return number;
}

void SlotTable::release(SlotNumber number) noexcept {
  Slot& slot = slots_[number];
  slot.released = true;
  log_.push_back({LogKind::released, slot.kind, number, slot.element_bytes, slot.tag_bytes, 0});
}

void SlotTable::agree(std::uint64_t value) {
  log_.push_back({LogKind::agreed, SlotKind::memory, 0, 0, value, 0});
}

Slot* SlotTable::find(SlotNumber number) {
  return number < slots_.size() && slots_[number].live ? &slots_[number] : nullptr;
}

void SlotTable::compare(std::span<const LogEntry> theirs, Rank source, std::uint64_t superstep) {
  const auto [mine_end, theirs_end] = std::ranges::mismatch(log_, theirs, same_call);
  const auto place = static_cast<std::size_t>(mine_end - log_.begin());
  if (place != log_.size() || place != theirs.size()) {
    throw UsageError(
        fmt::format("the ranks disagree in superstep {}: rank {} {} where rank {} {}: register and "
                    "release the same things in the same order on every rank",
                    superstep, rank_, describe_at(log_, place), source, describe_at(theirs, place)));
  }
  for (const LogEntry& entry : theirs) {
    if (entry.kind == LogKind::registered) {
      slots_[entry.slot].bytes_at[static_cast<std::size_t>(source)] = entry.bytes;
    }
  }
}

void SlotTable::forget_received() {
  for (Slot& slot : slots_)
    slot.received.clear();
}

void SlotTable::close_superstep() {
  for (const LogEntry& entry : log_) {
    if (entry.kind != LogKind::released) continue;
    slots_[entry.slot] = {};
    free_.push_back(entry.slot);
  }
  log_.clear();
}

}  // namespace lbsp::superstep
