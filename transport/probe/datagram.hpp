#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/probe/schedule.hpp"
#include "transport/probe/train.hpp"
#include "transport/wire/byte_order.hpp"

/// What travels between the two ends of a measurement; all integers unsigned and little-endian.
///
///     clear header, 16 bytes, authenticated but readable (a job's datagrams have another version)
///        0  u8   version (high 4 bits), kind (low 4 bits)
///        1  u8   0
///        2  u32  session, from the client's nonce
///        6  u16  tag of the key: drops others' datagrams before any cryptography
///        8  u64  packet number: from 0 in each direction of a session, never twice; the nonce of the seal
///
///     HELLO      client: 24 nonce of the seal · sealed: 16 client's nonce · u8 1: has AES · padding to 256
///     CHALLENGE  responder: 24 nonce of the seal · sealed: 16 client's nonce · 16 responder's nonce ·
///                u8 1: busy · u8 cipher
///     START      client: 16 client's nonce · sealed under the session's key: u32 attempt
///     COMMAND    client: u32 number · u32 attempt · u8 type · what the type needs
///     RESPONSE   responder: u32 number · u32 attempt · u8 status · what was asked for
///     PROBE      u8 0 loss, 1 train · u8 0 · u16 step · u32 place in the step · u64 sender's clock, ns ·
///                u32 1 + place of a datagram that is answered, 0: none · u32 since its arrival, in 100 ns ·
///                padding. 24 bytes, so that with header and tag 56 are the least a probe can have.
namespace lbsp::transport::probe {

inline constexpr std::uint8_t probe_version = 1;
inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t seal_bytes = 16;
inline constexpr std::size_t hello_bytes = 256;
inline constexpr std::size_t least_packet = 64;
inline constexpr std::size_t most_packet = 65'507;
/// Commands and responses stay within what every path takes.
inline constexpr std::size_t most_message = 1'200;
inline constexpr std::size_t most_sizes = 16;
inline constexpr std::uint32_t most_departures = 1u << 20;

enum class Kind : std::uint8_t {
  hello = 8,
  challenge = 9,
  start = 10,
  command = 11,
  response = 12,
  probe = 13
};

struct Header {
  Kind kind = Kind::hello;
  std::uint32_t session = 0;
  std::uint16_t tag = 0;
  std::uint64_t number = 0;
};

void write(transport::WireWriter& out, const Header& header);
/// Nothing for whatever is no header of this version.
std::optional<Header> read_header(std::span<const std::byte> datagram);

struct Probe {
  bool train = false;
  std::uint16_t step = 0;
  std::uint32_t index = 0;
  transport::Duration sent{0};
  std::uint32_t echo = 0;  ///< 1 + index; 0: none
  transport::Duration hold{0};
};

void write(transport::WireWriter& out, const Probe& probe);
std::optional<Probe> read_probe(transport::WireReader& in);

enum class CommandType : std::uint8_t { loss = 1, train = 2, collect = 3, compute = 4, bye = 5, sizes = 6 };
enum class Status : std::uint8_t { ok = 0, not_yet = 1, refused = 2 };

void write(transport::WireWriter& out, const SizePlan& plan);
void write(transport::WireWriter& out, const TrainPlan& plan);
void write(transport::WireWriter& out, const LossSummary& summary);
void write(transport::WireWriter& out, const TrainSent& sent);
void write(transport::WireWriter& out, const TrainSeen& seen);
void write(transport::WireWriter& out, double value);

/// Reading past the end gives zeros and makes the reader's ok() false.
SizePlan read_size_plan(transport::WireReader& in);
TrainPlan read_train_plan(transport::WireReader& in);
LossSummary read_loss_summary(transport::WireReader& in);
TrainSent read_train_sent(transport::WireReader& in);
TrainSeen read_train_seen(transport::WireReader& in);
double read_double(transport::WireReader& in);

/// Whether an end does that for the other: within the limits above, at most `longest` long.
bool acceptable(const std::vector<SizePlan>& sizes, int rounds, transport::BytesPerSecond most);
bool acceptable(const TrainPlan& plan, transport::BytesPerSecond most);
/// The same of sizes that take turns.
bool acceptable_turns(const std::vector<SizePlan>& sizes, transport::BytesPerSecond most);

}  // namespace lbsp::transport::probe
