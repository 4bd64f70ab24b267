#pragma once

#include <optional>
#include <string>

#include "transport/options.hpp"

namespace lbsp::launch::request {

/// The words after these options, as they were given.
struct RedundancyWords {
  std::optional<std::string> copies;
  std::optional<std::string> redundancy;
  std::optional<std::string> repair;
  std::optional<std::string> tail;
};

/// What these options say together:
///
///     none, or auto for --copies or --redundancy    planned from what is measured, copies or coded segments
///     --copies K[,L]                always K copies; L of messages of several segments; also with
///                                   --redundancy copies
///     --repair R                    always R coded segments after each block of messages of several segments,
///                                   and --copies K, or 1, of the others; also with --redundancy coded
///     --tail N                      with a number of either: of messages of several segments only the last N
///                                   are protected
///     --redundancy copies | coded   planned, but of this kind
///     --redundancy none             always 1
///
/// Throws UsageError for a word that is none of these, for numbers outside their range, and for words that
/// contradict each other.
void set_redundancy(transport::ExchangeOptions& options, const RedundancyWords& words);

/// auto, fixed, copies or coded, as reports call it.
const char* name_of(transport::Redundancy redundancy);

}  // namespace lbsp::launch::request
