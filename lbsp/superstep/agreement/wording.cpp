#include "lbsp/superstep/agreement/wording.hpp"

#include <fmt/format.h>

#include "lbsp/superstep/agreement/collective_call.hpp"

namespace lbsp::superstep {
namespace {

std::string describe_slot(const LogEntry& entry) {
  if (entry.slot_kind == SlotKind::memory)
    return fmt::format("memory of {}-byte elements", entry.element_bytes);
  if (entry.parameter == any_tag) return fmt::format("a queue of {}-byte values", entry.element_bytes);
  return fmt::format("a queue of {}-byte values with {}-byte tags", entry.element_bytes, entry.parameter);
}

std::string describe_in_cxx(const LogEntry& entry) {
  switch (entry.kind) {
    case LogKind::registered:
      return "registered " + describe_slot(entry);
    case LogKind::released:
      if (entry.slot == absent_slot) return "released a registration of no memory";
      return fmt::format("released registration {} ({})", entry.slot, describe_slot(entry));
    case LogKind::agreed:
      return fmt::format("gave the value {} to agree on", entry.parameter);
    case LogKind::tag_size:
      return fmt::format("set the tag size to {}", entry.parameter);
    case LogKind::graph:
      return fmt::format("ran a graph of {} tokens (check value {:08x})", entry.bytes,
                         static_cast<std::uint32_t>(entry.parameter));
    case LogKind::collective:
      break;
  }
  return "did something unknown";
}

}  // namespace

const Wording cxx_wording = {
    .sync = "called sync()",
    .end = "ended the program",
    .nothing_further = "made no further registration or collective call",
    .register_alike = "register and release the same things in the same order on every rank",
    .call_alike = "call the same collective with the same root, size and operation on every rank",
    .run_alike = "run the same graph, with the same names in the same order, on every rank",
    .sync_alike = "let every rank call sync() equally often",
    .describe = describe_in_cxx,
};

std::string describe(const LogEntry& entry, const Wording& wording) {
  return entry.kind == LogKind::collective ? describe_collective(entry) : wording.describe(entry);
}

}  // namespace lbsp::superstep
