// What a responder must withstand: whoever has not got the key, and whoever has recorded those who have.
#include <gtest/gtest.h>

#include "tests/transport/probe/virtual_path.hpp"

namespace lbsp::transport::probe {
namespace {

using std::chrono::seconds;
using transport::Instant;
using transport::JobKey;
using Datagram = std::vector<std::byte>;

constexpr Instant start{seconds{100}};

/// Gives the datagram to the responder; how many bytes come back at once and within the next 30 s.
std::size_t answer_to(Responder& responder, Datagram datagram, const transport::SocketAddress& from,
                      Instant now = start) {
  Datagram buffer(most_packet);
  responder.handle_datagram(datagram, from, now);
  std::size_t bytes = 0;
  for (int tick = 0; tick < 300; ++tick, now += std::chrono::milliseconds{100}) {
    responder.handle_timeout(now);
    while (const auto outgoing = responder.poll_transmit(buffer, now))
      bytes += outgoing->bytes;
  }
  return bytes;
}

Datagram hello_of(const JobKey& key) {
  Datagram datagram(most_packet);
  datagram.resize(write_hello(datagram, key, {random_nonce(), true}));
  return datagram;
}

/// What a client sends in a whole session, and the responder that served it.
struct Recording {
  JobKey key = JobKey::random();
  Responder responder{{.key = key}};
  std::vector<Datagram> datagrams;
  VirtualPath path{{}, {}, 1};

  Recording() {
    path.on_arrival = [this](int to, std::span<std::byte> bytes) {
      if (to == 1) datagrams.emplace_back(bytes.begin(), bytes.end());
    };
    MeasurementPlan plan;
    plan.sizes = {64};
    plan.count = 60;
    plan.bandwidth = false;
    Client client(key, path.address(1), plan, path.now());
    path.run(client, responder, seconds{60});
    EXPECT_EQ(client.failure(), "");
  }
};

TEST(Responder, answers_nothing_that_does_not_come_from_a_holder_of_the_key) {
  const JobKey key = JobKey::random();
  Responder responder({.key = key});
  transport::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    Datagram datagram(random.below(400));
    for (auto& byte : datagram)
      byte = static_cast<std::byte>(random.next());
    // Half of them with a header that looks right.
    if (datagram.size() >= header_bytes && i % 2 == 0) {
      transport::WireWriter out(datagram);
      write(out, Header{static_cast<Kind>(8 + i / 2 % 6), 5, key.tag(), random.below(3)});
    }
    EXPECT_EQ(answer_to(responder, datagram, virtual_address(9)), 0U);
  }
  EXPECT_EQ(answer_to(responder, hello_of(JobKey::random()), virtual_address(9)), 0U);
  EXPECT_FALSE(responder.busy());
}

TEST(Responder, answers_a_hello_with_less_than_it_received) {
  const JobKey key = JobKey::random();
  Responder responder({.key = key});
  const auto hello = hello_of(key);
  const auto bytes = answer_to(responder, hello, virtual_address(9));
  EXPECT_GT(bytes, 0U);
  EXPECT_LE(bytes, hello.size());
  EXPECT_FALSE(responder.busy());
}

TEST(Responder, is_not_started_by_what_was_recorded_of_an_earlier_session) {
  Recording recording;
  ASSERT_GT(recording.datagrams.size(), 60U);
  const auto later = recording.path.now() + seconds{60};
  answer_to(recording.responder, {}, virtual_address(9), later);  // the session is over by now
  for (const auto& datagram : recording.datagrams) {
    for (const int from : {0, 5}) {
      const auto bytes =
          answer_to(recording.responder, datagram, recording.path.address(from), later + seconds{60});
      EXPECT_LE(bytes, datagram.size());
      EXPECT_FALSE(recording.responder.busy());
    }
  }
}

TEST(Responder, is_not_started_by_a_recording_after_a_restart) {
  const Recording recording;
  Responder restarted({.key = recording.key});
  for (const auto& datagram : recording.datagrams)
    EXPECT_LE(answer_to(restarted, datagram, recording.path.address(0)), datagram.size());
  EXPECT_FALSE(restarted.busy());
}

TEST(Responder, drops_what_was_changed_on_the_way_and_the_measurement_goes_on) {
  const JobKey key = JobKey::random();
  const auto wan = transport::parse_wan_spec("corrupt=20%,duplicate=20%,reorder=10%,rtt=10ms");
  VirtualPath path(wan, wan, 3);
  Responder responder({.key = key});
  MeasurementPlan plan;
  plan.sizes = {64, 1400};
  plan.count = 300;
  plan.bandwidth = false;
  Client client(key, path.address(1), plan, path.now());
  path.run(client, responder, seconds{120});
  ASSERT_EQ(client.failure(), "");
  // A datagram arrives damaged only if both of two copies do; what is damaged is lost.
  EXPECT_NEAR(client.result().sizes.at(0).up.loss.loss(), 0.17, 0.08);
}

TEST(Responder, leaves_a_client_with_another_key_without_an_answer) {
  VirtualPath path({}, {}, 1);
  Responder responder({.key = JobKey::random()});
  Client client(JobKey::random(), path.address(1), {}, path.now());
  std::size_t answers = 0;
  path.on_arrival = [&](int to, std::span<std::byte>) { answers += to == 0 ? 1 : 0; };
  path.run(client, responder, seconds{60});
  EXPECT_TRUE(client.finished());
  EXPECT_NE(client.failure().find("does not answer"), std::string::npos);
  EXPECT_EQ(answers, 0U);
}

TEST(Responder, stops_sending_to_a_client_that_has_gone) {
  const JobKey key = JobKey::random();
  VirtualPath path({}, {}, 1);
  Responder responder({.key = key});
  MeasurementPlan plan;
  plan.count = 3000;
  plan.count_is_fixed = true;
  plan.bandwidth = false;
  Client client(key, path.address(1), plan, path.now());
  path.run(client, responder, seconds{2});
  ASSERT_TRUE(responder.busy());
  Datagram buffer(most_packet);
  auto now = path.now();
  for (int tick = 0; tick < 100; ++tick, now += std::chrono::milliseconds{100}) {
    responder.handle_timeout(now);
    std::size_t sent = 0;
    while (responder.poll_transmit(buffer, now))
      ++sent;
    if (tick > 52) {
      EXPECT_EQ(sent, 0U);
    }
  }
  EXPECT_FALSE(responder.busy());
}

TEST(Responder, tells_a_second_client_that_it_is_busy) {
  const JobKey key = JobKey::random();
  VirtualPath path({}, {}, 1);
  Responder responder({.key = key});
  MeasurementPlan plan;
  plan.bandwidth = false;
  Client first(key, path.address(1), plan, path.now());
  path.run(first, responder, seconds{1});
  ASSERT_TRUE(responder.busy());

  Client second(key, path.address(1), plan, path.now());
  Datagram buffer(most_packet);
  const auto hello = second.poll_transmit(buffer, path.now());
  ASSERT_TRUE(hello);
  responder.handle_datagram(std::span(buffer).first(hello->bytes), virtual_address(7), path.now());
  const auto answer = responder.poll_transmit(buffer, path.now());
  ASSERT_TRUE(answer);
  second.handle_datagram(std::span(buffer).first(answer->bytes), path.address(1), path.now());
  second.handle_timeout(path.now() + seconds{11});
  EXPECT_NE(second.failure().find("busy"), std::string::npos);
}

TEST(Responder, refuses_to_send_faster_than_it_was_allowed_to) {
  const JobKey key = JobKey::random();
  VirtualPath path({}, {}, 1);
  Responder responder({.key = key, .most = transport::megabits_per_second(5)});
  Client client(key, path.address(1), {}, path.now());
  path.run(client, responder, seconds{60});
  EXPECT_NE(client.failure().find("--max-rate"), std::string::npos);
}

}  // namespace
}  // namespace lbsp::transport::probe
