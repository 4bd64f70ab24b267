#pragma once

#include <string>
#include <string_view>

#include "transport/wire/sealing.hpp"

namespace lbsp::job {

/// A job's key as text, two hexadecimal digits for each byte. It goes to the end of `text`, which has room for it:
/// growing would leave a copy of the key behind.
void append_hex(const transport::JobKey& key, std::string& text);

/// Throws Error if it is not the text of a key.
transport::JobKey key_from_hex(std::string_view text);

}  // namespace lbsp::job
