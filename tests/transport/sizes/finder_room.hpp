#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/transport/room_state.hpp"
#include "transport/paths/datagram_sizes.hpp"
#include "transport/sizes/size_finder.hpp"

namespace lbsp::transport::testing {

inline constexpr std::size_t size_answer_bytes = clear_header_bytes + size_header_bytes + tag_bytes;

/// Receiver and length.
using AskedSizes = std::vector<std::pair<Rank, std::size_t>>;

/// A SizeFinder, and what its peers and its system say to it.
template <class Resident>
struct FinderRoom : RoomState<Resident> {
  static constexpr std::size_t ceiling = 9000;

  static EndpointConfig config(double megabits, Rank size = 3) {
    EndpointConfig made =
        config_of(size, std::is_same_v<Resident, PaperRounds> ? Recovery::rounds : Recovery::receiver);
    made.options.datagram_bytes = ceiling;
    made.options.find_datagram = true;
    made.options.rate = megabits_per_second(megabits);
    return made;
  }
  explicit FinderRoom(double megabits = 1000, Rank size = 3) : RoomState<Resident>(config(megabits, size)) {}
  using RoomState<Resident>::state, RoomState<Resident>::other;

  AskedSizes sent(bool urgent, Instant now = start) {
    AskedSizes list;
    Bytes buffer(ceiling);
    while (const auto written = urgent ? finder.next_urgent(buffer, now) : finder.next_idle(buffer, now))
      list.emplace_back(written->to, written->bytes);
    return list;
  }
  std::size_t longest_asked(Instant now = start) {
    finder.leg_begun(now);
    std::size_t longest = 0;
    for (const auto& [to, bytes] : sent(false, now))
      longest = std::max(longest, bytes);
    return longest;
  }
  bool ask(Rank from, std::uint16_t bytes, std::size_t arrived) {
    return finder.take(state.peers[from], {{}, false, bytes}, arrived, start);
  }
  bool answer(std::size_t bytes, Instant now = start) {
    return finder.take(other, {{}, true, static_cast<std::uint16_t>(bytes)}, size_header_bytes, now);
  }
  /// A short datagram arrives after so many long ones that did not.
  void lose_long(int count) {
    for (int i = 0; i < count; ++i)
      other.path.narrow.sent(packet_++, base_datagram_bytes);
    other.path.narrow.sent(packet_, 100);
    other.echoed.newest = PathEstimate::Sent{packet_++, start, 1, 100};
    finder.told(other, start);
  }

  SizeFinder finder{state, this->writer, *this->recovery};

 private:
  std::uint64_t packet_ = 0;
};

}  // namespace lbsp::transport::testing
