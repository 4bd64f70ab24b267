#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lbsp/bsplib/bsp_registration.hpp"
#include "lbsp/bsplib/call_errors.hpp"

namespace lbsp::bsplib {

/// Direct remote memory access: the areas that one rank has registered, found by their base, and the puts and
/// gets through them. The contracts of the calls are in bsp.h. Those that are made for several calls take the
/// name that errors are to have. All throw UsageError, as CallErrors words it.
class Drma {
 public:
  /// Both must outlive it.
  Drma(World& world, const CallErrors& errors) : world_(world), errors_(errors), rank_(world.rank()) {}

  void push_reg(void* base, Number bytes);
  void pop_reg(const void* base);

  void put(const char* call, Number pid, const void* source, const void* destination, Number offset,
           Number bytes) {
    if (bytes == 0) return;
    if (destination != last_base_) [[unlikely]]
      return put_elsewhere(call, pid, source, destination, offset, bytes);
    if (source == nullptr) [[unlikely]]
      errors_.refuse_null(call, "source");
    // A negative number is one too large to be in range.
    const auto size = static_cast<std::size_t>(bytes);
    const bool done = puts_.try_put(static_cast<Rank>(pid), static_cast<std::uint64_t>(offset),
                                    {static_cast<const std::byte*>(source), size});
    if (!done) [[unlikely]]
      explain(call, pid, offset, bytes);
  }
  /// A put whose source stays as it is until the sync.
  void hpput(const char* call, Number pid, const void* source, const void* destination, Number offset,
             Number bytes) {
    if (bytes < least_unbuffered) return put(call, pid, source, destination, offset, bytes);
    put_unbuffered(call, pid, source, destination, offset, bytes);
  }
  void get(const char* call, Number pid, const void* source, Number offset, void* destination, Number bytes);

  /// Of this rank's own memory; refused for another's.
  void direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes);

  /// After each sync: what was pushed and popped takes effect.
  void next_superstep() {
    if (unsettled_) settle();
  }

 private:
  /// Fewer bytes are put faster as all others are.
  static constexpr Number least_unbuffered = 4096;

  void put_unbuffered(const char* call, Number pid, const void* source, const void* destination,
                      Number offset, Number bytes);
  /// A put to another base than the last one's. A call of its own, so that put() keeps nothing across a call.
  void put_elsewhere(const char* call, Number pid, const void* source, const void* destination, Number offset,
                     Number bytes);
  /// Says what is wrong with a transfer through the last area that the runtime did not take.
  [[noreturn]] void explain(const char* call, Number pid, Number offset, Number bytes) const;
  /// Sets the last base, its area and its puts.
  void find(const char* call, const void* base);
  void settle();
  void close_areas();
  void close_absent();

  World& world_;
  const CallErrors& errors_;
  Rank rank_;
  using Areas = std::vector<std::unique_ptr<BspRegistration>>;
  std::unordered_map<const void*, Areas>
      areas_;     ///< by base, oldest first, as this superstep's calls left them
  Areas popped_;  ///< stay usable until the sync
  std::unordered_map<const void*, Registration*> usable_;  ///< by base: the newest that puts may name
  std::unordered_set<const void*> changed_;                ///< bases pushed or popped in this superstep
  std::size_t absent_popped_ = 0;                          ///< pops of NULL in this superstep
  bool unsettled_ = false;                                 ///< the next sync has areas to close

  const void* last_base_ = this;  ///< of the last transfer; this: of none
  const Registration* last_area_ = nullptr;
  superstep::BytePuts puts_;  ///< into the last area
};

}  // namespace lbsp::bsplib
