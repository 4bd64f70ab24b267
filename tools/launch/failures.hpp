#pragma once

#include <optional>
#include <string>

namespace lbsp::launch {

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
