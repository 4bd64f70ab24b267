#include "lbsp/job/member/failure_news.hpp"

#include <exception>
#include <fmt/format.h>

#include "transport/printable.hpp"

namespace lbsp::job::member {

void FailureNews::tell(const Failure& failure) {
  if (told_.exchange(true)) return;
  try {
    tell_(FrameKind::failure, to_payload(failure));
  } catch (...) {
    told_ = false;
    throw;
  }
}

void FailureNews::tell_abort(Rank rank, std::string_view reason) noexcept {
  if (told_) return;
  try {
    tell(
        {.message = printable(fmt::format("rank {} ended the job: {}", rank, reason)), .consequence = false});
  } catch (const std::exception&) {
    // The launcher is gone: there is nobody to tell.
  }
}

}  // namespace lbsp::job::member
