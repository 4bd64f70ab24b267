#pragma once

#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::members {

/// Tells ranks whose peers have left in good order, and who wait all the same, that these have left.
class Departures {
 public:
  /// All must outlive it.
  Departures(uv::Loop& loop, course::Job& job, const course::Ending& ending)
      : job_(job), ending_(ending), timer_(loop) {}

  /// To be called when a rank has come to its end: after a while.
  void tell_soon();

 private:
  void tell();

  course::Job& job_;
  const course::Ending& ending_;
  uv::Timer timer_;
};

}  // namespace lbsp::launch::members
