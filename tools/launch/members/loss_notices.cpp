#include "tools/launch/members/loss_notices.hpp"

#include "tools/launch/course/tell_process.hpp"

namespace lbsp::launch::members {

using ranks::JobProcess;

void LossNotices::tell() {
  if (!ending_.may_lose()) return;
  const auto& changes = job_.losses().changes();
  if (changes.empty()) {
    for (Rank rank = 0; rank < job_.start_up.size(); ++rank)
      tell_of(job_.processes.holder(rank), 0);
    return;
  }
  for (const Rank rank : changes.back().what.members)
    if (job_.processes.has_holder(rank)) tell_of(job_.processes.holder(rank), changes.back().what.epoch);
}

/// Of a host that is gone it is not known here whether its processes are.
void LossNotices::tell_of(const JobProcess& holder, std::uint32_t epoch) {
  if (holder.has_reported()) return;
  const Rank rank = holder.rank();
  const JobProcess* const newcomer = job_.processes.newcomer_for(rank);
  const bool none = replacements_.is_in_vain(rank) || (holder.ended && newcomer == nullptr);
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

}  // namespace lbsp::launch::members
