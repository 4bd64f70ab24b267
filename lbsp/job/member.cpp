#include "lbsp/job/member.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>

#include "lbsp/job/messages.hpp"
#include "lbsp/job/program_error.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

/// Keeps a steps frame near a megabyte.
constexpr std::size_t supersteps_per_frame = 4096;

bool is_consequence(const std::exception_ptr& thrown, const ObservedExchange& exchange) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Aborted&) {
    return !exchange.aborted_here();
  } catch (const PeerLost&) {
    return true;
  } catch (...) {
    return false;
  }
}

void tell_report(const World& world, const ObservedExchange& exchange, const Tell& tell) {
  const History& history = world.history();
  const auto& records = history.records();
  for (std::size_t first = 0; first < records.size(); first += supersteps_per_frame) {
    const auto end = std::min(first + supersteps_per_frame, records.size());
    const auto at = [&](std::size_t place) { return records.begin() + static_cast<std::ptrdiff_t>(place); };
    tell(FrameKind::steps, to_payload(Steps{first, {at(first), at(end)}}));
  }
  tell(FrameKind::report, to_payload(RankReport{.supersteps = history.supersteps(),
                                                .total = world.time(),
                                                .totals = history.totals(),
                                                .network = exchange.network(),
                                                .verified = world.verified()}));
}

}  // namespace

bool run_member(ObservedExchange& exchange, const std::function<void(World&)>& program, const Tell& tell) {
  World world(exchange);
  std::exception_ptr thrown;
  try {
    program(world);
    world.finish();
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    const Failure failure{describe(thrown), is_consequence(thrown, exchange)};
    tell(FrameKind::failure, to_payload(failure));
    if (!failure.consequence) exchange.abort(failure.message);
  }
  tell_report(world, exchange, tell);
  return thrown == nullptr;
}

}  // namespace lbsp::job
