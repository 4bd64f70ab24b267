#pragma once

#include <optional>
#include <string>

#include "transport/options.hpp"

namespace lbsp::launch {

/// What `--copies` and `--redundancy` say together:
///
///     neither, or auto for either      planned from what is measured, copies or coded segments
///     --copies K                       always K copies; also with --redundancy copies
///     --redundancy copies | coded      planned, but of this kind
///     --redundancy none                always 1
///
/// Throws UsageError for a word that is none of these, for numbers outside 1 … 16, and for two that
/// contradict each other.
void set_redundancy(transport::ExchangeOptions& options, const std::optional<std::string>& copies,
                    const std::optional<std::string>& redundancy);

/// auto, fixed, copies or coded, as reports call it.
const char* name_of(transport::Redundancy redundancy);

}  // namespace lbsp::launch
