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

/// Memory that the program already has, and that other ranks may put into and get from. All ranks make their
/// Areas in the same order. Each may register as much memory as it likes, also none. Offsets and counts are
/// in elements.
///
/// A sync does this, in this order: gets read what is there at the end of the superstep, before any put; the
/// gets are filled; the puts are written. Where puts overlap, they are written by source rank, then in the
/// order of the calls.
///
/// A superstep may have any number of transfers of any size, also to the rank itself, and also in the
/// superstep of the registration. Each transfer is checked at the call against the size that the other rank
/// registered, and throws UsageError if it is out of range. In the superstep of the registration that size is
/// not known yet, and the other rank throws at the sync. A transfer of no elements does nothing, whatever its
/// other arguments are.
///
/// The memory must stay until the Area is gone. If other ranks still use it in that superstep, it must stay
/// until the sync that ends the superstep.
template <class T>
class Area {
  static_assert(std::is_trivially_copyable_v<T>, "values travel as they lie in memory");

 public:
  Area(World& world, std::span<T> memory) : Area(world, memory, nullptr) {}

  /// This rank's memory.
  std::span<T> local() const { return local_; }
  /// Without NDEBUG, throws UsageError with the index and the size if there is no such element.
  T& operator[](std::size_t index) const {
    if (checks_indices && index >= local_.size())
      registration_.refuse_index(index, local_.size(), "elements");
    return local_[index];
  }

  /// How many elements `rank` has registered. Throws UsageError before the sync that follows the
  /// registration.
  std::size_t size_at(Rank rank) const { return registration_.bytes_at(rank) / sizeof(T); }

  /// Writes `values` to rank `to`, from its element `offset` on. They are copied now.
  void put(Rank to, std::size_t offset, std::span<const T> values) const {
    registration_.put(to, offset, values.size(), std::as_bytes(values));
  }
  void put(Rank to, std::size_t offset, const T& value) const { put(to, offset, std::span(&value, 1)); }

  /// The same, but `values` are copied by the next sync(), and must not change until it has returned, nor by what
  /// other ranks put there. Between ranks of one host it saves a copy of what is long.
  void put_unbuffered(Rank to, std::size_t offset, std::span<const T> values) const {
    registration_.put_unbuffered(to, offset, values.size(), std::as_bytes(values));
  }

  /// The same as put(), but returns memory for `count` values, which the program writes itself: all of them, before its
  /// next transfer to that rank and before the next sync. They are anything until then. It saves the copy that put()
  /// makes, on one host and between hosts.
  std::span<T> put_in_place(Rank to, std::size_t offset, std::size_t count) const {
    static_assert(alignof(T) <= 8, "put() takes values that need more");
    const auto bytes = registration_.put_in_place(to, offset, count);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Fills `into` at the next sync with rank `from`'s elements, from element `offset` on. `into` must stay
  /// until then.
  void get(Rank from, std::size_t offset, std::span<T> into) const {
    registration_.get(from, offset, into.size(), std::as_writable_bytes(into), nullptr);
  }

  /// The same into memory that the Future owns.
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

  /// The memory of one rank: `x(rank)`.
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
