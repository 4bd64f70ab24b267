#pragma once

#include <string_view>

namespace lbsp::job {

/// Tells the process that a rank began in from copies of it that its program has made by fork(). Such a child has the
/// rank's World, its connections and the memory that the ranks share, but none of its threads, and no part in the job:
/// what it sent would be taken for the rank's, and it would wait for ever for threads that it has not.
class Forks {
 public:
  /// In the process that the rank is to run in.
  Forks();

  /// Whether this is a child of that process, made by fork() since. Costs a load; for any thread.
  bool is_child() const noexcept;

  /// Ends a child with one line and exit code 1, without the ends of anything that it shares with the rank; returns in
  /// the rank's own process. `what` it has done continues "a process that rank 1's program made by fork() …".
  void end_child(int rank, std::string_view what) const noexcept;

 private:
  unsigned generation_;
};

}  // namespace lbsp::job
