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
  void put_unbuffered(Rank to, std::size_t offset, std::size_t count, std::span<const std::byte> data) const;
  void get(Rank from, std::size_t offset, std::size_t count, std::span<std::byte> into,
           std::shared_ptr<superstep::Completion> completion) const;
  /// For puts into memory that is registered in single bytes; until the release takes effect.
  superstep::BytePuts byte_puts() const { return engine_->transfers().byte_puts(slot_); }
  void check_get(Rank from, std::size_t offset, std::size_t count) const;
  void send(Rank to, std::span<const std::byte> tag, std::span<const std::byte> values) const;
  std::span<std::byte> put_in_place(Rank to, std::size_t offset, std::size_t count) const;
  std::span<std::byte> send_in_place(Rank to, std::span<const std::byte> tag, std::size_t bytes) const;

  /// What the last sync brought for this queue. Valid to the next sync.
  std::span<const superstep::Received> received() const { return engine_->slots()[slot_].received; }

  /// Throws UsageError: there is no such element in this rank's memory or queue, whose elements are called
  /// `what`.
  [[noreturn]] void refuse_index(std::size_t index, std::size_t count, std::string_view what) const;

  /// Bytes of memory that `rank` has registered. Throws UsageError before the sync that tells it.
  std::uint64_t bytes_at(Rank rank) const;

 protected:
  // For interfaces with further rules of their own (lbsp/bsplib/bsp_registration.hpp).
  superstep::SlotTable& slots() const { return engine_->slots(); }
  static superstep::SlotTable& slots_of(World& world) { return world.engine_->slots(); }
  superstep::SlotNumber slot() const { return slot_; }
  /// There is nothing left to release.
  void forget() noexcept { engine_ = nullptr; }

 private:
  superstep::Engine* engine_;
  superstep::SlotNumber slot_;
  bool released_ = false;
};

}  // namespace lbsp
