#pragma once

#include <map>
#include <string>

namespace lbsp {

/// Figures that a program has noted for the report: by group, then by name.
using Notes = std::map<std::string, std::map<std::string, double>>;

}  // namespace lbsp
