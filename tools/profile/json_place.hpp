#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lbsp::profile {

/// A value inside a JSON file, and its place there, so that one line can say what is wrong with it. All
/// functions except at() and fail() throw UsageError, by fail(), if the value is not what the caller asks
/// for.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, const std::string& source) : value_(&value), source_(&source) {}

  /// A member of an object that must be there; if it is not, the error ends with the advice …
  JsonPlace member(const char* key,
                   const char* advice = "measure again with lbsp probe, or see docs/profile.md") const;
  /// … or that may be; null counts as not there.
  std::optional<JsonPlace> find(const char* key) const;
  std::vector<JsonPlace> items() const;

  std::string text() const;
  bool truth() const;
  /// A finite number; any that the checks below do not refuse.
  double number() const;
  double number_of_at_least(double least) const;
  double number_within(double least, double most) const;
  /// At least 0 and less than 1.
  double fraction() const;
  /// At least 0 and at most 1.
  double probability() const;
  std::int64_t whole_number(std::int64_t least, std::int64_t most) const;

  /// The value as it is in the file, shortened.
  std::string quoted() const;
  /// Throws UsageError "SOURCE: PLACE is VALUE: `advice`", or "SOURCE: `advice`" for an object that is the whole.
  [[noreturn]] void fail(const std::string& advice) const;

 private:
  JsonPlace(const nlohmann::json& value, const JsonPlace& parent, const std::string& step);

  const nlohmann::json* value_;
  const std::string* source_;
  std::string path_;
};

}  // namespace lbsp::profile
