#pragma once

namespace lbsp::command_line {

/// The "version" in every answer in JSON that is an object. It grows when a key goes or means something else; new keys
/// may come at any time.
inline constexpr int answer_version = 1;

}  // namespace lbsp::command_line
