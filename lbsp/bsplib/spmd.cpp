#include "lbsp/bsplib/spmd.hpp"

#include <algorithm>

#include "lbsp/bsplib/wording.hpp"

namespace lbsp::bsplib {
namespace {

/// The runtime's text without "the ranks disagree in superstep 3: ", which refuse() says too: what reaches
/// the other ranks is of bounded length.
std::string_view essence(std::string_view text) {
  constexpr std::string_view known = "the ranks disagree in superstep ";
  if (text.starts_with(known)) text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
  return text;
}

}  // namespace

Spmd::Spmd(World& world)
    : world_(world),
      rank_(world.rank()),
      size_(world.size()),
      errors_(world),
      drma_(world, errors_),
      bsmp_(world, errors_) {
  world.speak(c_wording);
}

void Spmd::refuse_sync(std::string_view call, const UsageError& error) const {
  refuse(call, essence(error.what()));
}

void Spmd::end() {
  try {
    world_.finish(World::Unsynced::dropped);
  } catch (const UsageError& error) {
    refuse("bsp_end", essence(error.what()));
  }
}

}  // namespace lbsp::bsplib
