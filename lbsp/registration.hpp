#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "lbsp/superstep/engine.hpp"
#include "lbsp/world.hpp"

namespace lbsp {

/// Something that all ranks have registered in the same place of their programs: memory or a queue, in
/// bytes. Area, Coarray and Queue are its typed faces. Registers when made, releases when destroyed; both
/// are checked to be the same on all ranks at the next sync. Errors of the transfers: see those faces.
class Registration {
 public:
  Registration(World& world, superstep::SlotSpec spec);
  Registration(Registration&& other) noexcept;
  Registration& operator=(Registration&& other) noexcept;
  ~Registration();

  void put(Rank to, std::size_t offset, std::size_t count, std::span<const std::byte> data) const;
  void get(Rank from, std::size_t offset, std::size_t count, std::span<std::byte> into,
           std::shared_ptr<superstep::Completion> completion) const;
  void check_get(Rank from, std::size_t offset, std::size_t count) const;
  void send(Rank to, std::span<const std::byte> tag, std::span<const std::byte> values) const;

  /// What the last sync brought for this queue. Valid to the next sync.
  std::span<const superstep::Received> received() const;

  /// Bytes of memory that `rank` has registered. Throws UsageError before the sync that tells it.
  std::uint64_t bytes_at(Rank rank) const;

 private:
  superstep::Engine* engine_;
  superstep::SlotNumber slot_;
};

}  // namespace lbsp
