#include "transport/impairment/wan_spec.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/options.hpp"
#include "transport/quantity.hpp"

namespace lbsp::transport {
namespace {

double parse_burst(std::string_view text) {
  double value = 0;
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::general);
  if (error != std::errc{} || end != last || !(value >= 1) || !std::isfinite(value)) {
    throw UsageError(
        fmt::format("'{}' is not a mean run of losses: write a number of at least 1, such as 4", text));
  }
  return value;
}

// Longer ones are mistakes, and could overflow the clock.
Duration parse_delay(std::string_view text) {
  const auto delay = parse_duration(text);
  if (delay > std::chrono::hours{1}) {
    throw UsageError(fmt::format("'{}' is longer than 1h: write a time such as 70ms", text));
  }
  return delay;
}

// The shortest that carries what lbsp's shortest segments make, and the longest that IPv4 has.
std::size_t parse_mtu(std::string_view text) {
  constexpr std::size_t least = min_datagram_bytes + packet_header_bytes;
  const auto bytes = parse_size(text);
  if (bytes < least || bytes > 65535) {
    throw UsageError(
        fmt::format("'{}' is not the length of a packet that a job can use: write {} to 65535, such as 1280",
                    text, least));
  }
  return bytes;
}

struct Key {
  std::string_view name;
  void (*read)(WanSpec&, std::string_view);
  std::string (*write)(const WanSpec&);
};

constexpr std::array<Key, 13> keys{{
    {"loss", [](WanSpec& spec, std::string_view text) { spec.loss = parse_fraction(text); },
     [](const WanSpec& spec) { return format_fraction(spec.loss); }},
    {"rtt", [](WanSpec& spec, std::string_view text) { spec.round_trip_time = parse_delay(text); },
     [](const WanSpec& spec) { return format_duration(spec.round_trip_time); }},
    {"rate", [](WanSpec& spec, std::string_view text) { spec.rate = parse_rate(text); },
     [](const WanSpec& spec) { return spec.rate ? format_rate(*spec.rate) : std::string{}; }},
    {"jitter", [](WanSpec& spec, std::string_view text) { spec.jitter = parse_delay(text); },
     [](const WanSpec& spec) { return format_duration(spec.jitter); }},
    {"burst", [](WanSpec& spec, std::string_view text) { spec.burst = parse_burst(text); },
     [](const WanSpec& spec) { return fmt::format("{}", spec.burst); }},
    {"reorder", [](WanSpec& spec, std::string_view text) { spec.reorder = parse_fraction(text); },
     [](const WanSpec& spec) { return format_fraction(spec.reorder); }},
    {"overtake", [](WanSpec& spec, std::string_view text) { spec.overtake = parse_fraction(text); },
     [](const WanSpec& spec) { return format_fraction(spec.overtake); }},
    {"duplicate", [](WanSpec& spec, std::string_view text) { spec.duplicate = parse_fraction(text); },
     [](const WanSpec& spec) { return format_fraction(spec.duplicate); }},
    {"corrupt", [](WanSpec& spec, std::string_view text) { spec.corrupt = parse_fraction(text); },
     [](const WanSpec& spec) { return format_fraction(spec.corrupt); }},
    {"queue", [](WanSpec& spec, std::string_view text) { spec.queue_bytes = parse_size(text); },
     [](const WanSpec& spec) { return format_size(spec.queue_bytes); }},
    {"down", [](WanSpec& spec, std::string_view text) { spec.downlink = parse_rate(text); },
     [](const WanSpec& spec) { return spec.downlink ? format_rate(*spec.downlink) : std::string{}; }},
    {"mtu", [](WanSpec& spec, std::string_view text) { spec.mtu_bytes = parse_mtu(text); },
     [](const WanSpec& spec) { return spec.mtu_bytes ? fmt::format("{}", *spec.mtu_bytes) : std::string{}; }},
    {"ecn", [](WanSpec& spec, std::string_view text) { spec.ecn_bytes = parse_size(text); },
     [](const WanSpec& spec) { return spec.ecn_bytes ? format_size(*spec.ecn_bytes) : std::string{}; }},
}};

constexpr auto example = "write such as loss=10%,rtt=70ms,rate=100Mbit";

std::size_t key_index(std::string_view name, bool downlinks) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  if (found == keys.end()) {
    throw UsageError(
        fmt::format("'{}' is not a property of a WAN: use loss, rtt, rate, jitter, burst, reorder, overtake, "
                    "duplicate, corrupt, queue, {}mtu or ecn, such as loss=10%,rtt=70ms",
                    name, downlinks ? "down, " : ""));
  }
  return static_cast<std::size_t>(found - keys.begin());
}

/// Where no downlinks can be had, the property is not offered.
WanSpec read_wan_spec(std::string_view text, const WanSpec& rest_of_spec, bool downlinks) {
  WanSpec spec = rest_of_spec;
  std::bitset<keys.size()> given;
  for (auto rest = text;;) {
    const auto comma = rest.find(',');
    const auto part = rest.substr(0, comma);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError(fmt::format("'{}' in the WAN '{}' is not key=value: {}", part, text, example));
    }
    const auto index = key_index(part.substr(0, equals), downlinks);
    if (given.test(index)) {
      throw UsageError(
          fmt::format("'{}' stands twice in the WAN '{}': give it once", keys[index].name, text));
    }
    given.set(index);
    try {
      keys[index].read(spec, part.substr(equals + 1));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("WAN {}={}", keys[index].name, error.what()));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return spec;
}

}  // namespace

WanSpec parse_wan_spec(std::string_view text, const WanSpec& rest) {
  return read_wan_spec(text, rest, true);
}

WanSpec parse_pretended_wan_spec(std::string_view text) {
  const WanSpec spec = read_wan_spec(text, {}, false);
  if (spec.downlink) {
    throw UsageError(
        "WAN down=: all who send to a host share its downlink, which only a bed can have: use lbsp wan up");
  }
  // Of one sender there is no other queue than that of its rate.
  const std::string_view idle = spec.ecn_bytes                              ? "ecn"
                                : spec.queue_bytes != WanSpec{}.queue_bytes ? "queue"
                                                                            : "";
  if (!spec.rate && !idle.empty())
    throw UsageError(fmt::format(
        "WAN {}=: without a rate nothing waits in a queue: give rate= too, such as rate=100Mbit", idle));
  return spec;
}

std::string to_string(const WanSpec& spec) {
  std::string text;
  const WanSpec plain;
  for (const auto& key : keys) {
    const auto value = key.write(spec);
    if (value == key.write(plain)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key.name, value);
  }
  return text.empty() ? "loss=0%" : text;
}

}  // namespace lbsp::transport
