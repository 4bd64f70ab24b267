#include "algorithms/blas_buffers.hpp"

#include "transport/error.hpp"

namespace lbsp::algorithms {

void BlasBuffers::begin() {
  std::unique_lock lock(mutex_);
  while (!find_room()) {
    if (under_way_ == 0)
      throw SystemError(
          "no memory for the buffers of OpenBLAS, 128 MiB of addresses for each of its threads: raise the limit of "
          "memory (ulimit -v), or set OPENBLAS_NUM_THREADS=1");
    ended_.wait(lock);
  }
  ++under_way_;
}

/// Nobody knows how many of the buffers OpenBLAS has taken already: as if it had none.
bool BlasBuffers::find_room() {
  if (under_way_ < room_for_) return true;
  if (!has_room_(room_for_ + 1)) return false;
  ++room_for_;
  return true;
}

void BlasBuffers::end() {
  const std::lock_guard lock(mutex_);
  --under_way_;
  ended_.notify_one();
}

}  // namespace lbsp::algorithms
