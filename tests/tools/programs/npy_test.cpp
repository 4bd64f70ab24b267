#include "tools/programs/npy.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

using test::TemporaryFolder;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

/// A file of version 1.0, 2.0 or 3.0 by the letter of NumPy's format.
std::string file(char version, const std::string& dictionary, const std::string& data) {
  const auto length = static_cast<std::uint32_t>(dictionary.size());
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::string bytes("\x93NUMPY", 6);
  bytes += version;
  bytes += '\0';
  bytes.append(reinterpret_cast<const char*>(&length), length_bytes);
  return bytes + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

const std::string six = bytes_of({1., 2., 3., 4., 5., 6.});

class Npy : public ::testing::Test {
 protected:
  /// The error of reading a file of these bytes as a matrix of doubles; it must name the file.
  void expect_refused(const std::string& bytes, const std::string& message) {
    const auto path = folder_.write("a.npy", bytes);
    EXPECT_THAT([&] { read_npy<double>(path, 2); },
                ThrowsMessage<UsageError>(AllOf(HasSubstr(path.string()), HasSubstr(message))));
  }

  TemporaryFolder folder_;
};

TEST_F(Npy, of_every_version_is_read) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto path = folder_.write("a.npy", file(version, dictionary("<f8", "(2, 3)"), six));
    const auto array = read_npy<double>(path, 2);
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST_F(Npy, in_fortran_order_is_turned_into_c_order) {
  const auto path = folder_.write("a.npy", file(1, dictionary("<f8", "(2, 3)", "True"), six));
  EXPECT_THAT(read_npy<double>(path, 2).values, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST_F(Npy, bigger_than_a_tile_in_fortran_order_is_turned_into_c_order) {
  const std::size_t rows = 130;
  const std::size_t columns = 67;
  std::vector<float> in_file(rows * columns);
  for (std::size_t i = 0; i < in_file.size(); ++i)
    in_file[i] = static_cast<float>(i);
  const std::string data(reinterpret_cast<const char*>(in_file.data()), in_file.size() * sizeof(float));
  const auto array =
      read_npy<float>(folder_.write("a.npy", file(1, dictionary("<f4", "(130, 67)", "True"), data)), 2);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      ASSERT_EQ(array.values[row * columns + column], in_file[column * rows + row]);
    }
  }
}

TEST_F(Npy, of_every_type_is_read) {
  const auto read_one = [this]<class T>(const std::string& descr, T value) {
    const auto path = folder_.write("a.npy", file(1, dictionary(descr, "(1,)"), bytes_of({value})));
    EXPECT_THAT(read_npy<T>(path, 1).values, ElementsAre(value)) << descr;
  };
  read_one("<f4", 1.5F);
  read_one("<f8", 1.5);
  read_one("<i4", std::int32_t{-5});
  read_one("<i8", std::int64_t{-5});
  read_one("<u8", ~std::uint64_t{0});
  read_one("<c16", std::complex<double>{1, -2});
}

TEST_F(Npy, without_elements_is_read) {
  const auto array = read_npy<double>(folder_.write("a.npy", file(1, dictionary("<f8", "(0, 3)"), "")), 2);
  EXPECT_THAT(array.shape, ElementsAre(0, 3));
  EXPECT_TRUE(array.values.empty());
}

TEST_F(Npy, that_is_missing_or_no_file_is_refused) {
  EXPECT_THAT([&] { read_npy<double>(folder_.path() / "none.npy", 2); },
              ThrowsMessage<UsageError>(HasSubstr("none.npy: there is no such file: give the path")));
  EXPECT_THAT([&] { read_npy<double>(folder_.path(), 2); },
              ThrowsMessage<UsageError>(HasSubstr("not a regular file")));
}

TEST_F(Npy, cut_off_anywhere_is_refused) {
  const std::string whole = file(1, dictionary("<f8", "(2, 3)"), six);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(read_npy<double>(folder_.write("a.npy", whole.substr(0, length)), 2), UsageError) << length;
  }
  expect_refused(whole.substr(0, whole.size() - 1), "shape (2, 3) needs 48 bytes of data and 47 are there");
}

TEST_F(Npy, longer_than_it_says_is_refused) {
  expect_refused(file(1, dictionary("<f8", "(2, 3)"), six + "x"),
                 "goes on past its data, its shape (2, 3) needs 48 bytes of data and 49 are there");
}

TEST_F(Npy, of_another_type_is_refused_with_the_way_to_convert_it) {
  expect_refused(file(1, dictionary("<f4", "(2, 3)"), six),
                 "holds float32 where float64 is wanted: convert it with numpy's astype('<f8')");
  expect_refused(file(1, dictionary(">f8", "(2, 3)"), six), "holds big-endian float64 where");
  expect_refused(file(1, dictionary("|S5", "(2, 3)"), six), "holds '|S5' where");
  expect_refused(file(1, dictionary("\x1b[31m", "(2, 3)"), six), "holds an unknown type where");
  expect_refused(file(1, dictionary("", "(2, 3)"), six), "where float64 is wanted");
}

TEST_F(Npy, of_other_dimensions_is_refused) {
  expect_refused(file(1, dictionary("<f8", "(6,)"), six), "shape (6,) is 1-D where 2-D is wanted");
  expect_refused(file(1, dictionary("<f8", "()"), bytes_of({1.})), "shape () is 0-D");
  expect_refused(file(1, dictionary("<f8", "(1, 2, 3)"), six), "shape (1, 2, 3) is 3-D");
}

TEST_F(Npy, whose_shape_overflows_or_lies_allocates_nothing) {
  expect_refused(file(1, dictionary("<f8", "(4294967296, 4294967296)"), six), "overflows");
  expect_refused(file(1, dictionary("<f8", "(1000000000, 1000000000)"), six),
                 "needs 8000000000000000000 bytes of data and 48 are there");
}

TEST_F(Npy, whose_header_claims_gigabytes_is_refused) {
  std::string bytes = file(2, dictionary("<f8", "(2, 3)"), six);
  std::memset(&bytes[8], 0xff, 4);
  expect_refused(bytes, "claims 4294967295 bytes, at most 65536 are read");
}

TEST_F(Npy, that_is_another_kind_of_file_is_refused) {
  expect_refused("1 2 3\n4 5 6\n", "no NumPy .npy file");
  expect_refused("", "no NumPy .npy file");
}

TEST_F(Npy, written_reads_back) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  command_line::AtomicFile out(folder_.path() / "c.npy");
  write_npy<double>(out, {3, 2}, values);
  out.commit();
  const auto array = read_npy<double>(folder_.path() / "c.npy", 2);
  EXPECT_THAT(array.shape, ElementsAre(3, 2));
  EXPECT_EQ(array.values, values);
}

}  // namespace
}  // namespace lbsp::programs
