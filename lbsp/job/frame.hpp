#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/wire/secret_bytes.hpp"

namespace lbsp::job {

/// What travels on a job's control connections: between the launcher and the agents on other hosts, and
/// between either and the ranks it started. The payloads are in messages.hpp unless a line here says more.
/// Sixteen numbers each are for one Way.
enum class FrameKind : std::uint8_t {
  // from the launcher to a host
  spawn = 1,   ///< start a process
  signal = 2,  ///< one byte, a signal's number: pass it to every process of the host
  input = 3,   ///< bytes for the rank's standard input; none: its end
  window = 4,  ///< the user's terminal has another size
  kill = 5,    ///< empty: end that process at once
  // from the launcher to a rank
  welcome = 16,
  start = 17,
  account = 18,  ///< empty: the job is being ended; say by an interim frame what has been done
  look = 19,     ///< empty: somebody watches; say by a seen frame how far you are
  lost = 20,     ///< a LossNotice, if the job goes on without ranks that are lost
  departed =
      21,  ///< ranks that have left in good order, in digits with blanks between: to one that waits for them
  // from a rank to the launcher
  hello = 32,
  progress = 33,
  steps = 34,
  report = 35,
  failure = 36,
  size = 37,  ///< from rank 0, after a hello that said so: how many ranks the job is to be, in decimal digits
  interim = 38,  ///< a report of what has been done so far, of a rank that has not come to its end
  seen = 39,     ///< the same without supersteps before it, for somebody who watches
  packets = 40,  ///< before its report: what a trace has of its datagrams, a part of them
  changed = 41,  ///< its job goes on after ranks were lost
  missed = 42,   ///< it has not heard from some ranks for the peer timeout
  begun = 43,    ///< empty: an SPMD part of a program of bsp.h; a report follows when that has ended
  resumed = 44,  ///< a Resumed
  grows = 45,    ///< empty: its program can go on with more ranks
  left = 46,     ///< a LeftWorld, after the changed frame of the world that follows
  crashed = 47,  ///< empty: its thread is the one for whose fault the process now dies
  // from a host to the launcher
  host_ready = 48,  ///< protocol_version in decimal digits; an agent's first frame
  host_alive =
      49,  ///< shows the launcher, and the network, that the host is there; the first ranks of its processes
           ///< that are stopped, in decimal digits with blanks between them
  output = 50,        ///< what the rank wrote on standard output: whole lines, or part of one after a pause
  error_output = 51,  ///< likewise on standard error
  exited = 52,
  input_taken = 53,  ///< how many more bytes of its input the rank's pipe has taken, in decimal digits
};

/// From whom to whom frames of a kind go. Whoever reads a connection takes no others from it.
enum class Way : std::uint8_t { to_host, to_rank, of_rank, of_host };
Way way_of(FrameKind kind);

/// Throws Error: the other end has sent what it may not send, or not yet, or not any more.
[[noreturn]] void throw_out_of_turn();

/// Both ends must have the same.
inline constexpr int protocol_version = 33;

inline constexpr std::size_t max_frame_payload = std::size_t{16} << 20;

/// `rank` says which rank it is of or for. On a rank's own connection it counts within the process (0, unless
/// the process holds several ranks as threads); the host adds the process's first rank on the way up.
/// A welcome's payload has the job's key in it, and is cleared with its frame.
struct Frame {
  FrameKind kind = FrameKind::host_alive;
  std::uint16_t rank = 0;
  std::string payload;

  Frame() = default;
  Frame(FrameKind of, std::uint16_t from_or_to, std::string with)
      : kind(of), rank(from_or_to), payload(std::move(with)) {}
  Frame(const Frame&) = default;
  Frame(Frame&&) = default;
  Frame& operator=(const Frame&) = default;
  Frame& operator=(Frame&&) = default;
  ~Frame() {
    if (kind == FrameKind::welcome) transport::wipe(payload);
  }

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// The number that a frame has as its payload, in decimal digits. Throws Error if it has anything else.
std::uint64_t number_in(const Frame& frame);

/// Any number of them, with a blank between two.
std::string ranks_to_payload(const std::vector<int>& ranks);
/// Throws Error if the payload is anything else.
std::vector<int> ranks_in(const Frame& frame);

/// u32 length of the payload, u8 kind, u16 rank, payload; little-endian. Throws Error if the payload is
/// longer than max_frame_payload.
std::string encode(const Frame& frame);

/// Puts frames together from whatever pieces a stream delivers. Clears what it has handed out when there is
/// no further frame.
class FrameReader {
 public:
  FrameReader() = default;
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;
  ~FrameReader() { transport::wipe(buffer_); }

  void add(std::string_view bytes);

  /// The next whole frame, if there is one. Throws Error if what comes next is no frame.
  std::optional<Frame> next();

  /// Whether the stream stands between two frames.
  bool at_boundary() const { return taken_ == buffer_.size(); }

 private:
  void forget_taken();

  std::string buffer_;
  std::size_t taken_ = 0;
};

}  // namespace lbsp::job
