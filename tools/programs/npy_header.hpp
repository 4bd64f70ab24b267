#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lbsp::programs {

/// What the head of a NumPy .npy file says about its data. Source: NEP 1 and numpy.lib.format, versions 1.0,
/// 2.0 and 3.0.
struct NpyHeader {
  std::string descr;               ///< the element type as NumPy writes it, such as "<f8"
  bool fortran_order = false;      ///< the first index varies fastest
  std::vector<std::size_t> shape;  ///< empty for a single value

  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

/// Magic and version: what stands before the header's length.
inline constexpr std::size_t npy_preamble_bytes = 8;

/// A header longer than this is refused; NumPy's own are 128 bytes, and it reads no more than 10,000.
inline constexpr std::size_t max_npy_header_bytes = 65536;

/// How many bytes hold the header's length, which follows `preamble`: 2 or 4. Throws UsageError ("what: what
/// to do", without the file's name) if `preamble` is not the beginning of a .npy file.
std::size_t npy_length_bytes(std::span<const std::byte> preamble);

/// Reads the header's text, a Python dictionary. Throws UsageError as above if it is anything else.
NpyHeader parse_npy_header(std::string_view text);

/// The number of elements in an array of that shape. Throws UsageError if it, or the number of bytes,
/// overflows.
std::size_t npy_elements(const std::vector<std::size_t>& shape, std::size_t bytes_per_element);

/// The head of a file of version 1.0, from the magic to the data's first byte (a multiple of 64).
std::string format_npy_header(const NpyHeader& header);

/// As NumPy prints it: "(3, 4)", "(5,)", "()".
std::string to_string(const std::vector<std::size_t>& shape);

}  // namespace lbsp::programs
