#pragma once

#include <atomic>
#include <string_view>
#include <utility>

#include "lbsp/job/member/tell.hpp"
#include "lbsp/job/messages.hpp"

namespace lbsp::job::member {

/// How the launcher learns why a rank has failed: once, by what was the first reason.
class FailureNews {
 public:
  explicit FailureNews(Tell tell) : tell_(std::move(tell)) {}

  /// Without effect if it has been told. Throws what telling throws; then it has not been.
  void tell(const Failure& failure);
  /// That rank has ended the job, and this is why. To be called before the others learn it: they end then, and whoever
  /// started them all ends this one too.
  void tell_abort(Rank rank, std::string_view reason) noexcept;

 private:
  Tell tell_;
  std::atomic<bool> told_ = false;
};

}  // namespace lbsp::job::member
