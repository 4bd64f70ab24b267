#pragma once

#include <filesystem>
#include <string>

namespace lbsp::programs {

/// How many bytes of memory the control groups of a process leave it, those of a container or of a batch job among
/// them: each has a limit, less what its processes use, where files that can be read again do not count. Infinite
/// without any. `groups`: /proc/self/cgroup; `mounted`: where the system shows them (cgroups(7), of both versions).
double memory_left_by_groups(const std::string& groups, const std::filesystem::path& mounted);

}  // namespace lbsp::programs
