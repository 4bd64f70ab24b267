#include "tools/launch/members/joining_hosts.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/launch/course/never_started.hpp"
#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/request/hosts_file.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/membership/member_set.hpp"

namespace lbsp::launch::members {

using ranks::JobProcess;
using request::HostEntry;

namespace {

/// A new process knocks for a minute at most.
constexpr std::chrono::seconds longest_knocking{70};

/// With what the job's hosts file says of it, where the command says nothing. The file may have been changed since the
/// job began, and may not be there any more.
HostEntry as_in_hosts_file(HostEntry entry, const request::RunOptions& options) {
  if (options.hosts_file.empty()) return entry;
  std::vector<HostEntry> known;
  try {
    known = request::read_hosts_file(options.hosts_file);
  } catch (const UsageError&) {
    return entry;
  }
  const auto found = std::ranges::find(known, request::plain_name(entry.name),
                                       [](const HostEntry& of) { return request::plain_name(of.name); });
  if (found == known.end()) return entry;
  if (entry.user.empty()) entry.user = found->user;
  if (entry.address.empty()) entry.address = found->address;
  return entry;
}

}  // namespace

JoiningHosts::JoiningHosts(uv::Loop& loop, course::Job& job, const course::Ending& ending, Calls calls)
    : job_(job),
      ending_(ending),
      calls_(std::move(calls)),
      door_(
          loop,
          [this](const std::string& host, const doors::JobDoor::Answer& answer) {
            return admit(host, answer);
          },
          calls_.say),
      joining_(loop) {}

void JoiningHosts::open() {
  joining_.begin(job_.start_up.size());
  door_.open();
}

std::string JoiningHosts::why_nobody_may_join() const {
  if (!job_.options.exchange.outlives_ranks)
    return "this job ends with any of its ranks, and takes none more: start it with --on-failure shrink or respawn";
  if (!ending_.may_lose() || ending_.failures().any())
    return "the job is ending: start one that lasts longer";
  if (job_.options.port != 0) return "this job has --port, and takes no ranks more: start it without";
  if (!job_.options.checkpoint.empty())
    return "this job keeps states on disk, of as many ranks as it has: start it without --checkpoint";
  if (!joining_.allowed())
    return "its program cannot go on with more ranks, or has not come so far: give it a Keep that says grows, or try "
           "again later";
  if (joining_.next() >= transport::MemberSet::most)
    return fmt::format("{} ranks have been in this job, and there are no more numbers: start another",
                       transport::MemberSet::most);
  return {};
}

/// Returns what is to be done if whoever asked for it leaves.
doors::JobDoor::Left JoiningHosts::admit(const std::string& host, const doors::JobDoor::Answer& answer) {
  const auto turn_away = [&](const std::string& why) {
    answer(why);
    return nullptr;
  };
  if (const std::string why = why_nobody_may_join(); !why.empty()) return turn_away(why);
  const Rank rank = joining_.next();
  std::size_t at = 0;
  try {
    std::istringstream line(host);
    const HostEntry entry = as_in_hosts_file(request::read_hosts(line, "lbsp join").front(), job_.options);
    const places::PlacedHost placed = places::place_joining(job_.options, job_.placement, entry, rank);
    calls_.on_host();
    at = job_.add_host(placed);
  } catch (const std::exception& error) {
    return turn_away(error.what());
  }
  const JobProcess& fresh = job_.processes.add_joining(rank, at, job_.placement.hosts[at]);
  joining_.add(answer, std::chrono::ceil<std::chrono::milliseconds>(job_.options.start_timeout),
               [this, &fresh] { greeting_is_late(fresh); });
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  course::begin_process(job_.hosts, fresh, job_.start_up.welcome_newcomer(rank, at, progress));
  return [this, &fresh] { refuse(fresh, "its lbsp join was ended"); };
}

void JoiningHosts::greeting_is_late(const JobProcess& newcomer) {
  if (!newcomer.greeted) return refuse(newcomer, course::why_never_started(job_, newcomer));
  joining_.wait_on(newcomer.rank(), longest_knocking, [this, &newcomer] { knocking_is_late(newcomer); });
}

void JoiningHosts::knocking_is_late(const JobProcess& newcomer) {
  refuse(newcomer, fmt::format("{} has not joined in time: see whether its host answers", newcomer.name));
}

void JoiningHosts::seat(JobProcess& newcomer, const job::Changed& change) {
  const Rank rank = newcomer.rank();
  job_.seat(newcomer);
  const Rank size = std::max(job_.report.size(), rank + 1);
  job_.report.set_size(size);
  calls_.on_size(size);
  if (newcomer.ended) {
    joining_.keep(rank);
    return job_.losses().came_after_all(rank, newcomer.how);
  }
  // As in the report and in messages: where ranks have been lost, those of the world have other numbers.
  const std::string& host = job_.placement.hosts[newcomer.host].name;
  const auto ranks = change.members.size();
  const bool nobody_is_gone = static_cast<std::size_t>(rank) + 1 == ranks;
  joining_.answer(rank, nobody_is_gone ? fmt::format("joined as rank {} of {}, on {}", rank, ranks, host)
                                       : fmt::format("joined as rank {}, on {}, and {} go on", rank, host,
                                                     counted(ranks, "rank")));
}

void JoiningHosts::refuse(const JobProcess& newcomer, const std::string& reason) {
  const Rank rank = newcomer.rank();
  if (!joining_.awaits_answer(rank)) return;
  const std::string why =
      reason.empty() ? fmt::format("{} ended before it could join", newcomer.name) : reason;
  joining_.answer(rank, why);
  job_.losses().add(rank, fmt::format("it never joined: {}", why));
  job_.losses().was_on(rank, job_.placement.hosts[newcomer.host].name);
  job_.start_up.forget_newcomer(rank);
  course::end_process(job_.hosts, newcomer);
}

void JoiningHosts::free_rank(const JobProcess& newcomer) {
  joining_.give_back(newcomer.rank());
  job_.losses().free_number(newcomer.rank());
  job_.hosts.finish(newcomer.host);
}

void JoiningHosts::refuse_if_none_are_left() {
  if (std::ranges::any_of(job_.processes, &JobProcess::is_awaited)) return;
  for (const JobProcess& process : job_.processes)
    if (process.joins && !process.seated && !process.ended)
      refuse(process, "the job has ended before the host could join: start one that lasts longer");
}

}  // namespace lbsp::launch::members
