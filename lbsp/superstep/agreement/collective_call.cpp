#include "lbsp/superstep/agreement/collective_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace lbsp::superstep {
namespace {

constexpr int root_shift = 32;
/// In a log entry.
constexpr Rank no_root = -1;

std::string describe_size(const LogEntry& entry) {
  if (entry.bytes == CollectiveCall::any_size)
    return fmt::format("elements of {} bytes", entry.element_bytes);
  if (entry.element_bytes <= 1) return fmt::format("{} bytes", entry.bytes);
  const std::uint64_t elements = entry.bytes / entry.element_bytes;
  return fmt::format("{} element{} of {} bytes", elements, elements == 1 ? "" : "s", entry.element_bytes);
}

}  // namespace

LogEntry log_entry(const CollectiveCall& call) {
  const std::uint64_t root = static_cast<std::uint32_t>(call.root.value_or(no_root));
  return {LogKind::collective,
          SlotKind::memory,
          call.name,
          call.element_bytes,
          root << root_shift | call.operation,
          call.bytes};
}

std::string describe_collective(const LogEntry& entry) {
  const std::string name = check_text(entry.slot);
  const std::size_t space = name.find(' ');
  const auto root = static_cast<Rank>(entry.parameter >> root_shift);
  const auto operation = static_cast<std::uint32_t>(entry.parameter);
  std::vector<std::string> parts;
  if (space != std::string::npos) parts.push_back(name.substr(space + 1));
  if (root != no_root) parts.push_back(fmt::format("root {}", root));
  parts.push_back(describe_size(entry));
  if (operation != no_check) parts.push_back("by " + check_text(operation));
  return fmt::format("called {} ({})", name.substr(0, space), fmt::join(parts, ", "));
}

}  // namespace lbsp::superstep
