#pragma once

#include <functional>
#include <utility>

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
  Missing told_;  ///< last
};

}  // namespace lbsp::transport
