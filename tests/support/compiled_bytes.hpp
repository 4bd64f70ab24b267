#pragma once

#include "transport/bytes.hpp"

// Compiled once, optimised (compiled_bytes.cpp): where tests' own code is optimised but little, a buffer that is
// made or freed would cost a call for every byte, a third of the time of a long simulation.
extern template class std::vector<std::byte, lbsp::UninitializedAllocator<std::byte>>;
extern template bool std::operator==(const lbsp::Bytes&, const lbsp::Bytes&);
