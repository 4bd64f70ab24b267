#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/error.hpp"

namespace lbsp {

/// States as bytes, so that other hosts and disks can keep them. A state is
/// - a value that can be copied as it lies in memory and points nowhere: numbers, and structs and arrays of them;
/// - a std::vector, std::string, std::pair or std::map of states;
/// - of a class that names its parts, all states, in a public member:
///
///       template <class All>
///       void fields(All& all) { all(first_row, rows, step_width); }
///
/// The bytes are in the machine's order, and mean something to the same build of the program only.
class ImageWriter;
class ImageReader;

namespace image {

template <class T>
concept has_fields = requires(T& value, ImageWriter& writer) {
  value.fields(writer);
};
template <class T>
concept plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !has_fields<T>;

template <class T>
struct is_state : std::bool_constant<has_fields<T> || plain<T>> {};
template <class T, class Allocator>
struct is_state<std::vector<T, Allocator>> : is_state<T> {};
template <class Allocator>
struct is_state<std::vector<bool, Allocator>> : std::false_type {};
template <class Char>
struct is_state<std::basic_string<Char>> : std::true_type {};
template <class First, class Second>
struct is_state<std::pair<First, Second>> : std::conjunction<is_state<First>, is_state<Second>> {};
template <class Key, class Value>
struct is_state<std::map<Key, Value>> : std::conjunction<is_state<Key>, is_state<Value>> {};

}  // namespace image

template <class T>
concept HasImage = image::is_state<T>::value;

/// Appends values to bytes.
class ImageWriter {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (write(values), ...);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  template <class T>
  requires image::has_fields<T>
  void write(T& value) { value.fields(*this); }
  template <class T>
  requires image::plain<T>
  void write(const T& value) { append(std::as_bytes(std::span(&value, 1))); }
  template <class T, class Allocator>
  void write(std::vector<T, Allocator>& values) {
    write(std::uint64_t{values.size()});
    if constexpr (image::plain<T>) {
      append(std::as_bytes(std::span(values)));
    } else {
      for (T& value : values)
        write(value);
    }
  }
  template <class Char>
  void write(const std::basic_string<Char>& text) {
    write(std::uint64_t{text.size()});
    append(std::as_bytes(std::span(text)));
  }
  template <class First, class Second>
  requires(!image::plain<std::pair<First, Second>>) void write(std::pair<First, Second>& both) {
    (*this)(both.first, both.second);
  }
  template <class Key, class Value>
  void write(std::map<Key, Value>& values) {
    write(std::uint64_t{values.size()});
    for (auto& [key, value] : values) {
      Key copy = key;
      (*this)(copy, value);
    }
  }
  void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

  Bytes bytes_;
};

/// Takes them from there again, in the same order. Throws Error if there are too few bytes.
class ImageReader {
 public:
  /// `bytes` must outlive it.
  explicit ImageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  requires image::has_fields<T>
  void read(T& value) { value.fields(*this); }
  template <class T>
  requires image::plain<T>
  void read(T& value) { std::memcpy(&value, take(1, sizeof(T)).data(), sizeof(T)); }
  template <class T, class Allocator>
  void read(std::vector<T, Allocator>& values) {
    const std::uint64_t count = read_count();
    values.clear();
    if constexpr (image::plain<T>) {
      const auto all = take(count, sizeof(T));
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), all.data(), all.size());
    } else {
      for (std::uint64_t i = 0; i < count; ++i)
        read(values.emplace_back());
    }
  }
  template <class Char>
  void read(std::basic_string<Char>& text) {
    const std::uint64_t count = read_count();
    const auto all = take(count, sizeof(Char));
    text.resize(count);
    if (count > 0) std::memcpy(text.data(), all.data(), all.size());
  }
  template <class First, class Second>
  requires(!image::plain<std::pair<First, Second>>) void read(std::pair<First, Second>& both) {
    (*this)(both.first, both.second);
  }
  template <class Key, class Value>
  void read(std::map<Key, Value>& values) {
    values.clear();
    for (std::uint64_t left = read_count(); left > 0; --left) {
      Key key{};
      read(key);
      read(values[key]);
    }
  }
  std::uint64_t read_count() {
    std::uint64_t count = 0;
    read(count);
    return count;
  }
  std::span<const std::byte> take(std::uint64_t count, std::size_t each) {
    if (count > bytes_.size() / each) throw_too_short();
    const auto taken = bytes_.first(count * each);
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  [[noreturn]] static void throw_too_short() {
    throw Error(
        "a state that was kept has too few bytes for this program: run the same build of it everywhere");
  }

  std::span<const std::byte> bytes_;
};

/// The bytes of a state, which stays as it is.
template <HasImage State>
Bytes image_of(State& state) {
  ImageWriter writer;
  writer(state);
  return writer.take();
}

/// Gives `state` the value whose bytes these are. Throws Error if they are not those of such a state.
template <HasImage State>
void restore(State& state, std::span<const std::byte> bytes) {
  ImageReader reader(bytes);
  reader(state);
  if (!reader.at_end())
    throw Error(
        "a state that was kept has more bytes than this program's: run the same build of it everywhere");
}

}  // namespace lbsp
