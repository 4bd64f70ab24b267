#pragma once

#include <exception>
#include <string>

#include "transport/units.hpp"

namespace lbsp::job {

/// What to tell the user of an exception that left a program: one line, as printable() makes it, since a text
/// without bound or with a terminal's commands in it must not reach other ranks or the user.
std::string describe(const std::exception_ptr& thrown);

/// What a rank has told of its failure, behind the rank and its host: "on rank N" would say the rank twice.
std::string failure_of(Rank rank, const std::string& host, std::string told);

}  // namespace lbsp::job
