#include "transport/shared_memory/links.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport::shared_memory {
namespace {

Duration heartbeat_interval(Duration peer_timeout) {
  return std::clamp<Duration>(peer_timeout / 8, std::chrono::milliseconds{10}, std::chrono::seconds{1});
}

}  // namespace

Links::Links(Ground ground, LinksConfig config)
    : ground_(std::move(ground)),
      config_(std::move(config)),
      end_(ground_.board, config_.self, config_.first_rank),
      outbox_(ground_.board, config_.self, *ground_.memory),
      inbox_(ground_.board, config_, *ground_.memory, end_),
      fetches_(ground_.board, config_, ground_.reach, end_, outbox_, inbox_) {
  if (config_.peer_timeout)
    heartbeat_.emplace(ground_.board.seat(config_.self), heartbeat_interval(*config_.peer_timeout));
}

Links::~Links() {
  ground_.board.lose(config_.self);
}

}  // namespace lbsp::transport::shared_memory
