#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tools/command_line/atomic_file.hpp"

namespace lbsp::programs {

/// The values of a NumPy .npy file in C order, whatever the order in the file.
template <class T>
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// Reads an array of the given number of dimensions, 1 or 2, whose elements are T: float, double,
/// std::int32_t, std::int64_t, std::uint8_t, std::uint64_t, std::complex<float> or std::complex<double>,
/// little-endian.
///
/// Throws UsageError, which names the file, if it does not exist, is not a .npy file, ends early, goes on
/// past its data, or holds another type or another number of dimensions. Throws SystemError if it does not
/// fit in memory or cannot be read. Allocates nothing that the file does not fill.
template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path, std::size_t dimensions);

/// The type of the elements of a .npy file as NumPy writes it, such as "<f8". Throws as read_npy() does.
std::string npy_descr(const std::filesystem::path& path);

/// Writes `values`, in C order, as a file of version 1.0. The caller commits it.
template <class T>
void write_npy(command_line::AtomicFile& file, const std::vector<std::size_t>& shape,
               std::span<const T> values);

}  // namespace lbsp::programs
