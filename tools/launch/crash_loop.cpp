#include "tools/launch/crash_loop.hpp"

namespace lbsp::launch {

bool CrashLoop::crashed(Rank rank, Clock::time_point now) {
  Row& row = rows_[rank];
  row.crashes = now - row.last <= soon ? row.crashes + 1 : 1;
  row.last = now;
  return row.crashes >= most_crashes;
}

}  // namespace lbsp::launch
