#include "lbsp/job/launched_job.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "lbsp/job/observed_exchange.hpp"
#include "lbsp/job/program_error.hpp"
#include "lbsp/job/start_up.hpp"
#include "lbsp/job/watch.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

/// Keeps a steps frame near a megabyte.
constexpr std::size_t supersteps_per_frame = 4096;

/// One rank of this process, and its place in it.
struct Member {
  Channel& channel;
  std::uint16_t place = 0;
  std::unique_ptr<transport::Exchange> exchange;
  ObservedExchange observed{*exchange};

  void send(FrameKind kind, std::string payload) { channel.send({kind, place, std::move(payload)}); }
};

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

void send_report(Member& member, const World& world) {
  const History& history = world.history();
  const auto& records = history.records();
  for (std::size_t first = 0; first < records.size(); first += supersteps_per_frame) {
    const auto end = std::min(first + supersteps_per_frame, records.size());
    const auto at = [&](std::size_t place) { return records.begin() + static_cast<std::ptrdiff_t>(place); };
    member.send(FrameKind::steps, to_payload(Steps{first, {at(first), at(end)}}));
  }
  member.send(FrameKind::report, to_payload(RankReport{.supersteps = history.supersteps(),
                                                       .total = world.time(),
                                                       .totals = history.totals(),
                                                       .network = member.observed.network(),
                                                       .verified = world.verified()}));
}

/// Whether the program came to its end.
bool run_member(Member& member, const std::function<void(World&)>& program) {
  World world(member.observed);
  std::exception_ptr thrown;
  try {
    program(world);
    world.finish();
  } catch (...) {
    thrown = std::current_exception();
  }
  if (thrown) {
    const Failure failure{describe(thrown), is_consequence(thrown, member.observed)};
    member.send(FrameKind::failure, to_payload(failure));
    if (!failure.consequence) member.observed.abort(failure.message);
  }
  send_report(member, world);
  member.exchange.reset();
  return thrown == nullptr;
}

/// One thread per rank; the first is this one, so that a job of one rank stays in main()'s thread.
bool run_members(std::vector<std::unique_ptr<Member>>& members, const std::function<void(World&)>& program) {
  std::vector<char> succeeded(members.size());
  const auto run_one = [&](std::size_t place) {
    try {
      succeeded[place] = run_member(*members[place], program) ? 1 : 0;
    } catch (const std::exception&) {
      ::_exit(1);  // the launcher is gone: there is nobody to tell
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t place = 1; place < members.size(); ++place)
    threads.emplace_back(run_one, place);
  run_one(0);
  for (std::thread& thread : threads)
    thread.join();
  return std::ranges::all_of(succeeded, [](char success) { return success != 0; });
}

}  // namespace

int run_launched(Channel& channel, const std::function<void(World&)>& program) {
  std::optional<Membership> membership;
  try {
    membership = join(channel);
  } catch (...) {
    channel.send({FrameKind::failure, 0, to_payload(Failure{describe(std::current_exception()), false})});
    return 1;
  }
  std::vector<std::unique_ptr<Member>> members;
  for (auto& exchange : membership->exchanges) {
    members.push_back(std::unique_ptr<Member>(
        new Member{channel, static_cast<std::uint16_t>(members.size()), std::move(exchange)}));
  }
  const Watch watch(channel, membership->welcome.progress ? &members.front()->observed : nullptr);
  return run_members(members, program) ? 0 : 1;
}

}  // namespace lbsp::job
