#include "tools/programs/npy.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <type_traits>

#include "tools/programs/npy_header.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "elements are read as they stand in the file");

template <class T>
std::string descr_of() {
  if constexpr (std::is_floating_point_v<T>) return fmt::format("<f{}", sizeof(T));
  if constexpr (std::is_same_v<T, std::complex<float>>) return "<c8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "<c16";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "|u1";
  if constexpr (std::is_integral_v<T>)
    return fmt::format("<{}{}", std::is_signed_v<T> ? 'i' : 'u', sizeof(T));
}

std::string name_of_type(const std::string& descr) {
  const bool big_endian = descr.starts_with('>');
  const std::string kind = descr.empty() ? descr : descr.substr(1);
  for (const auto& [known, name] : {std::pair{"f4", "float32"},
                                    {"f8", "float64"},
                                    {"i4", "int32"},
                                    {"i8", "int64"},
                                    {"u8", "uint64"},
                                    {"u1", "uint8"},
                                    {"c8", "complex64"},
                                    {"c16", "complex128"}}) {
    if (kind == known) return fmt::format("{}{}", big_endian ? "big-endian " : "", name);
  }
  // Bytes of a file that may be anything: only what is surely a type's name goes to a terminal.
  const bool printable = descr.size() <= 8 && std::all_of(descr.begin(), descr.end(), [](unsigned char c) {
                           return std::isgraph(c) != 0;
                         });
  return printable ? fmt::format("'{}'", descr) : "an unknown type";
}

/// One open file and what is still unread of it.
class Input {
 public:
  explicit Input(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw UsageError("there is no such file: give the path of a NumPy .npy file");
    if (!fs::is_regular_file(status)) throw UsageError("it is not a regular file: give a NumPy .npy file");
    stream_.open(path, std::ios::binary);
    unread_ = fs::file_size(path, error);
    if (!stream_ || error) throw UsageError("it cannot be opened: make it readable");
  }

  std::size_t unread() const { return unread_; }

  void read(std::span<std::byte> into) {
    if (into.size() > unread_) {
      throw UsageError("it ends within its header: write it again with numpy.save");
    }
    stream_.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
    if (!stream_) throw SystemError("reading it failed: check the disk it is on");
    unread_ -= into.size();
  }

 private:
  std::ifstream stream_;
  std::size_t unread_ = 0;
};

NpyHeader read_header(Input& input) {
  std::byte preamble[npy_preamble_bytes] = {};
  input.read(std::span(preamble).first(std::min(sizeof preamble, input.unread())));
  std::uint32_t length = 0;
  input.read(std::as_writable_bytes(std::span(&length, 1)).first(npy_length_bytes(preamble)));
  if (length > max_npy_header_bytes) {
    throw UsageError(
        fmt::format("its header claims {} bytes, at most {} are read: write it again with numpy.save", length,
                    max_npy_header_bytes));
  }
  std::string text(length, '\0');
  input.read(std::as_writable_bytes(std::span(text)));
  return parse_npy_header(text);
}

void check_type(const NpyHeader& header, const std::string& descr, std::size_t dimensions) {
  if (header.descr != descr) {
    const std::string wanted = name_of_type(descr);
    throw UsageError(fmt::format("it holds {} where {} is wanted: convert it with numpy's astype('{}')",
                                 name_of_type(header.descr), wanted, descr));
  }
  if (header.shape.size() != dimensions) {
    throw UsageError(fmt::format("its shape {} is {}-D where {}-D is wanted: reshape it",
                                 to_string(header.shape), header.shape.size(), dimensions));
  }
}

void check_size(const NpyHeader& header, std::size_t needed, std::size_t found) {
  if (needed == found) return;
  throw UsageError(fmt::format(
      "it {}, its shape {} needs {} bytes of data and {} are there: write it again with numpy.save",
      found < needed ? "ends early" : "goes on past its data", to_string(header.shape), needed, found));
}

template <class T>
std::vector<T> transposed(const std::vector<T>& columns_first, std::size_t rows, std::size_t columns) {
  constexpr std::size_t tile = 64;  // keeps both sides of the tile in cache
  std::vector<T> values(columns_first.size());
  for (std::size_t top = 0; top < rows; top += tile) {
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = top; row < std::min(top + tile, rows); ++row) {
        values[row * columns + column] = columns_first[column * rows + row];
      }
    }
  }
  return values;
}

template <class T>
NpyArray<T> read_values(Input& input, std::size_t dimensions) {
  const NpyHeader header = read_header(input);
  check_type(header, descr_of<T>(), dimensions);
  const std::size_t elements = npy_elements(header.shape, sizeof(T));
  check_size(header, elements * sizeof(T), input.unread());
  std::vector<T> values(elements);
  input.read(std::as_writable_bytes(std::span(values)));
  if (header.fortran_order && dimensions == 2) values = transposed(values, header.shape[0], header.shape[1]);
  return {header.shape, std::move(values)};
}

/// Calls read(input) on the open file; its errors name the file.
template <class Read>
auto read_file(const fs::path& path, Read read) {
  const std::string where = fmt::format("cannot read {}: ", path.string());
  try {
    Input input(path);
    return read(input);
  } catch (const UsageError& error) {
    throw UsageError(where + error.what());
  } catch (const SystemError& error) {
    throw SystemError(where + error.what());
  } catch (const std::bad_alloc&) {
    throw SystemError(where + "it does not fit in this machine's memory: read it on a larger one");
  }
}

}  // namespace

template <class T>
NpyArray<T> read_npy(const fs::path& path, std::size_t dimensions) {
  return read_file(path, [&](Input& input) { return read_values<T>(input, dimensions); });
}

std::string npy_descr(const fs::path& path) {
  return read_file(path, [](Input& input) { return read_header(input).descr; });
}

template <class T>
void write_npy(command_line::AtomicFile& file, const std::vector<std::size_t>& shape,
               std::span<const T> values) {
  const std::string head = format_npy_header({descr_of<T>(), false, shape});
  file.write(head);
  file.write(std::as_bytes(values));
}

using Shape = std::vector<std::size_t>;

template NpyArray<float> read_npy(const fs::path&, std::size_t);
template NpyArray<double> read_npy(const fs::path&, std::size_t);
template NpyArray<std::int32_t> read_npy(const fs::path&, std::size_t);
template NpyArray<std::int64_t> read_npy(const fs::path&, std::size_t);
template NpyArray<std::uint64_t> read_npy(const fs::path&, std::size_t);
template NpyArray<std::uint8_t> read_npy(const fs::path&, std::size_t);
template NpyArray<std::complex<float>> read_npy(const fs::path&, std::size_t);
template NpyArray<std::complex<double>> read_npy(const fs::path&, std::size_t);

template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const float>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const double>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::int32_t>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::int64_t>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::uint64_t>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::uint8_t>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::complex<float>>);
template void write_npy(command_line::AtomicFile&, const Shape&, std::span<const std::complex<double>>);

}  // namespace lbsp::programs
