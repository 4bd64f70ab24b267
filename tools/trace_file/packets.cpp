#include "tools/trace_file/packets.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/trace_file/trace.hpp"
#include "transport/options.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::trace_file {
namespace {

using nlohmann::json;

/// The place of a word in a list of them.
template <class Words>
std::optional<std::uint8_t> place_of(const json& word, const Words& words) {
  const auto* const text = word.get_ptr<const std::string*>();
  if (text == nullptr) return std::nullopt;
  const auto found = std::ranges::find(words, *text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - words.begin());
}

std::optional<double> number_within(const json& in, double least, double most) {
  if (!in.is_number()) return std::nullopt;
  const double value = in.get<double>();
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> whole_number(const json& in, std::uint64_t most) {
  if (!in.is_number_unsigned() || in.get<std::uint64_t>() > most) return std::nullopt;
  return in.get<std::uint64_t>();
}

/// Also of a datagram that never was: a number is that of one of 2^53 at most.
constexpr std::uint64_t most_packets = std::uint64_t{1} << 53;

bool read_measured(const json& in, PacketEvent& out) {
  if (in.size() != 7) return false;
  const auto round_trip = number_within(in[3], 0, most_seconds);
  const auto least = number_within(in[4], 0, most_seconds);
  const auto rate = number_within(in[5], 0, most_rate);
  const auto loss = number_within(in[6], 0, 1);
  if (!round_trip || !least || !rate || !loss) return false;
  out.round_trip = *round_trip;
  out.least = *least;
  out.rate = *rate;
  out.loss = *loss;
  return true;
}

bool read_datagram(const json& in, PacketEvent& out) {
  const bool lost = out.what == PacketWhat::lost;
  const bool received = out.what == PacketWhat::received;
  if (in.size() < (lost ? 4U : 6U) || in.size() > (lost ? 4U : received ? 7U : 6U)) return false;
  const auto number = whole_number(in[3], most_packets);
  if (!number) return false;
  out.number = *number;
  if (lost) return true;
  const auto kind = place_of(in[4], packet_kinds);
  const auto bytes = whole_number(in[5], transport::max_datagram_bytes);
  if (!kind || !bytes) return false;
  out.kind = *kind;
  out.bytes = static_cast<std::uint32_t>(*bytes);
  if (in.size() == 7) out.acknowledges = whole_number(in[6], most_packets);
  return in.size() < 7 || out.acknowledges;
}

}  // namespace

std::optional<PacketEvent> packet_event_in(const json& event) {
  if (!event.is_array() || event.size() < 4) return std::nullopt;
  const auto what = place_of(event[0], packet_whats);
  const auto at = number_within(event[1], -most_seconds, most_seconds);
  const auto peer = whole_number(event[2], transport::max_ranks - 1);
  if (!what || !at || !peer) return std::nullopt;
  PacketEvent out{.what = PacketWhat{*what}, .peer = static_cast<Rank>(*peer), .at = *at, .acknowledges = {}};
  const bool whole = out.what == PacketWhat::measured ? read_measured(event, out) : read_datagram(event, out);
  return whole ? std::optional(out) : std::nullopt;
}

}  // namespace lbsp::trace_file
