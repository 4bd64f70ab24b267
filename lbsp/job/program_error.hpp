#pragma once

#include <exception>
#include <string>

namespace lbsp::job {

/// What to tell the user of an exception that left a program: one line.
std::string describe(const std::exception_ptr& thrown);

}  // namespace lbsp::job
