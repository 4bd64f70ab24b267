#pragma once

#include <cstdint>

#include "lbsp/registration.hpp"

namespace lbsp::bsplib {

/// A registration with the rules of BSPlib: some ranks may register NULL where others register memory, a pop
/// of NULL does not say which of them it means, and the tags of a queue may change their size.
class BspRegistration : public Registration {
 public:
  using Registration::Registration;

  /// For a queue whose tags may have any size: all ranks say that they will have this one from here on. Only
  /// that they all say the same in the same place is checked, at the next sync.
  void announce_tag_bytes(std::uint64_t bytes) const;

  /// Releases one of the registrations that this rank has no memory of (SlotSpec::absent), without saying
  /// which: the one that the others release in the same place, or the newest that is absent on all ranks.
  static void release_absent(World& world);

  /// If the last sync released it by release_absent(): true, and it needs no release any more. Asked before
  /// anything else is registered, for the slot may be used again.
  bool has_lapsed();
};

}  // namespace lbsp::bsplib
