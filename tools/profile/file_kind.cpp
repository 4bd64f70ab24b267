#include "tools/profile/file_kind.hpp"

#include <nlohmann/json.hpp>

namespace lbsp::profile {
namespace {

using nlohmann::json;

/// Only the keys of the whole, as all of a large file could take more memory than there is.
json keys_of(std::string_view text) {
  const auto keep = [](int depth, json::parse_event_t, json&) { return depth < 2; };
  return json::parse(text, keep, false);
}

FileKind kind_by_keys(const json& keys) {
  if (!keys.is_object()) return FileKind::other;
  if (keys.contains("per_rank")) return FileKind::report;
  if (keys.contains("pairs")) return FileKind::profile;
  // The line of a trace.
  return keys.contains("rank") && keys.contains("version") ? FileKind::trace : FileKind::other;
}

}  // namespace

FileKind kind_of_file(std::string_view text) {
  const std::string_view first_line = text.substr(0, text.find('\n'));
  const FileKind kind = kind_by_keys(keys_of(first_line));
  return kind == FileKind::other && first_line.size() < text.size() ? kind_by_keys(keys_of(text)) : kind;
}

const char* name_of(FileKind kind) {
  switch (kind) {
    case FileKind::report:
      return "the report of a run";
    case FileKind::profile:
      return "a profile of a network";
    case FileKind::trace:
      return "the trace of a run";
    case FileKind::other:
      break;
  }
  return "another file";
}

}  // namespace lbsp::profile
