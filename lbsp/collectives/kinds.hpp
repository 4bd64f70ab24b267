#pragma once

#include <cstdint>

#include "lbsp/collectives/variants.hpp"

namespace lbsp::collective {

/// One number for each collective and variant, for the ranks to agree on.
constexpr std::uint32_t kind_of(Broadcast how) {
  return 0x100 + static_cast<std::uint32_t>(how);
}
constexpr std::uint32_t kind_of(AllGather how) {
  return 0x200 + static_cast<std::uint32_t>(how);
}
constexpr std::uint32_t kind_of(Reduce how) {
  return 0x300 + static_cast<std::uint32_t>(how);
}
constexpr std::uint32_t kind_of(AllReduce how) {
  return 0x400 + static_cast<std::uint32_t>(how);
}
constexpr std::uint32_t kind_of(Scan how) {
  return 0x500 + static_cast<std::uint32_t>(how);
}

}  // namespace lbsp::collective
