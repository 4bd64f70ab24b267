#pragma once

#include <complex>
#include <filesystem>

#include "tools/programs/npy.hpp"

namespace lbsp::programs::fft2d {

/// Reads a two-dimensional array of real, complex or whole numbers (as in images) as complex numbers of the
/// precision T, float or double. Throws as read_npy() does, and also if the array is empty or of another
/// type.
template <class T>
NpyArray<std::complex<T>> read_complex_grid(const std::filesystem::path& path);

}  // namespace lbsp::programs::fft2d
