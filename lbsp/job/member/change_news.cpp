#include "lbsp/job/member/change_news.hpp"

namespace lbsp::job::member {

/// A superstep that more than one change has kept from being complete began with the first of them.
void ChangeNews::tell(const Changed& change, std::optional<Time> sync_began) {
  for (const Changed& each : transport::one_by_one(change))
    tell_(FrameKind::changed, to_payload(each));
  changed_at_ = std::chrono::steady_clock::now();
  if (!in_vain_since_) in_vain_since_ = sync_began;
}

void ChangeNews::tell_resumed(std::uint32_t epoch) {
  std::optional<transport::Duration> waited;
  if (in_vain_since_) waited = changed_at_ - *in_vain_since_;
  in_vain_since_.reset();
  tell_(FrameKind::resumed,
        to_payload(Resumed{epoch, std::chrono::steady_clock::now() - changed_at_, waited}));
}

}  // namespace lbsp::job::member
