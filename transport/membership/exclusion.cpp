#include "transport/membership/exclusion.hpp"

#include <fmt/format.h>

namespace lbsp::transport {

std::string message(const Exclusion& exclusion) {
  switch (exclusion.cause) {
    case Exclusion::Cause::no_quorum:
      return fmt::format(
          "only {} of {} ranks answer, too few to go on: look at the network between the hosts",
          exclusion.answering, exclusion.members);
    case Exclusion::Cause::given_up:
      return "the other ranks go on without this one, which was silent for too long: look at its host and network, or "
             "raise --peer-timeout";
    case Exclusion::Cause::no_agreement:
      break;
  }
  return fmt::format(
      "{} of {} ranks answer, but too few of them hear each other: look at the network between the hosts",
      exclusion.answering, exclusion.members);
}

}  // namespace lbsp::transport
