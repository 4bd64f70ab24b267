#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "lbsp/future.hpp"
#include "lbsp/registration.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Memory of the program's own that other ranks may put into and get from. All ranks register, in the same
/// order; how much each has is its own affair, none included. Offsets and counts are in elements.
///
/// The order at sync: gets read what stands at the end of the superstep, before any put; then they are
/// filled; then puts are written, where they overlap by source rank, then in the order of the calls. Any
/// number of transfers of any size may be made in a superstep, also to oneself, also already in the superstep
/// of the registration. Each rank checks a transfer at the call against the size the other registered, and
/// throws UsageError; in the superstep of the registration it is the other rank that throws, at the sync.
/// A transfer of no elements does nothing, whatever its other arguments are.
///
/// The memory must stay until the Area is gone, and if others still name it in that superstep, until the
/// sync that ends it.
template <class T>
class Area {
  static_assert(std::is_trivially_copyable_v<T>, "values travel as they lie in memory");

 public:
  Area(World& world, std::span<T> memory) : Area(world, memory, nullptr) {}

  /// This rank's memory.
  std::span<T> local() const { return local_; }
  T& operator[](std::size_t index) const { return local_[index]; }

  /// How many elements `rank` has. Throws UsageError before the sync that follows the registration.
  std::size_t size_at(Rank rank) const { return registration_.bytes_at(rank) / sizeof(T); }

  /// Writes `values` from element `offset` of rank `to` on. They are copied now.
  void put(Rank to, std::size_t offset, std::span<const T> values) const {
    registration_.put(to, offset, values.size(), std::as_bytes(values));
  }
  void put(Rank to, std::size_t offset, const T& value) const { put(to, offset, std::span(&value, 1)); }

  /// Fills `into` at the next sync with what stands from element `offset` of rank `from` on. `into` must stay
  /// until then.
  void get(Rank from, std::size_t offset, std::span<T> into) const {
    registration_.get(from, offset, into.size(), std::as_writable_bytes(into), nullptr);
  }

  /// The same into memory that the Future keeps.
  Future<T> get(Rank from, std::size_t offset, std::size_t count = 1) const {
    registration_.check_get(from, offset, count);
    Future<T> future(count);
    registration_.get(from, offset, count, std::as_writable_bytes(future.storage()), future.completion());
    return future;
  }

  /// One element on another rank: `x(rank)[i] = value` puts, `x(rank)[i].get()` gets.
  class Element {
   public:
    void operator=(const T& value) && { area_.put(rank_, index_, value); }
    Future<T> get() const { return area_.get(rank_, index_); }

   private:
    friend class Area;
    Element(const Area& area, Rank rank, std::size_t index) : area_(area), rank_(rank), index_(index) {}

    const Area& area_;
    Rank rank_;
    std::size_t index_;
  };

  /// The memory of one rank.
  class Image {
   public:
    Element operator[](std::size_t index) const { return {area_, rank_, index}; }

   private:
    friend class Area;
    Image(const Area& area, Rank rank) : area_(area), rank_(rank) {}

    const Area& area_;
    Rank rank_;
  };

  Image operator()(Rank rank) const { return {*this, rank}; }

 protected:
  Area(World& world, std::span<T> memory, std::shared_ptr<void> owner)
      : registration_(world, {superstep::SlotKind::memory, sizeof(T), 0, std::as_writable_bytes(memory),
                              std::move(owner)}),
        local_(memory) {}

 private:
  Registration registration_;
  std::span<T> local_;
};

}  // namespace lbsp
