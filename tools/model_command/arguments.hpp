#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/paper/packets_per_superstep.hpp"
#include "model/paper/rounds.hpp"
#include "tools/command_line/command_line.hpp"

namespace lbsp::model_command {

/// The words that follow `lbsp model`'s subcommand.
using Words = std::vector<std::string>;

/// Each reads the text that was given for `option`, or throws UsageError that names it and says what to give.
double read_loss(const std::string& text, const char* option);
int read_copies(const std::string& text, const char* option);
/// A finite number of `least` or more, exponents allowed.
double read_number(const std::string& text, const char* option, double least);
/// A finite number, of either sign.
double read_any_number(const std::string& text, const char* option);
/// A finite number above 0.
double read_positive(const std::string& text, const char* option);
/// From 0 to 1, both included: 85% or 0.85.
double read_fraction(const std::string& text, const char* option);
/// A whole number of 1 or more, exponents allowed; below 2^53, as doubles count.
double read_whole(const std::string& text, const char* option);
double read_seconds(const std::string& text, const char* option);
/// The same, or a bare number of seconds such as 8e-9.
double read_plain_seconds(const std::string& text, const char* option);
double read_positive_seconds(const std::string& text, const char* option);
double read_bytes(const std::string& text, const char* option);
double read_bytes_per_second(const std::string& text, const char* option);
model::paper::Scheme read_scheme(const std::string& text, const char* option);
model::paper::PacketsPerSuperstep read_packets_per_superstep(const std::string& text, const char* option);
const char* name_of(model::paper::Scheme scheme);

/// Adds `option` to `line`; what is given for it is read by `read` into `value`.
template <class Target, class Read>
void add(command_line::CommandLine& line, const char* option, Target& value, Read read, const char* type,
         const char* help) {
  line.add(
      option, [&value, read, option](const std::string& text) { value = read(text, option); }, type, help);
}

/// Adds --json FILE, as answer() takes it.
void add_json(command_line::CommandLine& line, std::string& file);

/// Throws UsageError: nothing was given for `option`.
[[noreturn]] void refuse_missing(const char* option);

/// What was given for `option`; throws UsageError if nothing was.
template <class Value>
const Value& given(const std::optional<Value>& value, const char* option) {
  if (!value) refuse_missing(option);
  return *value;
}

}  // namespace lbsp::model_command
