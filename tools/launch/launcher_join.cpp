// How hosts join a job that runs.
#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "tools/launch/course/never_started.hpp"
#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/launcher.hpp"
#include "tools/launch/request/hosts_file.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/membership/member_set.hpp"

namespace lbsp::launch {

using job::FrameKind;
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

std::string Launcher::why_nobody_may_join() const {
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

doors::JobDoor::Left Launcher::join(const std::string& host, const doors::JobDoor::Answer& answer) {
  const auto refuse = [&](const std::string& why) {
    answer(why);
    return nullptr;
  };
  if (const std::string why = why_nobody_may_join(); !why.empty()) return refuse(why);
  const Rank rank = joining_.next();
  std::size_t at = 0;
  try {
    std::istringstream line(host);
    const HostEntry entry = as_in_hosts_file(request::read_hosts(line, "lbsp join").front(), job_.options);
    const places::PlacedHost placed = places::place_joining(job_.options, job_.placement, entry, rank);
    spare_slots_.add_host();
    life_signs_.add_host();
    at = job_.add_host(placed);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  JobProcess& fresh = job_.processes.add_joining(rank, at, job_.placement.hosts[at]);
  joining_.add(answer, std::chrono::ceil<std::chrono::milliseconds>(job_.options.start_timeout),
               [this, &fresh] { greeting_is_late(fresh); });
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  course::begin_process(job_.hosts, fresh, job_.start_up.welcome_newcomer(rank, at, progress));
  return [this, &fresh] { take_not_joined(fresh, "its lbsp join was ended"); };
}

void Launcher::greeting_is_late(JobProcess& process) {
  if (!process.greeted) return take_not_joined(process, course::why_never_started(job_, process));
  joining_.wait_on(process.rank(), longest_knocking, [this, &process] { knocking_is_late(process); });
}

void Launcher::knocking_is_late(JobProcess& process) {
  take_not_joined(process,
                  fmt::format("{} has not joined in time: see whether its host answers", process.name));
}

void Launcher::take_joined(JobProcess& process, const job::Changed& change) {
  const Rank rank = process.rank();
  job_.seat(process);
  const Rank size = std::max(job_.report.size(), rank + 1);
  job_.report.set_size(size);
  progress_.set_size(size);
  window_.set_size(size);
  // As in the report and in messages: where ranks have been lost, those of the world have other numbers.
  const std::string& host = job_.placement.hosts[process.host].name;
  const auto ranks = change.members.size();
  const bool nobody_is_gone = static_cast<std::size_t>(rank) + 1 == ranks;
  joining_.answer(rank, nobody_is_gone ? fmt::format("joined as rank {} of {}, on {}", rank, ranks, host)
                                       : fmt::format("joined as rank {}, on {}, and {} go on", rank, host,
                                                     counted(ranks, "rank")));
}

void Launcher::take_not_joined(JobProcess& process, const std::string& reason) {
  const Rank rank = process.rank();
  if (!joining_.awaits_answer(rank)) return;
  const std::string why =
      reason.empty() ? fmt::format("{} ended before it could join", process.name) : reason;
  joining_.answer(rank, why);
  job_.losses().add(rank, fmt::format("it never joined: {}", why));
  job_.losses().was_on(rank, job_.placement.hosts[process.host].name);
  job_.start_up.forget_newcomer(rank);
  course::end_process(job_.hosts, process);
}

/// One that has been among the members, though they have not said so yet, is lost from them under that number.
void Launcher::free_its_rank(const JobProcess& process) {
  joining_.give_back(process.rank());
  job_.losses().free_number(process.rank());
  job_.hosts.finish(process.host);
}

void Launcher::dismiss_who_joins() {
  if (std::ranges::any_of(job_.processes, &JobProcess::is_awaited)) return;
  for (JobProcess& process : job_.processes)
    if (process.joins && !process.seated && !process.ended)
      take_not_joined(process, "the job has ended before the host could join: start one that lasts longer");
}

}  // namespace lbsp::launch
