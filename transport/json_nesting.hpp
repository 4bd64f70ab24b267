#pragma once

#include <string_view>

namespace lbsp {

/// Whether this text of JSON opens more than so many lists and objects in each other. Looks no further than the first
/// bracket that is one too many, and takes no memory, where brackets alone would take a parser minutes and gigabytes,
/// and a copy of what it makes of them all of the stack. Of a text that is no JSON it may say either.
bool nests_deeper_than(int most, std::string_view json);

}  // namespace lbsp
