#include "transport/core/parcels.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "room_state.hpp"

namespace lbsp::transport {
namespace {

using namespace testing;

Bytes numbered(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 % 251);
  return bytes;
}

ParcelReport report_of(std::uint32_t first, std::uint16_t bits, std::span<const std::byte> bitmap) {
  return {.echo = {}, .id = 1, .first = first, .bits = bits, .bitmap = bitmap};
}

TEST(OutgoingParcel, goes_in_segments_in_order) {
  OutgoingParcel parcel(1, numbered(2500), 1000);
  ASSERT_EQ(parcel.segment_count(), 3U);
  EXPECT_EQ(parcel.payload(2).size(), 500U);
  for (std::uint32_t segment = 0; segment < 3; ++segment)
    EXPECT_EQ(parcel.next(), segment);
  EXPECT_FALSE(parcel.has_next());
  EXPECT_EQ(parcel.next(), std::nullopt);
}

TEST(OutgoingParcel, sends_again_what_a_later_one_has_overtaken) {
  OutgoingParcel parcel(1, numbered(4000), 1000);
  for (int sent = 0; sent < 3; ++sent)
    parcel.sent(*parcel.next());
  const Bytes has_second{std::byte{0b0010}};
  EXPECT_TRUE(parcel.take(report_of(0, 4, has_second)));
  EXPECT_EQ(parcel.next(), 0U) << "the third may be on its way, the fourth was not sent";
  parcel.sent(0);
  EXPECT_EQ(parcel.next(), 3U);
  parcel.sent(3);
  EXPECT_TRUE(parcel.take(report_of(0, 4, has_second)));
  EXPECT_FALSE(parcel.has_next()) << "it has been sent again since";
  const Bytes has_last{std::byte{0b1010}};
  EXPECT_TRUE(parcel.take(report_of(0, 4, has_last)));
  EXPECT_EQ(parcel.next(), 2U) << "it went before the first went again";
  EXPECT_EQ(parcel.next(), 0U);
}

TEST(OutgoingParcel, tells_what_is_not_known_to_have_arrived) {
  OutgoingParcel parcel(1, numbered(4500), 1000);
  while (const auto segment = parcel.next())
    parcel.sent(*segment);
  const Bytes bitmap{std::byte{0b0010}};
  EXPECT_TRUE(parcel.take(report_of(1, 4, bitmap)));
  const auto missing = parcel.missing();
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].offset, 1000U);
  EXPECT_EQ(missing[0].bytes.size(), 1000U);
  EXPECT_EQ(missing[1].offset, 3000U);
  EXPECT_EQ(missing[1].bytes.size(), 1500U);
  EXPECT_TRUE(parcel.take(report_of(5, 0, {})));
  EXPECT_TRUE(parcel.missing().empty());
}

TEST(OutgoingParcel, takes_no_report_of_more_segments_than_it_has) {
  OutgoingParcel parcel(1, numbered(2000), 1000);
  EXPECT_FALSE(parcel.take(report_of(3, 0, {})));
  EXPECT_FALSE(parcel.take(report_of(UINT32_MAX, UINT16_MAX, Bytes(8192))));
}

/// Both ends of a path, of which rank 0 has what is tested at both.
class ParcelsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t bytes = 30'000;

  ParcelsTest() {
    room_.other.path.times.assume(20ms, 1ms);
    parcels_.superstep_begun(start);
    parcels_.superstep_begun(start + 10ms);
  }

  void post(std::uint64_t supersteps = 5, Instant now = start) {
    std::vector<Bytes> parcels(2);
    parcels[1] = numbered(bytes);
    parcels_.post(1, std::move(parcels), supersteps, now);
  }
  std::optional<Opened> next(Instant now) {
    Bytes buffer(room_.state.config.options.datagram_bytes);
    const auto written = parcels_.next(buffer, now);
    if (!written) return std::nullopt;
    return open(room_.state.config, std::span(buffer).first(written->bytes));
  }
  /// What goes at that time, as the peer would send it.
  std::vector<std::pair<ParcelHeader, Bytes>> segments(Instant now) {
    std::vector<std::pair<ParcelHeader, Bytes>> all;
    while (const auto datagram = next(now)) {
      WireReader in = datagram->reader();
      const auto parcel = read_parcel(in);
      all.emplace_back(std::get<ParcelHeader>(*parcel), Bytes(in.rest().begin(), in.rest().end()));
    }
    return all;
  }

  RoomState<ReceiverDriven> room_{2};
  Parcels parcels_{room_.state, room_.writer, room_.in_flight};
};

TEST_F(ParcelsTest, go_evenly_in_their_time_but_for_two_round_trips) {
  post(10);  // 100 ms, less 40
  std::vector<std::size_t> each;
  for (Duration at = 0ms; at < 70ms; at += 10ms)
    each.push_back(segments(start + at).size());
  EXPECT_EQ(each[6], 0U);
  for (int i = 1; i < 6; ++i)
    EXPECT_NEAR(static_cast<double>(each[static_cast<std::size_t>(i)]), 22 / 6.0, 1.1) << i;
  EXPECT_EQ(parcels_.next_release(), never);
}

TEST_F(ParcelsTest, are_whole_where_all_has_arrived) {
  post();
  const auto sent = segments(start + 100ms);
  for (const auto& [header, segment] : sent)
    EXPECT_TRUE(parcels_.take_segment(room_.other, header, segment, start + 100ms));
  const auto parcels = parcels_.take(1);
  ASSERT_EQ(parcels.size(), 1U);
  EXPECT_EQ(parcels[0].rank, 1);
  EXPECT_EQ(parcels[0].bytes, numbered(bytes));
  EXPECT_TRUE(parcels_.take(1).empty()) << "once";
}

TEST_F(ParcelsTest, are_told_of_when_they_are_whole_and_once_more) {
  post();
  const auto sent = segments(start + 100ms);
  for (const auto& [header, segment] : sent)
    EXPECT_TRUE(parcels_.take_segment(room_.other, header, segment, start + 100ms));
  for (const Instant at : {start + 100ms, start + 110ms}) {
    EXPECT_EQ(parcels_.next_release(), at);
    const auto datagram = next(at);
    ASSERT_TRUE(datagram);
    WireReader in = datagram->reader();
    const auto report = std::get<ParcelReport>(*read_parcel(in));
    EXPECT_EQ(report.first, sent.size());
    EXPECT_TRUE(parcels_.take_report(room_.other, report));
  }
  EXPECT_EQ(parcels_.next_release(), never);
  EXPECT_TRUE(parcels_.recall(1)->empty());
}

TEST_F(ParcelsTest, are_recalled_with_what_is_lost) {
  post();
  const auto sent = segments(start + 100ms);
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (i != 3 && i != 4) parcels_.take_segment(room_.other, sent[i].first, sent[i].second, start + 100ms);
  const auto datagram = next(start + 110ms);
  ASSERT_TRUE(datagram);
  WireReader in = datagram->reader();
  parcels_.take_report(room_.other, std::get<ParcelReport>(*read_parcel(in)));
  const auto rest = parcels_.recall(1);
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ((*rest)[0].offset, 3U * sent[0].second.size());
  Bytes whole = parcels_.take(1)[0].bytes;
  std::ranges::copy((*rest)[0].bytes, whole.begin() + static_cast<std::ptrdiff_t>((*rest)[0].offset));
  EXPECT_EQ(whole, numbered(bytes));
  EXPECT_FALSE(parcels_.recall(1)) << "they are gone";
  EXPECT_FALSE(next(start + 200ms));
}

TEST_F(ParcelsTest, that_were_taken_are_not_begun_again) {
  post();
  const auto sent = segments(start + 100ms);
  parcels_.take(1);
  EXPECT_TRUE(parcels_.take_segment(room_.other, sent[0].first, sent[0].second, start + 100ms));
  EXPECT_TRUE(parcels_.take(1).empty());
}

TEST_F(ParcelsTest, give_way_to_newer_ones) {
  ParcelHeader header{{}, 1, 100, 0, 100};
  EXPECT_TRUE(parcels_.take_segment(room_.other, header, Bytes(100, std::byte{1}), start));
  header.id = 2;
  EXPECT_TRUE(parcels_.take_segment(room_.other, header, Bytes(100, std::byte{2}), start));
  header.id = 1;
  EXPECT_TRUE(parcels_.take_segment(room_.other, header, Bytes(100, std::byte{1}), start));
  EXPECT_TRUE(parcels_.take(1).empty());
  EXPECT_EQ(parcels_.take(2)[0].bytes, Bytes(100, std::byte{2}));
}

TEST_F(ParcelsTest, of_other_lengths_make_no_sense) {
  ParcelHeader header{{}, 1, 250, 0, 100};
  EXPECT_TRUE(parcels_.take_segment(room_.other, header, Bytes(100), start));
  EXPECT_FALSE(parcels_.take_segment(room_.other, header, Bytes(99), start));
  EXPECT_FALSE(parcels_.take_segment(room_.other, {{}, 1, 251, 1, 100}, Bytes(100), start));
  EXPECT_FALSE(parcels_.take_segment(room_.other, {{}, 1, 250, 1, 50}, Bytes(50), start));
  EXPECT_FALSE(parcels_.take_segment(room_.other, {{}, 1, 250, 3, 100}, Bytes(0), start));
  EXPECT_TRUE(parcels_.take_segment(room_.other, {{}, 1, 250, 2, 100}, Bytes(50), start));
  EXPECT_FALSE(parcels_.take_segment(room_.other, {{}, 2, std::uint64_t{1} << 47, 0, 100}, Bytes(100), start))
      << "longer than any message";
}

TEST_F(ParcelsTest, wait_for_the_room_on_the_path) {
  post();
  room_.other.parting.finished = true;
  EXPECT_FALSE(next(start + 50ms));
  EXPECT_EQ(parcels_.next_release(), start + 51ms) << "not at once again";
}

}  // namespace
}  // namespace lbsp::transport
