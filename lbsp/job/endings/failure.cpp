#include "lbsp/job/endings/failure.hpp"

#include "transport/error.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job::endings {

Failure failure_by(const std::exception_ptr& thrown, bool aborted_here) {
  Failure failure{describe_thrown(thrown), false};
  try {
    std::rethrow_exception(thrown);
  } catch (const Aborted&) {
    failure.consequence = !aborted_here;
  } catch (const PeerLost& lost) {
    failure.consequence = true;
    failure.lost = lost.rank();
  } catch (const Excluded&) {
    failure.consequence = failure.excluded = true;
  } catch (...) {
    // It is the program's own.
  }
  return failure;
}

}  // namespace lbsp::job::endings
