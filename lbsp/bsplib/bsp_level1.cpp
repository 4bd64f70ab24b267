#include "lbsp/bsplib/bsp_level1.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/bsplib/calls.hpp"
#include "lbsp/bsplib/level1.hpp"

namespace lbsp::bsplib {
namespace {

/// From here on a broadcast deals the bytes first, and then everyone passes its share on.
constexpr std::size_t two_phase_bytes = 4096;

/// Before main, so that a process can name also what only another calls.
[[maybe_unused]] const bool names_are_known = [] {
  const auto remember = [](const std::string& name) { superstep::remember("bsp_" + name); };
  for (const char* name :
       {"bcast", "gather", "scatter", "fold", "scan", "all", "any", "sortI", "sortR", "sortD", "sortC"})
    remember(name);
  for (const std::string name : {"sum", "product", "min", "max"}) {
    for (const char* type : {"I", "R", "D"}) {
      remember(name + type);
      remember(name + type + "_prefix");
    }
  }
  return true;
}();

/// A collective call in progress: its name, checked arguments and ranks.
class Collective {
 public:
  Collective(Spmd& spmd, const char* call, std::optional<Number> root, int bytes,
             Operation operation = nullptr)
      : spmd_(spmd), world_(spmd.world()), call_(call), bytes_(static_cast<std::size_t>(bytes)) {
    if (root && (*root < 0 || *root >= world_.size())) {
      spmd.refuse(call, fmt::format("there is no process {}: choose 0 to {}", *root, world_.size() - 1));
    }
    if (bytes < 0) spmd.refuse(call, fmt::format("{} bytes: give at least 0", bytes));
    superstep::CollectiveCall announced{.name = superstep::check_of(call), .bytes = bytes_};
    if (root) announced.root = static_cast<Rank>(*root);
    if (operation != nullptr)
      announced.operation = superstep::check_of(reinterpret_cast<void (*)()>(operation));
    world_.agree(announced);
  }

  Rank rank() const { return world_.rank(); }
  Rank size() const { return world_.size(); }
  std::size_t bytes() const { return bytes_; }

  void require(const void* memory, const char* name) const {
    if (memory == nullptr && bytes_ > 0)
      spmd_.refuse(call_, fmt::format("{} is NULL: give an address", name));
  }

  /// `count` values at `memory`, which the others may put into.
  Registration area(void* memory, Rank count) const {
    const std::span<std::byte> span(static_cast<std::byte*>(memory),
                                    bytes_ * static_cast<std::size_t>(count));
    return {world_, {superstep::SlotKind::memory, 1, 0, span, nullptr}};
  }

  void put(const Registration& area, Rank to, std::size_t offset, const void* source,
           std::size_t bytes) const {
    area.put(to, offset, bytes, {static_cast<const std::byte*>(source), bytes});
  }

  void sync() { spmd_.sync(call_); }

 private:
  Spmd& spmd_;
  World& world_;
  const char* call_;
  std::size_t bytes_;
};

std::byte* at(void* memory, std::size_t offset) {
  return static_cast<std::byte*>(memory) + offset;
}

void broadcast(Collective& all, Rank root, void* source, void* destination) {
  const auto area = all.area(destination, 1);
  for (Rank to = 0; all.rank() == root && to < all.size(); ++to)
    all.put(area, to, 0, source, all.bytes());
  all.sync();
}

void two_phase_broadcast(Collective& all, Rank root, void* source, void* destination) {
  const auto area = all.area(destination, 1);
  const auto ranks = static_cast<std::size_t>(all.size());
  const auto begin = [&](Rank rank) { return all.bytes() * static_cast<std::size_t>(rank) / ranks; };
  const auto share = [&](Rank rank) { return begin(rank + 1) - begin(rank); };
  for (Rank to = 0; all.rank() == root && to < all.size(); ++to)
    all.put(area, to, begin(to), at(source, begin(to)), share(to));
  all.sync();
  const Rank mine = all.rank();
  for (Rank to = 0; to < all.size(); ++to) {
    if (to != mine) all.put(area, to, begin(mine), at(destination, begin(mine)), share(mine));
  }
  all.sync();
}

/// The values of all ranks by rank; with `only_lower` of those up to this one.
std::vector<std::byte> gather_values(Collective& all, const void* source, bool only_lower) {
  std::vector<std::byte> values(all.bytes() * static_cast<std::size_t>(all.size()));
  const auto area = all.area(values.data(), all.size());
  for (Rank to = only_lower ? all.rank() : 0; to < all.size(); ++to)
    all.put(area, to, all.bytes() * static_cast<std::size_t>(all.rank()), source, all.bytes());
  all.sync();
  return values;
}

void combine(Collective& all, Operation operation, std::vector<std::byte>& values, Rank count,
             void* destination) {
  if (all.bytes() == 0) return;
  auto bytes = static_cast<int>(all.bytes());
  std::memcpy(destination, values.data(), all.bytes());
  for (Rank rank = 1; rank < count; ++rank)
    operation(destination, destination, at(values.data(), all.bytes() * static_cast<std::size_t>(rank)),
              &bytes);
}

}  // namespace

void reduce(const char* call, Operation operation, void* source, void* destination, int bytes, Over over) {
  const bool only_lower = over == Over::up_to_this;
  in_spmd(call, [&](Spmd& spmd) {
    Collective all(spmd, call, std::nullopt, bytes, operation);
    all.require(source, "src");
    all.require(destination, "dst");
    if (operation == nullptr) spmd.refuse(call, "op is NULL: give a function");
    auto values = gather_values(all, source, only_lower);
    combine(all, operation, values, only_lower ? all.rank() + 1 : all.size(), destination);
  });
}

std::vector<std::byte> gather_everywhere(const char* call, const void* source, int bytes) {
  return in_spmd(call, [&](Spmd& spmd) {
    Collective all(spmd, call, std::nullopt, bytes);
    return gather_values(all, source, false);
  });
}

}  // namespace lbsp::bsplib

namespace face = lbsp::bsplib;

extern "C" {

void bsp_bcast(int root, void* src, void* dst, int nbytes) {
  constexpr const char* call = "bsp_bcast";
  face::in_spmd(call, [&](face::Spmd& spmd) {
    face::Collective all(spmd, call, root, nbytes);
    if (all.rank() == root) all.require(src, "src");
    all.require(dst, "dst");
    const bool two_phases = all.size() > 2 && all.bytes() >= face::two_phase_bytes;
    (two_phases ? face::two_phase_broadcast : face::broadcast)(all, root, src, dst);
  });
}

void bsp_gather(int root, void* src, void* dst, int nbytes) {
  constexpr const char* call = "bsp_gather";
  face::in_spmd(call, [&](face::Spmd& spmd) {
    face::Collective all(spmd, call, root, nbytes);
    const bool here = all.rank() == root;
    all.require(src, "src");
    if (here) all.require(dst, "dst");
    const auto area = all.area(here ? dst : nullptr, here ? all.size() : 0);
    all.put(area, root, all.bytes() * static_cast<std::size_t>(all.rank()), src, all.bytes());
    all.sync();
  });
}

void bsp_scatter(int root, void* src, void* dst, int nbytes) {
  constexpr const char* call = "bsp_scatter";
  face::in_spmd(call, [&](face::Spmd& spmd) {
    face::Collective all(spmd, call, root, nbytes);
    if (all.rank() == root) all.require(src, "src");
    all.require(dst, "dst");
    const auto area = all.area(dst, 1);
    for (lbsp::Rank to = 0; all.rank() == root && to < all.size(); ++to)
      all.put(area, to, 0, face::at(src, all.bytes() * static_cast<std::size_t>(to)), all.bytes());
    all.sync();
  });
}

void bsp_fold(void (*op)(void*, void*, void*, int*), void* src, void* dst, int nbytes) {
  face::reduce("bsp_fold", op, src, dst, nbytes, face::Over::all);
}

void bsp_scan(void (*op)(void*, void*, void*, int*), void* src, void* dst, int nbytes) {
  face::reduce("bsp_scan", op, src, dst, nbytes, face::Over::up_to_this);
}

}  // extern "C"
