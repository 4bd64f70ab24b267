#pragma once

#include <atomic>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport::shared_memory {

/// Sleeps until wake() is called, at most `longest`; not at all if the word is not `expected`. It may return early. The
/// word may be in memory that several processes share.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, Duration longest) noexcept;

/// Wakes all that sleep on the word.
void wake(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace lbsp::transport::shared_memory
