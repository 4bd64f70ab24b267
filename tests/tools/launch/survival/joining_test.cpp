#include "tools/launch/survival/joining.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

namespace lbsp::launch::survival {
namespace {

TEST(Joining, gives_a_number_again_that_was_nobodys) {
  uv::Loop loop;
  Joining joining(loop);
  joining.begin(3);
  const auto add = [&] { joining.add([](const std::string&) {}, std::chrono::seconds{1}, [] {}); };
  add();
  EXPECT_EQ(joining.next(), 4);
  joining.give_back(3);
  EXPECT_EQ(joining.next(), 3);
  add();
  EXPECT_EQ(joining.next(), 4);
}

TEST(Joining, keeps_a_number_that_was_somebodys_after_all) {
  uv::Loop loop;
  Joining joining(loop);
  joining.begin(3);
  joining.add([](const std::string&) {}, std::chrono::seconds{1}, [] {});
  joining.give_back(3);
  joining.keep(3);
  EXPECT_EQ(joining.next(), 4);
}

}  // namespace
}  // namespace lbsp::launch::survival
