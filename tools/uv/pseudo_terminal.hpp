#pragma once

#include <cstdint>

#include "tools/uv/descriptors.hpp"

namespace lbsp::uv {

struct WindowSize {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
};

/// What the controlling end writes for the end of the input (c_cc[VEOF]).
inline constexpr char end_of_input = '\x04';

/// A terminal for a child of a process that has the user's own. The user's does what a person sees and does:
/// it edits lines, echoes them, and makes signals of ^C and ^Z. So this one does none of that: lines go
/// through both ways as they are, and end_of_input ends a read. It is nobody's controlling terminal.
/// Throws SystemError if the system has none left.
DescriptorPair terminal_to_child(const WindowSize& size);

/// To the controlling end. Sends no signal.
void set_window_size(int descriptor, const WindowSize& size);

/// Of the terminal that the descriptor is; nothing but zeros if it does not say, or is none.
WindowSize window_size(int descriptor);

}  // namespace lbsp::uv
