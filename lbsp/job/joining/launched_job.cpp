#include "lbsp/job/joining/launched_job.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/job/endings/crash_report.hpp"
#include "lbsp/job/joining/start_up.hpp"
#include "lbsp/job/member/member.hpp"
#include "lbsp/job/member/watch.hpp"
#include "lbsp/job/memory_end.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job::joining {

using endings::CrashReport;
using member::Member;
using member::Watch;

namespace {

/// Of what was thrown outside the program: a World that cannot be, or a launcher that cannot be told, of which standard
/// error may still tell.
[[noreturn]] void tell_and_exit(Member& member) {
  try {
    member.fail(std::current_exception());
  } catch (const std::bad_alloc&) {
    LastWord::say();
  } catch (...) {
    print_error(describe_thrown(std::current_exception()));
  }
  ::_exit(1);
}

[[noreturn]] void no_thread(Member& member) {
  try {
    throw SystemError(
        "no thread for a rank: use fewer ranks, or raise the limits of threads and memory (ulimit -u, -v)");
  } catch (...) {
    tell_and_exit(member);
  }
}

/// One thread per rank; the first is this one, so that a job of one rank stays in main()'s thread.
bool run_members(std::vector<std::unique_ptr<Member>>& members, const std::function<void(World&)>& program) {
  std::vector<char> succeeded(members.size());
  const auto run_one = [&](std::size_t place) {
    try {
      LastWord::speak_as(static_cast<std::uint16_t>(place));
      const CrashReport::RankHere rank_here(static_cast<std::uint16_t>(place));
      succeeded[place] = members[place]->run(program) ? 1 : 0;
    } catch (...) {
      tell_and_exit(*members[place]);
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t place = 1; place < members.size(); ++place)
      threads.emplace_back(run_one, place);
  } catch (const std::system_error&) {
    no_thread(*members.front());
  }
  run_one(0);
  for (std::thread& thread : threads)
    thread.join();
  return std::ranges::all_of(succeeded, [](char success) { return success != 0; });
}

}  // namespace

int run_launched(Channel& channel, const std::function<void(World&)>& program) {
  const auto called = std::chrono::steady_clock::now();
  const LastWord last_word(channel);
  std::optional<Membership> membership;
  try {
    membership = join(channel);
  } catch (...) {
    channel.send(
        {FrameKind::failure, 0, to_payload(Failure{describe_thrown(std::current_exception()), false})});
    return 1;
  }
  const Seconds start = std::chrono::steady_clock::now() - called;
  std::vector<std::unique_ptr<Member>> members;
  members.reserve(membership->exchanges.size());
  for (auto& exchange : membership->exchanges) {
    const auto place = static_cast<std::uint16_t>(members.size());
    members.push_back(std::make_unique<Member>(std::move(exchange), member::tell_over(channel, place),
                                               membership->survival));
    members.back()->account().joined_in(start);
    if (membership->came) members.back()->come_to(*membership->came);
    if (membership->welcome.trace) members.back()->account().trace();
    members.back()->account().trace(membership->log);
  }
  std::vector<Member*> watched;
  watched.reserve(members.size());
  for (const auto& member : members)
    watched.push_back(member.get());
  const Watch watch(channel, std::move(watched), membership->welcome.progress);
  std::optional<CrashReport> crashes;
  if (members.size() > 1) crashes.emplace(channel);
  return run_members(members, program) ? 0 : 1;
}

}  // namespace lbsp::job::joining
