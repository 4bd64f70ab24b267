#pragma once

#include <cstdint>
#include <map>

#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/members/replacements.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::members {

/// What ranks are told of others whose processes have ended, and of new processes for their places, so that they need
/// not wait to miss them.
class LossNotices {
 public:
  /// All must outlive it.
  LossNotices(course::Job& job, const course::Ending& ending, const Replacements& replacements)
      : job_(job), ending_(ending), replacements_(replacements) {}

  /// Tells them what they do not know, of the places in the newest world that is known here. Ranks that came to an
  /// epoch later than that take no notice of what is said of earlier ones: they are told again when it is known.
  void tell();

 private:
  void tell_of(const ranks::JobProcess& holder, std::uint32_t epoch);

  course::Job& job_;
  const course::Ending& ending_;
  const Replacements& replacements_;
  std::map<Rank, job::LossNotice> told_;  ///< what the ranks know of a rank's process
};

}  // namespace lbsp::launch::members
