// The files against NumPy itself, where it is installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/programs/numpy.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/sort/sort_job.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp::programs {
namespace {

using ::testing::ElementsAre;

class NpyWithNumpy : public WithNumpy {};

TEST_F(NpyWithNumpy, what_numpy_saves_is_read) {
  ASSERT_TRUE(
      run("a = np.arange(6.).reshape(2, 3); np.save('c.npy', a); np.save('f.npy', np.asfortranarray(a))"));
  for (const char* name : {"c.npy", "f.npy"}) {
    const auto array = read_npy<double>(folder_.path() / name, 2);
    EXPECT_THAT(array.shape, ElementsAre(2, 3)) << name;
    EXPECT_THAT(array.values, ElementsAre(0, 1, 2, 3, 4, 5)) << name;
  }
}

TEST_F(NpyWithNumpy, every_version_that_numpy_writes_is_read) {
  ASSERT_TRUE(
      run("[np.lib.format.write_array(open('%d.npy' % v, 'wb'), np.float32([[1, 2]]), (v, 0)) for v in (1, "
          "2, 3)]"));
  for (const char* name : {"1.npy", "2.npy", "3.npy"}) {
    EXPECT_THAT(read_npy<float>(folder_.path() / name, 2).values, ElementsAre(1, 2)) << name;
  }
}

TEST_F(NpyWithNumpy, what_is_written_numpy_loads) {
  const std::vector<std::complex<double>> values{{1, 2}, {3, 4}, {5, 6}};
  command_line::AtomicFile out(folder_.path() / "c.npy");
  write_npy<std::complex<double>>(out, {3, 1}, values);
  out.commit();
  EXPECT_TRUE(
      run("c = np.load('c.npy'); assert c.dtype == np.dtype('<c16') and c.shape == (3, 1); "
          "assert (c == [[1+2j], [3+4j], [5+6j]]).all()"));
}

TEST_F(NpyWithNumpy, what_it_sorts_is_what_bitonic_sort_makes_of_the_same_file) {
  ASSERT_TRUE(run(
      "r = np.random.default_rng(1); k = r.standard_normal(1000); k[::100] = np.nan; np.save('k.npy', k)"));
  const auto exchanges = transport::make_threads_exchanges(1);
  World world(*exchanges.front());
  sort::SortArguments arguments;
  arguments.in = folder_.path() / "k.npy";
  arguments.out = folder_.path() / "s.npy";
  EXPECT_EQ(sort::sort_job(world, arguments).refutation, "");
  EXPECT_TRUE(
      run("s = np.load('s.npy'); assert np.array_equal(s, np.sort(np.load('k.npy')), equal_nan=True)"));
}

}  // namespace
}  // namespace lbsp::programs
