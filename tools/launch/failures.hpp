#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>

#include "transport/units.hpp"

namespace lbsp::launch {

/// What a rank has told of its failure, behind the rank and its host: "on rank N" would say the rank twice.
inline std::string failure_of(Rank rank, const std::string& host, std::string told) {
  const std::string again = fmt::format(" on rank {}", rank);
  const auto place = told.find(again);
  const auto end = place + again.size();
  const auto ends_a_word = [](char c) { return c == ' ' || c == ':'; };
  if (place != std::string::npos && end < told.size() && ends_a_word(told[end]))
    told.erase(place, again.size());
  return fmt::format("rank {} on {}: {}", rank, host, told);
}

/// Why a job did not come to its end. One failure brings about others, which may be heard of earlier: the
/// one to report is the first of the gravest kind.
class Failures {
 public:
  enum class Kind {
    process,      ///< a process or a host ended, or was never there
    program,      ///< a program threw
    consequence,  ///< a program threw because of another rank's failure
  };

  void add(Kind kind, const std::string& message) {
    if (!first_ || kind < first_->kind) first_ = Failure{kind, message};
  }

  bool any() const { return first_.has_value(); }
  /// Only if there is any.
  Kind gravest() const { return first_->kind; }
  const std::string& message() const { return first_->message; }

 private:
  struct Failure {
    Kind kind;
    std::string message;
  };

  std::optional<Failure> first_;
};

}  // namespace lbsp::launch
