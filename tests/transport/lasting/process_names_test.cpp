#include "transport/lasting/process_names.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace lbsp::transport {
namespace {

using Datagram = std::array<std::byte, 64>;

Datagram from_to(Rank source, Rank destination) {
  Datagram datagram{};
  WireWriter out(datagram);
  write(out, ClearHeader{.source = source, .destination = destination});
  return datagram;
}

Callers callers_of_one() {
  return {{}, 1, MemberSet::most, Cipher::chacha20_poly1305};
}

TEST(ProcessNames, are_all_the_same_where_nobody_is_outlived) {
  ProcessNames names(nullptr);
  names.enter_only(3);
  EXPECT_EQ(names.size(), 3);
  EXPECT_EQ(names.slots(), (std::vector<Slot>{0, 1, 2}));
  EXPECT_EQ(names.station_at(2), 2);
  EXPECT_EQ(names.rank_at(1), 1);
  EXPECT_EQ(names.rank_at(3), std::nullopt);
}

TEST(ProcessNames, of_an_epoch_without_a_lost_one_have_lower_ranks_behind_it) {
  const Callers callers = callers_of_one();
  ProcessNames names(&callers);
  names.enter({0, 1, 3, 4});
  EXPECT_EQ(names.slot(2), 3);
  EXPECT_EQ(names.station_at(2), 3);
  EXPECT_EQ(names.rank_at(4), 3);
  EXPECT_EQ(names.rank_at(2), std::nullopt) << "it is lost";
}

TEST(ProcessNames, in_datagrams_are_slots_between_processes_and_ranks_for_an_endpoint) {
  const Callers callers = callers_of_one();
  ProcessNames names(&callers);
  names.enter({1, 3, 4});
  Datagram out = from_to(0, 2);
  names.name_slots(out);
  EXPECT_EQ(read_clear_header(out)->source, 1);
  EXPECT_EQ(read_clear_header(out)->destination, 4);
  EXPECT_EQ(names.name_ranks(out, *read_clear_header(out)), 0);
  EXPECT_EQ(read_clear_header(out)->destination, 2);
  Datagram strange = from_to(2, 1);
  EXPECT_EQ(names.name_ranks(strange, *read_clear_header(strange)), 3) << "a rank that there is not";
}

}  // namespace
}  // namespace lbsp::transport
