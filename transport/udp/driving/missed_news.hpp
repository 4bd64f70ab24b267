#pragma once

#include <functional>
#include <utility>

#include "transport/host_refusal.hpp"
#include "transport/membership/member_set.hpp"
#include "transport/missing.hpp"

namespace lbsp::transport {

class LastingEndpoint;

/// Tells outside of the job whom a rank misses while the members agree, each time that it is others.
class MissedNews {
 public:
  /// `tell` may be empty: nobody is told.
  explicit MissedNews(std::function<void(const Missing&)> tell) : tell_(std::move(tell)) {}

  void look(const LastingEndpoint& endpoint);

 private:
  std::function<void(const Missing&)> tell_;
  MemberSet missed_;     ///< as told last …
  HostRefusal refusal_;  ///< … with this
};

}  // namespace lbsp::transport
