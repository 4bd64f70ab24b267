// Quantities as people write them: what is read is written so that it reads back to the same value.
#include "transport/quantity.hpp"

#include "tests/fuzz/fuzzing.hpp"

namespace {

template <class Value>
void read_and_write(std::string_view text, Value (*parse)(std::string_view), std::string (*format)(Value)) {
  lbsp::fuzz::read_or_refuse([&] {
    const Value value = parse(text);
    lbsp::fuzz::require(parse(format(value)) == value, "a quantity that is written reads back the same");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lbsp::transport;
  const auto text = lbsp::fuzz::text_of(data, size);
  read_and_write<double>(text, parse_fraction, format_fraction);
  read_and_write<Duration>(text, parse_duration, format_duration);
  read_and_write<BytesPerSecond>(text, parse_rate, format_rate);
  read_and_write<std::uint64_t>(text, parse_size, format_size);
  return 0;
}
