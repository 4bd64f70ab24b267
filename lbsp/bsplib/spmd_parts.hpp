#pragma once

#include <optional>
#include <span>

#include "lbsp/bsplib/function_place.hpp"
#include "lbsp/bsplib/number.hpp"
#include "lbsp/superstep/messages/mail.hpp"
#include "transport/exchange.hpp"

namespace lbsp::bsplib {

/// What process 0 wants of the next SPMD part.
struct NextPart {
  Number processes = 0;
  std::optional<FunctionPlace> function;  ///< none: that of the part before
};

/// What the processes of a program tell each other between its SPMD parts. The job's network stays as it is: each of
/// these calls takes part in one exchange of the job, follow() perhaps in more. All throw what the exchange throws.
class SpmdParts {
 public:
  /// The job's exchange must outlive it.
  explicit SpmdParts(transport::Exchange& job);

  /// For a process that calls bsp_begin again by itself. Returns what process 0 gave. Throws UsageError if another one
  /// has ended the program.
  NextPart begin(const NextPart& wanted);
  /// For a process that does what process 0 wants: waits for that, as long as it takes. None: the program is over.
  std::optional<NextPart> follow();
  /// For a process that ends the program by itself. Throws UsageError if another one begins a part.
  void end();

 private:
  struct Word;
  /// What process 0 says; nothing if that process is in a part that this one is not in.
  std::optional<Word> exchange(const Word& own);
  void check(Rank rank, const Word& word, const Word& of_process_0) const;

  Rank rank_;
  Rank size_;
  superstep::Mail mail_;
};

}  // namespace lbsp::bsplib
