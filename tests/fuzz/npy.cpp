// NumPy's files: the first byte chooses the type and the dimensions that are asked for, the rest is the file.
#include "tools/programs/npy.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzzing.hpp"
#include "tools/programs/npy_header.hpp"

namespace {

using namespace lbsp;

template <class T>
void read(const std::string& path, std::size_t dimensions, std::size_t file_bytes) {
  fuzz::read_or_refuse([&] {
    const auto array = programs::read_npy<T>(path, dimensions);
    fuzz::require(array.shape.size() == dimensions, "an array has the dimensions that were asked for");
    fuzz::require(array.values.size() == programs::npy_elements(array.shape, sizeof(T)) &&
                      array.values.size() * sizeof(T) < file_bytes,
                  "an array's elements all come from the file");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const int file = ::memfd_create("npy", MFD_CLOEXEC);
  static const std::string path = fmt::format("/proc/self/fd/{}", file);
  fuzz::require(
      ::ftruncate(file, 0) == 0 && ::pwrite(file, data + 1, size - 1, 0) == static_cast<ssize_t>(size - 1),
      "the file is written");
  const std::size_t dimensions = 1 + data[0] % 2;
  switch (data[0] / 2 % 3) {
    case 0:
      read<double>(path, dimensions, size);
      break;
    case 1:
      read<std::uint8_t>(path, dimensions, size);
      break;
    default:
      read<std::complex<float>>(path, dimensions, size);
  }
  fuzz::read_or_refuse([&] {
    const auto header = programs::parse_npy_header(fuzz::text_of(data + 1, size - 1));
    programs::npy_elements(header.shape, 8);
  });
  return 0;
}
