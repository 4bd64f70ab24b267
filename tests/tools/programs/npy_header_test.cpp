#include "tools/programs/npy_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

using namespace ::testing;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

const NpyHeader matrix{"<f8", false, {3, 4}};

TEST(NpyHeader, is_read_as_numpy_writes_it) {
  EXPECT_EQ(parse_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n"),
            matrix);
  EXPECT_EQ(parse_npy_header("{'descr': '<i4', 'fortran_order': True, 'shape': (5,), }\n"),
            (NpyHeader{"<i4", true, {5}}));
  EXPECT_EQ(parse_npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n"),
            (NpyHeader{"<f4", false, {}}));
}

TEST(NpyHeader, is_read_as_other_programs_may_write_it) {
  EXPECT_EQ(parse_npy_header(R"({"shape":(3,4),"fortran_order":False,"descr":"<f8"})"), matrix);
  EXPECT_EQ(parse_npy_header("{ 'shape' : (3L, 4L,) ,'descr':'<f8', 'fortran_order' : False}\n"), matrix);
}

TEST(NpyHeader, is_refused_when_it_is_anything_else) {
  for (const char* text :
       {"", "{", "}", "{}", "[]", "{'descr'", "{'descr': '<f8", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3.0, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)} and more",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), 'extra': 1}"}) {
    EXPECT_THROW(parse_npy_header(text), UsageError) << text;
  }
}

TEST(NpyHeader, with_several_fields_says_what_to_do) {
  EXPECT_THAT([] { parse_npy_header("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,)}"); },
              ThrowsMessage<UsageError>(HasSubstr("records of several fields: save one field")));
}

TEST(NpyHeader, refuses_a_dimension_beyond_64_bits) {
  EXPECT_THAT(
      [] { parse_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"); },
      ThrowsMessage<UsageError>(HasSubstr("overflows 64 bits")));
}

TEST(NpyPreamble, tells_how_long_the_length_is) {
  EXPECT_EQ(npy_length_bytes(bytes_of({"\x93NUMPY\x01\x00", 8})), 2U);
  EXPECT_EQ(npy_length_bytes(bytes_of({"\x93NUMPY\x02\x00", 8})), 4U);
  EXPECT_EQ(npy_length_bytes(bytes_of({"\x93NUMPY\x03\x00", 8})), 4U);
}

TEST(NpyPreamble, of_another_kind_of_file_is_refused) {
  EXPECT_THROW(npy_length_bytes(bytes_of("PK\x03\x04zipfile")), UsageError);
  EXPECT_THROW(npy_length_bytes(bytes_of("")), UsageError);
  EXPECT_THROW(npy_length_bytes(bytes_of("\x93NUM")), UsageError);
  EXPECT_THAT(
      [] {
        npy_length_bytes(bytes_of({"\x93NUMPY\x04\x00", 8}));
      },
      ThrowsMessage<UsageError>(HasSubstr("version 4, 1 to 3 can be read")));
}

TEST(NpyElements, are_the_product_of_the_shape) {
  EXPECT_EQ(npy_elements({3, 4}, 8), 12U);
  EXPECT_EQ(npy_elements({}, 8), 1U);
  EXPECT_EQ(npy_elements({0, 5}, 8), 0U);
}

TEST(NpyElements, refuse_a_shape_that_overflows) {
  const std::size_t huge = std::size_t{1} << 62;
  EXPECT_THROW(npy_elements({huge, 8}, 1), UsageError);
  EXPECT_THROW(npy_elements({huge}, 8), UsageError);
  EXPECT_THROW(npy_elements({huge, huge, 0}, 1), UsageError);
}

TEST(NpyHead, written_is_a_multiple_of_64_bytes_and_reads_back) {
  for (const NpyHeader& header :
       {matrix, NpyHeader{"<c16", false, {123456789, 987654321}}, NpyHeader{"<u8", false, {7}}}) {
    const std::string head = format_npy_header(header);
    EXPECT_EQ(head.size() % 64, 0U);
    EXPECT_EQ(npy_length_bytes(bytes_of(head).first(npy_preamble_bytes)), 2U);
    EXPECT_EQ(parse_npy_header(std::string_view(head).substr(10)), header);
  }
}

}  // namespace
}  // namespace lbsp::programs
