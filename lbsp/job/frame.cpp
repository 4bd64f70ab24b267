#include "lbsp/job/frame.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::job {
namespace {

constexpr std::size_t header_bytes = 7;

constexpr FrameKind all_kinds[] = {
    FrameKind::spawn,      FrameKind::signal,      FrameKind::input,   FrameKind::window,
    FrameKind::welcome,    FrameKind::start,       FrameKind::hello,   FrameKind::progress,
    FrameKind::steps,      FrameKind::report,      FrameKind::failure, FrameKind::size,
    FrameKind::host_ready, FrameKind::host_alive,  FrameKind::output,  FrameKind::error_output,
    FrameKind::exited,     FrameKind::input_taken, FrameKind::account, FrameKind::interim,
    FrameKind::look,       FrameKind::seen,        FrameKind::packets, FrameKind::changed,
    FrameKind::missed,     FrameKind::begun,       FrameKind::kill,    FrameKind::resumed,
    FrameKind::grows,      FrameKind::left,        FrameKind::lost,    FrameKind::crashed,
    FrameKind::departed};

bool is_kind(unsigned value) {
  return std::ranges::find(all_kinds, static_cast<FrameKind>(value)) != std::end(all_kinds);
}

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

std::uint32_t get(std::string_view in, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(in[at + static_cast<std::size_t>(i)])} << (8 * i);
  }
  return value;
}

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end) {
    throw Error(
        fmt::format("a control message has \"{}\" where a number should be: use the same lbsp everywhere",
                    printable(text, 40)));
  }
  return number;
}

}  // namespace

Way way_of(FrameKind kind) {
  constexpr unsigned kinds_of_a_way = 16;
  return static_cast<Way>(static_cast<unsigned>(kind) / kinds_of_a_way);
}

void throw_out_of_turn() {
  throw Error("it speaks out of turn: use the same lbsp everywhere");
}

std::string encode(const Frame& frame) {
  if (frame.payload.size() > max_frame_payload) {
    throw Error(fmt::format("a control message of {} bytes: at most {} can be sent", frame.payload.size(),
                            max_frame_payload));
  }
  std::string bytes;
  bytes.reserve(header_bytes + frame.payload.size());
  put(bytes, static_cast<std::uint32_t>(frame.payload.size()), 4);
  put(bytes, static_cast<std::uint32_t>(frame.kind), 1);
  put(bytes, frame.rank, 2);
  bytes += frame.payload;
  return bytes;
}

std::uint64_t number_in(const Frame& frame) {
  return number_of<std::uint64_t>(frame.payload);
}

std::string ranks_to_payload(const std::vector<int>& ranks) {
  return fmt::format("{}", fmt::join(ranks, " "));
}

std::vector<int> ranks_in(const Frame& frame) {
  std::vector<int> ranks;
  for (std::string_view rest = frame.payload; !rest.empty();) {
    const std::size_t length = std::min(rest.find(' '), rest.size());
    ranks.push_back(number_of<std::uint16_t>(rest.substr(0, length)));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return ranks;
}

/// Without leaving a copy behind where the buffer was before it grew.
void FrameReader::add(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_.capacity()) {
    std::string larger;
    larger.reserve(std::max(2 * buffer_.capacity(), buffer_.size() + bytes.size()));
    larger = buffer_;
    transport::wipe(buffer_);
    buffer_.swap(larger);
  }
  buffer_.append(bytes);
}

void FrameReader::forget_taken() {
  if (taken_ == 0) return;
  const auto rest =
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(taken_), buffer_.end(), buffer_.begin());
  transport::wipe({rest, buffer_.end()});
  buffer_.erase(rest, buffer_.end());
  taken_ = 0;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(taken_);
  // The bytes already handed out go once the frames of a whole read are taken, not at every frame.
  if (rest.size() < header_bytes) {
    forget_taken();
    return std::nullopt;
  }
  const std::size_t length = get(rest, 0, 4);
  const std::uint32_t kind = get(rest, 4, 1);
  if (length > max_frame_payload || !is_kind(kind)) {
    throw Error("the control connection carries what is not lbsp's protocol: use the same lbsp on both ends");
  }
  if (rest.size() < header_bytes + length) {
    forget_taken();
    return std::nullopt;
  }
  Frame frame{static_cast<FrameKind>(kind), static_cast<std::uint16_t>(get(rest, 5, 2)),
              std::string(rest.substr(header_bytes, length))};
  taken_ += header_bytes + length;
  if (at_boundary()) forget_taken();
  return frame;
}

}  // namespace lbsp::job
