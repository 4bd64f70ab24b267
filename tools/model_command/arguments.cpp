#include "tools/model_command/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::model_command {
namespace {

using model::paper::Scheme;

constexpr std::array schemes{std::pair{"whole-round", Scheme::whole_round},
                             std::pair{"rounds", Scheme::rounds}, std::pair{"receiver", Scheme::receiver}};

std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, value);
  if (problem != std::errc{} || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> percentage(const std::string& text) try {
  return transport::parse_fraction(text);
} catch (const UsageError&) {
  return std::nullopt;  // for a message that names the option
}

[[noreturn]] void reject(const char* option, const std::string& text, const char* advice) {
  throw UsageError(fmt::format("{} {}: {}", option, text, advice));
}

/// What `parse` reads; what it refuses names the option.
template <class Parse>
auto named(const char* option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} {}", option, error.what()));
  }
}

double in_seconds(transport::Duration duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

}  // namespace

double read_loss(const std::string& text, const char* option) {
  constexpr auto advice = "give the fraction lost, such as 10%, 0.1 or 1e-6, at least 0 and less than 1";
  const auto plain = plain_number(text);
  const double loss = plain ? *plain : percentage(text).value_or(-1);
  if (!(loss >= 0 && loss < 1)) reject(option, text, advice);
  return loss;
}

int read_copies(const std::string& text, const char* option) {
  constexpr double most = 4096;
  const auto value = plain_number(text);
  if (!value || *value != std::floor(*value) || *value < 1 || *value > most)
    reject(option, text, "give a whole number from 1 to 4096");
  return static_cast<int>(*value);
}

double read_number(const std::string& text, const char* option, double least) {
  const auto value = plain_number(text);
  if (!value || *value < least)
    throw UsageError(
        fmt::format("{} {}: give a number of {} or more, such as {}", option, text, least, "1e6"));
  return *value;
}

double read_any_number(const std::string& text, const char* option) {
  const auto value = plain_number(text);
  if (!value) reject(option, text, "give a number, such as 0.5 or 2e6");
  return *value;
}

double read_positive(const std::string& text, const char* option) {
  const double value = read_any_number(text, option);
  if (!(value > 0)) reject(option, text, "give more than 0");
  return value;
}

double read_fraction(const std::string& text, const char* option) {
  const auto plain = plain_number(text);
  const double value = plain ? *plain : percentage(text).value_or(-1);
  if (!(value >= 0 && value <= 1)) reject(option, text, "give a fraction from 0 to 1, such as 85% or 0.85");
  return value;
}

double read_whole(const std::string& text, const char* option) {
  constexpr double most = 9007199254740992;  // 2^53
  const auto value = plain_number(text);
  if (value && *value > most) reject(option, text, "give a whole number of 9007199254740992 or less");
  if (!value || *value != std::floor(*value) || *value < 1)
    reject(option, text, "give a whole number of 1 or more");
  return *value;
}

double read_seconds(const std::string& text, const char* option) {
  return in_seconds(named(option, text, transport::parse_duration));
}

double read_plain_seconds(const std::string& text, const char* option) {
  const auto plain = plain_number(text);
  if (!plain) return read_seconds(text, option);
  if (*plain < 0) reject(option, text, "give 0 or more");
  return *plain;
}

double read_positive_seconds(const std::string& text, const char* option) {
  const double seconds = read_seconds(text, option);
  if (seconds <= 0) reject(option, text, "give more than 0");
  return seconds;
}

double read_bytes(const std::string& text, const char* option) {
  const auto bytes = named(option, text, transport::parse_size);
  if (bytes == 0) reject(option, text, "give more than 0");
  return static_cast<double>(bytes);
}

double read_bytes_per_second(const std::string& text, const char* option) {
  return named(option, text, transport::parse_rate).value;
}

Scheme read_scheme(const std::string& text, const char* option) {
  const auto found = std::ranges::find(schemes, text, [](const auto& scheme) { return scheme.first; });
  if (found == schemes.end()) reject(option, text, "use whole-round, rounds or receiver");
  return found->second;
}

model::paper::PacketsPerSuperstep read_packets_per_superstep(const std::string& text, const char* option) {
  for (const auto kind : model::paper::all_packets_per_superstep)
    if (model::paper::name_of(kind) == text) return kind;
  reject(option, text, "use 1, log2, log2sq, n, nlog2n or n2");
}

const char* name_of(Scheme scheme) {
  return std::ranges::find(schemes, scheme, [](const auto& each) { return each.second; })->first;
}

void add_json(command_line::CommandLine& line, std::string& file) {
  line.add("--json", file, "FILE", "write the same as JSON; - is standard output");
}

void refuse_missing(const char* option) {
  throw UsageError(fmt::format("{} is missing: give it, or see --help", option));
}

}  // namespace lbsp::model_command
