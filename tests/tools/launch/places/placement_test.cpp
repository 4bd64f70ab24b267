#include "tools/launch/places/placement.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tools/launch/request/hosts_file.hpp"
#include "tools/launch/request/options.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::places {
namespace {

Placement on_hosts_at(const std::string& one, const std::string& other) {
  std::vector<request::HostEntry> entries(2);
  entries[0].name = "a";
  entries[0].address = one;
  entries[1].name = "b";
  entries[1].address = other;
  return place_ranks_on({}, entries);
}

/// The interfaces are those of the hosts, and the machine of lbsp run may have none of that name.
TEST(Placement, takes_link_local_addresses_with_interfaces_that_are_not_here) {
  const Placement placement = on_hosts_at("fe80::1%lbsp-none", "fe80::2%lbsp-none");
  EXPECT_EQ(placement.hosts[0].address, "fe80::1%lbsp-none");
  EXPECT_EQ(placement.hosts[1].address, "fe80::2%lbsp-none");
  EXPECT_EQ(placement.bind_address, "::");
}

TEST(Placement, refuses_what_is_no_address_of_a_host) {
  for (const char* wrong : {"fd00::1%lbsp-none", "fe80::1%", "fe80::x%lbsp-none", "0.0.0.0", "ff02::1"})
    EXPECT_THROW(on_hosts_at(wrong, "192.0.2.2"), UsageError) << wrong;
}

}  // namespace
}  // namespace lbsp::launch::places
