#include "transport/udp/driving/missed_news.hpp"

#include <utility>

#include "transport/lasting/lasting_endpoint.hpp"

namespace lbsp::transport {

void MissedNews::look(const LastingEndpoint& endpoint) {
  if (!tell_) return;
  Missing missing = endpoint.missing();
  if (missing.ranks == told_.ranks && missing.refusal == told_.refusal) return;
  told_ = std::move(missing);
  tell_(told_);
}

}  // namespace lbsp::transport
