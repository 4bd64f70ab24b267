// What ranks are told of others that are lost or have left, so that they need not wait to miss them.
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/launcher.hpp"
#include "transport/host_refusal.hpp"

namespace lbsp::launch {

using ranks::JobProcess;

namespace {

/// Ranks that leave in good order do so within a round trip or two. Nobody is told anything then.
constexpr std::chrono::milliseconds usual_parting{250};

}  // namespace

/// Ranks that came to an epoch later than this knows of take no notice of what it says of earlier ones: they are told
/// again when it knows.
void Launcher::tell_of_losses() {
  if (!ending_.may_lose()) return;
  const auto& changes = job_.losses().changes();
  if (changes.empty()) {
    for (Rank rank = 0; rank < job_.start_up.size(); ++rank)
      tell_of_loss(job_.processes.holder(rank), 0);
    return;
  }
  for (const Rank rank : changes.back().what.members)
    if (job_.processes.has_holder(rank)) tell_of_loss(job_.processes.holder(rank), changes.back().what.epoch);
}

/// Of a host that is gone it is not known here whether its processes are.
void Launcher::tell_of_loss(const JobProcess& holder, std::uint32_t epoch) {
  if (holder.has_reported()) return;
  const Rank rank = holder.rank();
  const JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  const bool none = newcomers_.is_in_vain(rank) || (holder.ended && newcomer == nullptr);
  const job::LossNotice notice{.slot = rank,
                               .epoch = epoch,
                               .ended = holder.exited,
                               .nobody_comes = job_.options.respawns() && none,
                               .somebody_asks = newcomer != nullptr && newcomer->greeted && !none};
  const auto [told, first] = told_.emplace(rank, job::LossNotice{});
  if (told->second == notice) return;
  told->second = notice;
  if (!(notice.ended || notice.nobody_comes || notice.somebody_asks)) return;
  for (const JobProcess& process : job_.processes)
    if (process.is_awaited())
      course::tell(job_.hosts, process, job::FrameKind::lost, job::to_payload(notice));
}

/// That a host refuses to send is known there; the others only miss somebody. Empty: none does, for all that is known.
std::string Launcher::why_unheard(Rank rank, std::uint32_t epoch) const {
  const auto refusal = missed_.refusal_about(rank, epoch);
  if (!refusal) return {};
  const std::string host = job_.report.placement().host_of(refusal->from);
  const char* const problem = std::strerror(refusal->error);
  const std::string_view place = transport::place_of_refusal(refusal->error);
  if (refusal->from == rank)
    return fmt::format(
        "rank {} on {} was not heard: its own host refuses to send to rank {} ({}): look at the {} there",
        rank, host, refusal->to, problem, place);
  return fmt::format(
      "rank {} on {} did not hear rank {}, as host {} refuses to send to it ({}): look at the {} there", rank,
      job_.report.placement().host_of(rank), refusal->from, host, problem, place);
}

void Launcher::tell_of_departures_soon() {
  const bool over_udp = job_.options.backend == job::Backend::udp;
  if (over_udp && ending_.phase() == course::Phase::running && !departure_timer_.running())
    departure_timer_.start(usual_parting, [this] { tell_of_departures(); });
}

void Launcher::tell_of_departures() {
  if (ending_.phase() != course::Phase::running) return;
  std::vector<int> departed;
  for (const JobProcess& process : job_.processes) {
    if (!process.has_departed()) continue;
    for (int place = 0; place < process.spawn.ranks; ++place)
      departed.push_back(process.rank() + place);
  }
  if (departed.empty()) return;
  const std::string ranks = job::ranks_to_payload(departed);
  for (const JobProcess& process : job_.processes)
    if (process.is_awaited() && !process.has_departed())
      course::tell(job_.hosts, process, job::FrameKind::departed, ranks);
}

}  // namespace lbsp::launch
