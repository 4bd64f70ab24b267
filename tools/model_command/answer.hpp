#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace lbsp::model_command {

using Json = nlohmann::ordered_json;

/// The number, or null where it is not finite, as JSON has no infinity.
Json number(double value);
/// A count: a whole number where it is one that 64 bits hold.
Json count(double value);

/// What nine of ten are within: `part` of the value more or less, but not below 0; null without a part.
Json interval_json(double value, std::optional<double> part);
/// The same as a line that begins with `name`; empty without a part.
std::string interval_text(const char* name, double value, std::optional<double> part);

/// Writes the answer, an object with its version in front: without a JSON file `text` to standard output; with one the
/// JSON there (`-`: standard output instead of the text), and the text to standard output as well unless it is `-`.
/// Throws what AtomicFile throws.
void answer(const std::string& json_file, const std::string& text, const Json& json);

/// A whole new file of that content.
void write_file(const std::string& path, const std::string& content);

}  // namespace lbsp::model_command
