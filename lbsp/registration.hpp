#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lbsp/superstep/engine.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Whether an index into a coarray or a queue is checked: not where the program is compiled with NDEBUG.
#ifdef NDEBUG
constexpr bool checks_indices = false;
#else
constexpr bool checks_indices = true;
#endif

/// Memory or a queue, in bytes, that all ranks have registered in the same place of their programs. Area,
/// Coarray and Queue are its typed interfaces; they describe the errors of the transfers. The constructor
/// registers and the destructor releases. The next sync checks that all ranks did the same.
class Registration {
 public:
  Registration(World& world, superstep::SlotSpec spec);
  Registration(Registration&& other) noexcept;
  Registration& operator=(Registration&& other) noexcept;
  ~Registration();

  /// Releases now. Transfers through this object still work until the next sync.
  void release() noexcept;

  void put(Rank to, std::size_t offset, std::size_t count, std::span<const std::byte> data) const;
  void get(Rank from, std::size_t offset, std::size_t count, std::span<std::byte> into,
           std::shared_ptr<superstep::Completion> completion) const;
  /// For puts into memory that is registered in single bytes; until the release takes effect.
  superstep::BytePuts byte_puts() const { return engine_->byte_puts(slot_); }
  void check_get(Rank from, std::size_t offset, std::size_t count) const;
  void send(Rank to, std::span<const std::byte> tag, std::span<const std::byte> values) const;

  /// What the last sync brought for this queue. Valid to the next sync.
  std::span<const superstep::Received> received() const { return engine_->slots()[slot_].received; }

  /// For a queue whose tags may have any size: all ranks say that they will have this one from here on. Only
  /// that they all say the same in the same place is checked, at the next sync.
  void announce_tag_bytes(std::uint64_t bytes) const;

  /// Releases one of the registrations that this rank has no memory of (SlotSpec::absent), without saying
  /// which: the one that the others release in the same place, or the newest that is absent on all ranks.
  static void release_absent(World& world);

  /// Whether the last sync has released it by release_absent(). Then forget() it before anything is
  /// registered.
  bool lapsed() const;
  void forget() noexcept { engine_ = nullptr; }

  /// Throws UsageError: there is no such element in this rank's memory or queue, whose elements are called
  /// `what`.
  [[noreturn]] void refuse_index(std::size_t index, std::size_t count, std::string_view what) const;

  /// Bytes of memory that `rank` has registered. Throws UsageError before the sync that tells it.
  std::uint64_t bytes_at(Rank rank) const;

 private:
  superstep::Engine* engine_;
  superstep::SlotNumber slot_;
  bool released_ = false;
};

}  // namespace lbsp
