#pragma once

#include <array>
#include <cstdint>

namespace lbsp::bsplib {

using SpmdFunction = void (*)();

/// Where a function is in the executable of this process, so that a process that runs the same one finds it, wherever
/// either was loaded.
struct FunctionPlace {
  std::uint64_t offset = 0;              ///< from where the executable was loaded
  std::array<unsigned char, 16> code{};  ///< the hash (BLAKE2b) of all its machine code

  bool operator==(const FunctionPlace&) const = default;
};

/// Throws UsageError if the function is in a shared library. Reads all of the executable's code.
FunctionPlace place_of(SpmdFunction function);

/// Throws UsageError if this process runs another executable.
SpmdFunction function_at(const FunctionPlace& place);

}  // namespace lbsp::bsplib
