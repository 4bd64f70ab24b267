#include "tools/programs/fft2d/complex_grid.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::programs::fft2d {
namespace {

namespace fs = std::filesystem;

template <class T, class Source>
NpyArray<std::complex<T>> read_as(const fs::path& path) {
  NpyArray<Source> array = read_npy<Source>(path, 2);
  if constexpr (std::is_same_v<Source, std::complex<T>>) {
    return array;
  } else {
    NpyArray<std::complex<T>> grid{array.shape, {}};
    grid.values.reserve(array.values.size());
    for (const Source& value : array.values) {
      if constexpr (std::is_arithmetic_v<Source>) {
        grid.values.emplace_back(static_cast<T>(value));
      } else {
        grid.values.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
      }
    }
    return grid;
  }
}

template <class T>
NpyArray<std::complex<T>> read_any(const fs::path& path) {
  const std::string descr = npy_descr(path);
  if (descr == "<f4") return read_as<T, float>(path);
  if (descr == "<f8") return read_as<T, double>(path);
  if (descr == "<c8") return read_as<T, std::complex<float>>(path);
  if (descr == "|u1") return read_as<T, std::uint8_t>(path);
  if (descr == "<i4") return read_as<T, std::int32_t>(path);
  if (descr == "<i8") return read_as<T, std::int64_t>(path);
  if (descr == "<u8") return read_as<T, std::uint64_t>(path);
  return read_as<T, std::complex<double>>(path);  // or its error, which says how to convert
}

}  // namespace

template <class T>
NpyArray<std::complex<T>> read_complex_grid(const fs::path& path) {
  NpyArray<std::complex<T>> grid = [&] {
    try {
      return read_any<T>(path);
    } catch (const std::bad_alloc&) {
      throw SystemError(
          fmt::format("cannot read {}: it does not fit in this machine's memory: read it on a larger one",
                      path.string()));
    }
  }();
  if (!grid.values.empty()) return grid;
  throw UsageError(fmt::format("{} holds a grid of {} x {}: give one with at least one row and column",
                               path.string(), grid.shape[0], grid.shape[1]));
}

template NpyArray<std::complex<float>> read_complex_grid(const fs::path&);
template NpyArray<std::complex<double>> read_complex_grid(const fs::path&);

}  // namespace lbsp::programs::fft2d
