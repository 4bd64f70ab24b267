// What ranks that go on are told of those that are lost, so that they need not wait to miss them.
#include "tools/launch/launcher.hpp"

namespace lbsp::launch {

/// Ranks that came to an epoch later than this knows of take no notice of what it says of earlier ones: they are told
/// again when it knows.
void Launcher::tell_of_losses() {
  if (!may_lose()) return;
  const auto& changes = report_.losses().changes();
  if (changes.empty()) {
    for (Rank rank = 0; rank < start_up_.size(); ++rank)
      tell_of_loss(processes_.holder(rank), 0);
    return;
  }
  for (const Rank rank : changes.back().what.members)
    if (processes_.has_holder(rank)) tell_of_loss(processes_.holder(rank), changes.back().what.epoch);
}

/// Of a host that is gone it is not known here whether its processes are.
void Launcher::tell_of_loss(const JobProcess& holder, std::uint32_t epoch) {
  if (holder.has_reported()) return;
  const Rank rank = holder.rank();
  const JobProcess* const newcomer = processes_.newcomer_for(rank);
  const bool none = newcomers_.is_in_vain(rank) || (holder.ended && newcomer == nullptr);
  const job::LossNotice notice{.slot = rank,
                               .epoch = epoch,
                               .ended = holder.exited,
                               .nobody_comes = options_.respawns() && none,
                               .somebody_asks = newcomer != nullptr && newcomer->greeted && !none};
  const auto [told, first] = told_.emplace(rank, job::LossNotice{});
  if (told->second == notice) return;
  told->second = notice;
  if (!(notice.ended || notice.nobody_comes || notice.somebody_asks)) return;
  for (const JobProcess& process : processes_)
    if (process.is_awaited())
      hosts_.send(process.host, {job::FrameKind::lost, static_cast<std::uint16_t>(process.spawn.first_rank),
                                 job::to_payload(notice)});
}

}  // namespace lbsp::launch
