#include "lbsp/superstep/agreement/check_value.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <vector>

namespace lbsp::superstep {
namespace {

using Function = void (*)();

struct Segment {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Where the program is in memory.
struct Program {
  std::uintptr_t base = 0;
  std::vector<Segment> segments;

  Program() {
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
          auto& program = *static_cast<Program*>(data);
          program.base = object->dlpi_addr;
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& header = object->dlpi_phdr[i];
            const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
            if (header.p_type == PT_LOAD) program.segments.push_back({begin, begin + header.p_memsz});
          }
          return 1;  // the program comes first
        },
        this);
  }
};

std::uint32_t check_at(std::uintptr_t address) {
  return check_of(std::bit_cast<Function>(address));
}

std::uint32_t check_at_place(std::uintptr_t place) {
  return static_cast<std::uint32_t>(place) | function_bit;
}

void some_function() {}

TEST(CheckValue, of_a_function_is_its_place_in_the_program) {
  const auto place = reinterpret_cast<std::uintptr_t>(&some_function) - Program().base;
  EXPECT_EQ(check_of(&some_function), check_at_place(place));
}

TEST(CheckValue, covers_each_segment_of_the_program_from_its_first_byte_to_its_last) {
  const Program program;
  ASSERT_FALSE(program.segments.empty());
  for (const Segment& segment : program.segments) {
    EXPECT_EQ(check_at(segment.begin), check_at_place(segment.begin - program.base));
    EXPECT_EQ(check_at(segment.end - 1), check_at_place(segment.end - 1 - program.base));
  }
  EXPECT_EQ(check_at(program.segments.front().begin - 1), no_check);
  EXPECT_EQ(check_at(program.segments.back().end), no_check);
}

TEST(CheckValue, of_a_function_of_a_shared_library_is_none) {
  void* const function = ::dlsym(RTLD_DEFAULT, "getpid");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(check_of(reinterpret_cast<Function>(function)), no_check);
}

TEST(CheckValue, tells_what_it_stands_for) {
  EXPECT_EQ(check_text(remember("a name of its own")), "a name of its own");
  EXPECT_EQ(check_text(remember(typeid(Segment), typeid(int))),
            "lbsp::superstep::(anonymous namespace)::Segment of int");
  EXPECT_EQ(check_text(0x12), "what has the number 0x12");
  EXPECT_EQ(check_text(function_bit | 0x11c9), "the function at 0x11c9 of the program");
}

}  // namespace
}  // namespace lbsp::superstep
