// WAN specifications: what is read is written so that it reads back the same.
#include "transport/impairment/wan_spec.hpp"

#include "tests/fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp;
  fuzz::read_or_refuse([&] {
    const auto spec = transport::parse_wan_spec(fuzz::text_of(data, size));
    fuzz::require(transport::parse_wan_spec(transport::to_string(spec)) == spec,
                  "a specification that is written reads back the same");
  });
  return 0;
}
