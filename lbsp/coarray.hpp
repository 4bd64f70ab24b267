#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "lbsp/area.hpp"

namespace lbsp {

/// An array with a part on every rank, which any rank can put into and get from: an Area that owns its
/// memory. All ranks make their coarrays in the same order; the counts may differ.
///
///     lbsp::Coarray<double> x(world, 100);
///     x(next)[0] = 3.14;                    // or x.put(next, 0, values)
///     auto first = x.get(previous, 0);
///     world.sync();
///     use(x[0], first.value());
template <class T>
class Coarray : public Area<T> {
 public:
  /// Makes `count` value-initialised elements here. Costs no message: the sizes travel with the next sync.
  Coarray(World& world, std::size_t count) : Coarray(world, std::make_shared<T[]>(count), count) {}

 private:
  Coarray(World& world, std::shared_ptr<T[]> memory, std::size_t count)
      : Area<T>(world, {memory.get(), count}, memory) {}
};

}  // namespace lbsp
