#pragma once

#include <memory>
#include <string>

#include "mesh.hpp"

namespace lbsp::benchmark {

/// What make_mesh() takes in this build, a word for each: `tcp-CONGESTION`, and `udt` and `srt` where there
/// were their libraries. `udt-RATE` and `srt-RATE`, such as `udt-100Mbit`, send no faster from one host: each
/// connection has its share of the rate as its ceiling.
std::string carriers();

/// Connects all ranks over that carrier. Throws UsageError if this build has none of that name, SystemError
/// if the network refuses, also after 60 s without all of the ranks.
std::unique_ptr<Mesh> make_mesh(const std::string& carrier, const Place& place);

}  // namespace lbsp::benchmark
