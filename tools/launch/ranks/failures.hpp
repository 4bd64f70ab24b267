#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::launch::ranks {

/// Why a job did not come to its end. One failure brings about others, which may be heard of earlier: the
/// one to report is the first of the gravest kind. But where ranks have lost one another, it is the first about
/// the rank that most of them have lost: a rank whose host is cut off may be the first to speak, and take the
/// others for lost.
class Failures {
 public:
  enum class Kind {
    process,      ///< a process or a host ended, or was never there
    program,      ///< a program threw
    consequence,  ///< a program threw because of another rank's failure
  };

  /// Of more ranks than this that are taken for lost, the later ones are not kept: jobs of very many ranks fail too.
  static constexpr std::size_t most_lost = 1000;

  /// `lost`: the rank that is taken for lost, if that is what happened. Every rank says so once.
  void add(Kind kind, const std::string& message, std::optional<Rank> lost = std::nullopt);

  bool any() const { return !all_.empty(); }
  std::size_t kept() const { return all_.size(); }
  /// Only if there is any.
  const std::string& message() const;

 private:
  struct Failure {
    Kind kind;
    std::string message;
    std::optional<Rank> lost;
    int votes = 0;  ///< ranks that have lost the same one
  };

  /// The first of each kind, and of each rank that is taken for lost.
  std::vector<Failure> all_;
};

}  // namespace lbsp::launch::ranks
