// Files of what lies between the hosts of a test bed.
#include <sstream>

#include "tests/fuzz/fuzzing.hpp"
#include "tools/wan/network/matrix_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp;
  fuzz::read_or_refuse([&] {
    std::istringstream in{std::string(fuzz::text_of(data, size))};
    wan::network::read_matrix(in, "matrix");
  });
  return 0;
}
