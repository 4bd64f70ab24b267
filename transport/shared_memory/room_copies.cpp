#include "transport/shared_memory/room_copies.hpp"

#include <algorithm>
#include <cstring>

#include "transport/process/address.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lbsp::transport::shared_memory {

CopyChoice::Way CopyChoice::next() {
  const int unmeasured = past_cache_ ? between_trials_ : measured_every;
  if (agree_ > 0 || ++copies_ >= unmeasured) {
    copies_ = 0;
    return Way::cached_and_measured;
  }
  return past_cache_ ? Way::past_cache : Way::cached;
}

void CopyChoice::took(std::size_t bytes, Duration time) {
  const bool slow = time > slow_byte * static_cast<double>(bytes);
  if (slow == past_cache_) {
    agree_ = 0;
    if (past_cache_) between_trials_ = std::min(most_between_trials, 2 * between_trials_);
  } else if (++agree_ == agreeing) {
    past_cache_ = slow;
    agree_ = 0;
    between_trials_ = fewest_between_trials;
  }
}

#if defined(__SSE2__)

void copy_past_cache(std::byte* to, std::span<const std::byte> from) {
  constexpr std::size_t line = 64;
  const std::size_t before = std::min<std::size_t>((line - address_of(to) % line) % line, from.size());
  if (before > 0) std::memcpy(to, from.data(), before);
  const std::size_t lines = (from.size() - before) / line;
  const std::byte* source = from.data() + before;
  auto* place = reinterpret_cast<__m128i*>(to + before);
  for (std::size_t i = 0; i < lines; ++i, source += line, place += 4) {
    const auto part = [source](int index) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + index);
    };
    // All of a line in a row, so that it leaves as one.
    _mm_stream_si128(place, part(0));
    _mm_stream_si128(place + 1, part(1));
    _mm_stream_si128(place + 2, part(2));
    _mm_stream_si128(place + 3, part(3));
  }
  const std::size_t left = from.size() - before - lines * line;
  if (left > 0) std::memcpy(to + before + lines * line, source, left);
  _mm_sfence();
}

#else

void copy_past_cache(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

#endif

void RoomCopies::copy(std::byte* to, std::span<const std::byte> from) {
  using Clock = std::chrono::steady_clock;
  switch (choice_.next()) {
    case CopyChoice::Way::cached:
      std::memcpy(to, from.data(), from.size());
      return;
    case CopyChoice::Way::past_cache:
      return copy_past_cache(to, from);
    case CopyChoice::Way::cached_and_measured: {
      const auto began = Clock::now();
      std::memcpy(to, from.data(), from.size());
      choice_.took(from.size(), Clock::now() - began);
      return;
    }
  }
}

}  // namespace lbsp::transport::shared_memory
