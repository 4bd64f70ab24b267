#include "lbsp/job/key_text.hpp"

#include <charconv>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

constexpr char hex_digits[] = "0123456789abcdef";

}  // namespace

void append_hex(const transport::JobKey& key, std::string& text) {
  for (const std::uint8_t byte : key.bytes) {
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
}

transport::JobKey key_from_hex(std::string_view text) {
  transport::JobKey key;
  if (text.size() != 2 * key.bytes.size())
    throw Error("a job key of another length: use the same lbsp everywhere");
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const char* digits = text.data() + 2 * i;
    const auto [end, problem] = std::from_chars(digits, digits + 2, key.bytes[i], 16);
    if (problem != std::errc{} || end != digits + 2)
      throw Error("a job key that is not in hexadecimal digits: use the same lbsp everywhere");
  }
  return key;
}

}  // namespace lbsp::job
