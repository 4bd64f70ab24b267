#include "transport/udp/driving/missed_news.hpp"

#include <utility>

#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::transport {

void MissedNews::look(const LastingEndpoint& endpoint) {
  if (!tell_) return;
  const MemberSet missed = endpoint.missed();
  HostRefusal refusal = endpoint.refusal();
  if (missed == missed_ && refusal == refusal_) return;
  missed_ = missed;
  refusal_ = std::move(refusal);
  tell_({.epoch = endpoint.epoch(), .ranks = in_order(missed), .refusal = refusal_});
}

}  // namespace lbsp::transport
