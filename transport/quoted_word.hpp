#pragma once

#include <string>

namespace lbsp {

/// The word such that a shell reads it as `text`: commands that messages advise can then be typed as they stand.
std::string quote_word(const std::string& text);

}  // namespace lbsp
