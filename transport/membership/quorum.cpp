#include "transport/membership/quorum.hpp"

namespace lbsp::transport {

bool has_quorum(const MemberSet& present, const MemberSet& members) {
  const Slot twice = 2 * (present & members).count();
  if (twice == members.count()) return present.has(members.lowest());
  return twice > members.count();
}

Slot survives_any(Slot size) {
  return (size - 1) / 2;
}

}  // namespace lbsp::transport
