#pragma once

#include <string_view>

namespace lbsp::profile {

/// The kinds of files that lbsp writes and reads as JSON. Users confuse them.
enum class FileKind { other, report, profile, trace };

/// Told by their keys.
FileKind kind_of_file(std::string_view text);

/// Such as "the report of a run".
const char* name_of(FileKind kind);

}  // namespace lbsp::profile
