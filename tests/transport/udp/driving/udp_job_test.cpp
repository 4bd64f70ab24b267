#include "transport/udp/driving/udp_job.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

UdpJob job_at(std::vector<PeerAddress> addresses) {
  UdpJob job;
  job.addresses = std::move(addresses);
  return job;
}

PeerAddress at(const char* name, const char* host, std::uint16_t port) {
  PeerAddress address;
  address.name = name;
  address.host = host;
  address.port = port;
  return address;
}

TEST(UdpJob, tells_which_ranks_are_on_one_host) {
  const UdpJob job = job_at({at("a", "10.0.0.1", 1), at("a", "10.0.0.1", 2), at("b", "10.0.0.2", 1)});
  EXPECT_EQ(hosts_of_ranks(job), (std::vector<std::uint16_t>{0, 0, 1}));
}

/// As behind an address translator.
TEST(UdpJob, takes_hosts_with_two_names_and_one_address_for_two) {
  const UdpJob job = job_at({at("a", "203.0.113.1", 1), at("b", "203.0.113.1", 2)});
  EXPECT_EQ(hosts_of_ranks(job), (std::vector<std::uint16_t>{0, 1}));
}

TEST(UdpJob, tells_no_hosts_where_there_is_one_or_where_they_are_pretended) {
  EXPECT_TRUE(hosts_of_ranks(job_at({at("a", "10.0.0.1", 1), at("a", "10.0.0.1", 2)})).empty());
  UdpJob pretended = job_at({at("a", "10.0.0.1", 1), at("b", "10.0.0.2", 1)});
  pretended.wan = parse_wan_spec("rtt=70ms");
  EXPECT_TRUE(hosts_of_ranks(pretended).empty());
}

}  // namespace
}  // namespace lbsp::transport
