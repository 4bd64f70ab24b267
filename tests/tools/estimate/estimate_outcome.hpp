#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// lbsp estimate of a file that has this text.
Outcome estimate(const TemporaryFolder& folder, const std::string& file,
                 std::vector<std::string> options = {});

/// Its answer as JSON.
nlohmann::json answer(const std::string& file, std::vector<std::string> options = {});

/// Expects that it refuses the file in one line that has `said`.
void expect_refused(const std::string& file, const std::string& said,
                    const std::vector<std::string>& options = {});

}  // namespace lbsp::test
