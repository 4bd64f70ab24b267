#include "transport/lasting/why_left_out.hpp"

#include <cstring>
#include <fmt/format.h>

#include "transport/ending/failure.hpp"

namespace lbsp::transport {

std::string why_left_out(const Exclusion& exclusion, const HostRefusal& refusal,
                         const std::vector<std::string>& places) {
  if (refusal.to.empty()) return message(exclusion);
  std::string others = name_of(refusal.to.front(), places);
  if (refusal.to.size() > 1) others += fmt::format(" and {} more", refusal.to.size() - 1);
  const std::string what = exclusion.cause == Exclusion::Cause::given_up
                               ? "the other ranks go on without this one"
                               : fmt::format("{} of {} ranks answer", exclusion.answering, exclusion.members);
  return fmt::format("{}, and its own host refuses to send to {} ({}): look at the {} there", what, others,
                     std::strerror(refusal.error), place_of_refusal(refusal.error));
}

}  // namespace lbsp::transport
