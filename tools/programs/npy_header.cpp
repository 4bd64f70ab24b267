#include "tools/programs/npy_header.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The few forms of Python's literals that a header is made of.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }

  std::string string() {
    skip_blanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) fail("a string");
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail("the end of a string");
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  std::size_t integer() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      throw UsageError("a dimension of its shape overflows 64 bits: write it again with numpy.save");
    }
    if (error != std::errc{}) fail("a dimension");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote (3L, 4L)
    return value;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> values;
    expect("(");
    while (!accept(")")) {
      values.push_back(integer());
      if (accept(",")) continue;
      expect(")");
      break;
    }
    return values;
  }

  void expect_end() {
    skip_blanks();
    if (!text_.empty()) fail("its end");
  }

  [[noreturn]] void fail(std::string_view wanted) const {
    throw UsageError(fmt::format(
        "its header is malformed, {} is missing {} bytes before its end: write it again with numpy.save",
        wanted, text_.size()));
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n\t"), text_.size())); }

  std::string_view text_;
};

std::string read_descr(Reader& reader) {
  if (reader.accept("[")) {
    throw UsageError("it holds records of several fields: save one field as an array of its own");
  }
  return reader.string();
}

}  // namespace

std::size_t npy_length_bytes(std::span<const std::byte> preamble) {
  const std::string_view text(reinterpret_cast<const char*>(preamble.data()), preamble.size());
  if (text.size() < npy_preamble_bytes || !text.starts_with(magic)) {
    throw UsageError("it is no NumPy .npy file: write one with numpy.save");
  }
  const auto major = static_cast<unsigned char>(text[6]);
  if (major < 1 || major > 3) {
    throw UsageError(fmt::format(
        "it is a .npy file of version {}, 1 to 3 can be read: write it again with numpy.save", major));
  }
  return major == 1 ? 2 : 4;
}

NpyHeader parse_npy_header(std::string_view text) {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;

  Reader reader(text);
  reader.expect("{");
  while (!reader.accept("}")) {
    const std::string key = reader.string();
    reader.expect(":");
    if (key == "descr" && !descr) {
      descr = read_descr(reader);
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = reader.boolean();
    } else if (key == "shape" && !shape) {
      shape = reader.tuple();
    } else {
      reader.fail("one each of descr, fortran_order and shape");
    }
    if (reader.accept(",")) continue;
    reader.expect("}");
    break;
  }
  reader.expect_end();
  if (!descr || !fortran_order || !shape) reader.fail("one each of descr, fortran_order and shape");
  return {*descr, *fortran_order, *shape};
}

std::size_t npy_elements(const std::vector<std::size_t>& shape, std::size_t bytes_per_element) {
  std::size_t elements = 1;
  std::size_t bytes = 0;
  bool overflows = __builtin_mul_overflow(elements, bytes_per_element, &bytes);
  for (const std::size_t extent : shape) {
    overflows = overflows || __builtin_mul_overflow(elements, extent, &elements) ||
                __builtin_mul_overflow(elements, bytes_per_element, &bytes);
  }
  if (overflows) {
    throw UsageError(
        fmt::format("its shape {} overflows the memory of any machine: write it again with numpy.save",
                    to_string(shape)));
  }
  return elements;
}

std::string format_npy_header(const NpyHeader& header) {
  constexpr std::size_t alignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", header.descr,
                                 header.fortran_order ? "True" : "False", to_string(header.shape));
  const std::size_t unpadded = npy_preamble_bytes + 2 + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  text += '\n';

  std::string head(magic);
  head += '\x01';
  head += '\x00';
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

std::string to_string(const std::vector<std::size_t>& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace lbsp::programs
