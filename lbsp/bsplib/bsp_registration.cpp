#include "lbsp/bsplib/bsp_registration.hpp"

namespace lbsp::bsplib {

void BspRegistration::announce_tag_bytes(std::uint64_t bytes) const {
  slots().agree(bytes, superstep::LogKind::tag_size);
}

void BspRegistration::release_absent(World& world) {
  slots_of(world).release_absent();
}

bool BspRegistration::has_lapsed() {
  if (slots().find(slot()) != nullptr) return false;
  forget();
  return true;
}

}  // namespace lbsp::bsplib
