#include "lbsp/superstep/messages/unsynced.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

#include "lbsp/superstep/messages/message_reader.hpp"

namespace lbsp::superstep {

Unsynced count_unsynced(std::span<const MessageWriter> writers) {
  Unsynced unsynced;
  for (const MessageWriter& writer : writers) {
    RecordReader reader(writer.records(), {});
    Record record{};
    while (reader.next(record)) {
      if (record.kind == RecordKind::put || record.kind == RecordKind::offer)
        unsynced.put_bytes += record.bytes;
      if (record.kind == RecordKind::get) ++unsynced.gets;
      if (record.kind == RecordKind::send) ++unsynced.messages;
    }
  }
  return unsynced;
}

std::string describe(const Unsynced& unsynced) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(unsynced.put_bytes, "byte put", "bytes put");
  add(unsynced.gets, "get", "gets");
  add(unsynced.messages, "message sent", "messages sent");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lbsp::superstep
