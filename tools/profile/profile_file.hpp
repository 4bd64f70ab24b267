#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tools/profile/profile.hpp"

namespace lbsp::profile {

/// A profile as JSON and back; docs/profile.md describes the format. What is written reads back as the very
/// same values.

std::string to_json(const Profile& profile);

/// Reads what to_json() or a person writes. Pairs of hosts may be missing, but not all. Throws UsageError,
/// one line that names `source` and the place in it ("net.json: pairs[3].loss is 1.5: …"), for whatever is
/// not JSON, of another version, of the wrong type, out of range, or not there.
Profile from_json(std::string_view text, const std::string& source);

/// Reads a file; throws UsageError also if it cannot be read.
Profile read_profile(const std::filesystem::path& path);

/// Writes a file whole or not at all; `-` is standard output. Throws UsageError for a profile that could not
/// be read back, and what AtomicFile throws.
void write_profile(const std::string& path, const Profile& profile);

}  // namespace lbsp::profile
