#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::checkpoint {

/// Which checkpoint of a job, and of those that went on from it: a later one is greater. A generation is one world of
/// one run.
struct Place {
  std::uint64_t generation = 0;
  std::uint64_t serial = 0;

  // clang-tidy 14 takes the 0 of a defaulted comparison for a pointer.
  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Which program's states these are: its name, cut off at this length, and zeros.
using ProgramName = std::array<char, 64>;
ProgramName program_name(std::string_view name);
std::string_view text_of(const ProgramName& name);

/// A rank's state in a file.
struct Filed {
  Place place;
  std::uint64_t number = 0;  ///< the program's own: which state it is
  Rank rank = 0;
  Rank ranks = 1;  ///< of the world that saved it
  ProgramName program{};
};

/// A folder with the states of ranks: of all, where the hosts share it. A file is there whole or not at all, whenever
/// the machine stops; what has changed in it is found by checksums (CRC-64).
class Folder {
 public:
  /// If there is none, or it cannot be read, it has no states.
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  /// The folder, made if there is none. Throws UsageError if it cannot be, and if the folder that it is to be in is not
  /// there: the path may be mistyped.
  static Folder make(const std::filesystem::path& path);

  /// Returns when it is on the disk. Throws SystemError if the system refuses.
  void write(const Filed& what, const Bytes& state) const;
  /// Which states of that rank there are, by their files' names; in no order.
  std::vector<Place> of_rank(Rank rank) const;
  struct State {
    Filed what;
    Bytes bytes;
  };
  /// None, if there is no such file, or it is damaged.
  std::optional<State> read(const Place& place, Rank rank) const;
  /// Removes all that is older, of all ranks.
  void remove_before(const Place& place) const;
  /// Removes what an earlier job's process of that rank was writing when it ended.
  void remove_unfinished(Rank rank) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lbsp::checkpoint
