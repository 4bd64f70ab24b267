#include "lbsp/superstep/agreement/slot_table.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

bool same_call(const LogEntry& left, const LogEntry& right) {
  const bool either_absent =
      left.kind == LogKind::released && (left.slot == absent_slot || right.slot == absent_slot);
  const bool same_size = left.kind != LogKind::collective || left.bytes == right.bytes;
  return left.kind == right.kind && same_size && left.slot_kind == right.slot_kind &&
         (left.slot == right.slot || either_absent) && left.element_bytes == right.element_bytes &&
         left.parameter == right.parameter;
}

}  // namespace

std::string SlotTable::describe_at(std::span<const LogEntry> log, std::size_t place) const {
  return place < log.size() ? describe(log[place], *wording_) : std::string(wording_->nothing_further);
}

const char* SlotTable::remedy_at(std::span<const LogEntry> mine, std::span<const LogEntry> theirs,
                                 std::size_t place) const {
  const auto either_is = [&](LogKind kind) {
    return std::ranges::any_of(std::array{mine, theirs}, [&](std::span<const LogEntry> log) {
      return place < log.size() && log[place].kind == kind;
    });
  };
  if (either_is(LogKind::graph)) return wording_->run_alike;
  return either_is(LogKind::collective) ? wording_->call_alike : wording_->register_alike;
}

void Slot::learn(Rank rank, std::uint64_t bytes) {
  bytes_at[static_cast<std::size_t>(rank)] = bytes;
  elements_at[static_cast<std::size_t>(rank)] = (bytes == unknown_bytes ? most_bytes : bytes) / element_bytes;
}

SlotNumber SlotTable::add(SlotSpec spec) {
  Slot slot{std::move(spec), true, ++registered_, {}, {}, {}, {}};
  slot.bytes_at.resize(static_cast<std::size_t>(size_));
  slot.elements_at.resize(static_cast<std::size_t>(size_));
  for (Rank rank = 0; rank < size_; ++rank)
    slot.learn(rank, rank == rank_ ? slot.memory.size() : unknown_bytes);
  SlotNumber number = static_cast<SlotNumber>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  log_.push_back({LogKind::registered, slot.kind, number, slot.element_bytes, slot.tag_bytes,
                  slot.absent ? absent_bytes : slot.memory.size()});
  if (slot.absent) slot.absent_at.push_back(rank_);
  slots_[number] = std::move(slot);
  return number;
}

void SlotTable::release(SlotNumber number) noexcept {
  const Slot& slot = slots_[number];
  log_.push_back({LogKind::released, slot.kind, number, slot.element_bytes, slot.tag_bytes, 0});
}

void SlotTable::release_absent() {
  log_.push_back({LogKind::released, SlotKind::memory, absent_slot, 1, 0, 0});
}

void SlotTable::agree(std::uint64_t value, LogKind kind) {
  log_.push_back({kind, SlotKind::memory, 0, 0, value, 0});
}

void SlotTable::agree_on_graph(std::uint64_t digest, std::uint64_t tokens) {
  log_.push_back({LogKind::graph, SlotKind::memory, 0, 0, digest, tokens});
}

void SlotTable::call_collective(const CollectiveCall& call) {
  log_.push_back(log_entry(call));
}

void SlotTable::compare(std::span<const LogEntry> theirs, Rank source, std::uint64_t superstep) {
  const auto [mine_end, theirs_end] = std::ranges::mismatch(log_, theirs, same_call);
  const auto place = static_cast<std::size_t>(mine_end - log_.begin());
  if (place != log_.size() || place != theirs.size()) {
    throw UsageError(fmt::format("the ranks disagree in superstep {}: rank {} {} where rank {} {}: {}",
                                 superstep, rank_, describe_at(log_, place), source,
                                 describe_at(theirs, place), remedy_at(log_, theirs, place)));
  }
  for (const LogEntry& entry : theirs) {
    if (entry.kind != LogKind::registered) continue;
    Slot& slot = slots_[entry.slot];
    const bool absent = entry.bytes == absent_bytes;
    slot.learn(source, absent ? 0 : entry.bytes);
    if (absent && source != rank_) slot.absent_at.push_back(source);
  }
}

/// What the ranks that do say it release in that place of the logs; absent_slot if none does.
SlotNumber SlotTable::named_at(const std::vector<std::span<const LogEntry>>& logs, std::size_t place,
                               std::uint64_t superstep) const {
  SlotNumber named = absent_slot;
  std::size_t namer = 0;
  for (std::size_t rank = 0; rank < logs.size(); ++rank) {
    const SlotNumber slot = logs[rank][place].slot;
    if (slot == absent_slot) continue;
    if (named != absent_slot && named != slot) {
      throw UsageError(fmt::format("the ranks disagree in superstep {}: rank {} {} where rank {} {}: {}",
                                   superstep, namer, describe_at(logs[namer], place), rank,
                                   describe_at(logs[rank], place), wording_->register_alike));
    }
    named = slot;
    namer = rank;
  }
  return named;
}

SlotNumber SlotTable::newest_absent_everywhere(std::size_t place) const {
  SlotNumber newest = absent_slot;
  for (SlotNumber number = 0; number < slots_.size(); ++number) {
    const Slot& slot = slots_[number];
    const auto end = log_.begin() + static_cast<std::ptrdiff_t>(place);
    const bool gone = std::any_of(log_.begin(), end, [&](const LogEntry& entry) {
      return entry.kind == LogKind::released && entry.slot == number;
    });
    const bool later = std::any_of(end, log_.end(), [&](const LogEntry& entry) {
      return entry.kind == LogKind::registered && entry.slot == number;
    });
    if (!slot.live || gone || later || slot.absent_at.size() != static_cast<std::size_t>(size_)) continue;
    if (newest == absent_slot || slot.age > slots_[newest].age) newest = number;
  }
  return newest;
}

void SlotTable::resolve_absent(const std::vector<std::span<const LogEntry>>& logs, std::uint64_t superstep) {
  for (std::size_t place = 0; place < log_.size(); ++place) {
    const auto is_absent = [&](std::span<const LogEntry> log) {
      return log[place].kind == LogKind::released && log[place].slot == absent_slot;
    };
    const auto absent = std::ranges::find_if(logs, is_absent);
    if (absent == logs.end()) continue;
    SlotNumber slot = named_at(logs, place, superstep);
    if (slot == absent_slot) slot = newest_absent_everywhere(place);
    for (std::size_t rank = 0; rank < logs.size(); ++rank) {
      if (!is_absent(logs[rank])) continue;
      const bool possible =
          find(slot) != nullptr &&
          std::ranges::find(slots_[slot].absent_at, static_cast<Rank>(rank)) != slots_[slot].absent_at.end();
      if (possible) continue;
      throw UsageError(fmt::format(
          "the ranks disagree in superstep {}: rank {} {} where {}: {}", superstep, rank,
          describe_at(logs[rank], place),
          slot == absent_slot ? std::string("no registration is without memory on every rank")
                              : fmt::format("registration {} is released, which has memory there", slot),
          wording_->register_alike));
    }
    log_[place].slot = slot;
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
