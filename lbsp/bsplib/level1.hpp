#pragma once

#include <cstddef>
#include <vector>

namespace lbsp::bsplib {

/// What bsp_fold is given, whatever its types were.
using Operation = void (*)(void* result, void* left, void* right, int* bytes);

/// Whose values a rank combines.
enum class Over { all, up_to_this };

/// bsp_fold and bsp_scan (bsp_level1.h) under the name that errors are to have.
void reduce(const char* call, Operation operation, void* source, void* destination, int bytes, Over over);

/// The values of all ranks, by rank.
std::vector<std::byte> gather_everywhere(const char* call, const void* source, int bytes);

}  // namespace lbsp::bsplib
