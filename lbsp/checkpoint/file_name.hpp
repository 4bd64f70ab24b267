#pragma once

#include <string>

#include "lbsp/checkpoint/folder.hpp"

namespace lbsp::checkpoint {

/// In a Folder, of the state that this rank has saved there.
std::string file_name_of(const Place& place, Rank rank);

}  // namespace lbsp::checkpoint
