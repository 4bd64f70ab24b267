#include "tools/model_command/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>

#include "tools/command_line/answer_version.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/standard_output.hpp"

namespace lbsp::model_command {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json count(double value) {
  constexpr double most = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= most) return static_cast<std::int64_t>(value);
  return number(value);
}

Json interval_json(double value, std::optional<double> part) {
  if (!part) return nullptr;
  return {std::max(0., value * (1 - *part)), value * (1 + *part)};
}

std::string interval_text(const char* name, double value, std::optional<double> part) {
  if (!part) return "";
  return fmt::format("{}{:.6g} s to {:.6g} s\n", name, std::max(0., value * (1 - *part)),
                     value * (1 + *part));
}

void answer(const std::string& json_file, const std::string& text, const Json& json) {
  Json versioned = json;
  if (json.is_object()) {
    versioned = Json{{"version", command_line::answer_version}};
    versioned.update(json);
  }
  const std::string dump = versioned.dump(1) + "\n";
  if (!json_file.empty() && json_file != "-") write_file(json_file, dump);
  command_line::write_output(json_file == "-" ? dump : text);
}

void write_file(const std::string& path, const std::string& content) {
  command_line::AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace lbsp::model_command
