#pragma once

#include <string>
#include <string_view>

#include "transport/wire/sealing.hpp"

namespace lbsp::probe {

/// A key as 64 hexadecimal digits, and back. Reading throws UsageError, which names `source` and never shows
/// the text.
std::string key_as_text(const transport::JobKey& key);
transport::JobKey key_from_text(std::string_view text, const std::string& source);

/// Reads a key from a file, or from standard input if it is `-`. Throws UsageError if there is none, or if
/// others than the owner may read the file.
transport::JobKey read_key(const std::string& file);

/// The same; if there is no such file, makes it, with a new key and for its owner alone.
transport::JobKey read_or_make_key(const std::string& file);

}  // namespace lbsp::probe
