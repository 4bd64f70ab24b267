#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "transport/error.hpp"

/// What the fuzz targets share. Each target is a function of the bytes that libFuzzer makes up:
/// LLVMFuzzerTestOneInput() in a file of its own.
namespace lbsp::fuzz {

/// What must hold for any input. libFuzzer keeps the input for which it does not.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Runs `read`, which may refuse its input by an Error that says why, and by nothing else.
template <class Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const Error& refusal) {
    require(*refusal.what() != '\0', "a refusal says what is wrong");
  }
}

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace lbsp::fuzz
