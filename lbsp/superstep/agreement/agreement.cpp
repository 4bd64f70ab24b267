#include "lbsp/superstep/agreement/agreement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::superstep {
namespace {

/// How the sender of the message ended the superstep.
std::string describe_ending(const Message& message, const Wording& wording) {
  if (message.head.ending == Ending::end) return wording.end;
  const auto collective = std::ranges::find(message.log, LogKind::collective, &LogEntry::kind);
  return collective != message.log.end() ? describe(*collective, wording) : std::string(wording.sync);
}

void resolve_absent(std::span<const Message> messages, SlotTable& slots) {
  if (slots.log().empty()) return;  // then all are
  const auto mentions = [](const Message& message) {
    return std::ranges::any_of(message.log, [](const LogEntry& entry) {
      return entry.kind == LogKind::released && entry.slot == absent_slot;
    });
  };
  if (std::ranges::none_of(messages, mentions)) return;
  std::vector<std::span<const LogEntry>> logs;
  for (const Message& message : messages)
    logs.emplace_back(message.log);
  slots.resolve_absent(logs, messages.front().origin.superstep);
}

}  // namespace

void check_agreement(std::span<const Message> messages, Rank rank, Ending ending, SlotTable& slots,
                     const Wording& wording) {
  const Message& own = messages[static_cast<std::size_t>(rank)];
  for (const Message& message : messages) {
    if (message.head.ending == ending) continue;
    throw UsageError(fmt::format("the ranks disagree in superstep {}: rank {} {} where rank {} {}: {}",
                                 own.origin.superstep, rank, describe_ending(own, wording),
                                 message.origin.source, describe_ending(message, wording),
                                 wording.sync_alike));
  }
  if (ending != Ending::sync) return;
  for (const Message& message : messages) {
    if (message.origin.source != rank)
      slots.compare(message.log, message.origin.source, message.origin.superstep);
  }
  resolve_absent(messages, slots);
}

}  // namespace lbsp::superstep
