#pragma once

#include <string>

#include "tools/tune/other_models.hpp"
#include "tools/tune/tune.hpp"

namespace lbsp::tune {

/// What the command that follows the advice says besides it.
struct RunWords {
  std::string profile;  ///< empty: none
  std::string program;  ///< with its arguments
};

/// The options of `lbsp run` that protect messages as the setting says.
std::string protection_words(const model::tuning::Setting& setting);

/// Writes the advice as one screen of text, and as JSON (docs/tuning.md lists the keys), each to where
/// `json_file` says; see model_command::answer().
void answer(const Advice& advice, const std::string& algorithm, const RunWords& run,
            const std::string& json_file);

/// The same of a model that advises the number of nodes alone. What it does not know is null in the JSON.
void answer(Model model, const OtherAdvice& advice, const RunWords& run, const std::string& json_file);

}  // namespace lbsp::tune
