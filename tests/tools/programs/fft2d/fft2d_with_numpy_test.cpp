// The transform against NumPy's own, where it is installed.
#include <gtest/gtest.h>

#include "tests/support/run_ranks.hpp"
#include "tests/tools/programs/numpy.hpp"
#include "tools/programs/fft2d/fft2d_job.hpp"

namespace lbsp::programs::fft2d {
namespace {

class Fft2dWithNumpy : public WithNumpy {
 protected:
  /// Transforms in.npy to out.npy over every backend, and has NumPy compare: `check` is about x and y.
  void expect(const Fft2dArguments& arguments, const std::string& check) {
    for (const test::Backend& backend : test::all_backends()) {
      Fft2dArguments with_files = arguments;
      with_files.in = folder_.path() / "in.npy";
      with_files.out = folder_.path() / "out.npy";
      for (const auto& outcome :
           test::outcomes(backend, 3, [&](World& world) { fft2d_job(world, with_files); }))
        EXPECT_EQ(test::text_of<Error>(outcome), "(no error)");
      EXPECT_TRUE(run("x = np.load('in.npy'); y = np.load('out.npy'); assert " + check)) << backend;
    }
  }
};

TEST_F(Fft2dWithNumpy, a_complex_grid_has_numpy_s_transforms) {
  ASSERT_TRUE(
      run("r = np.random.default_rng(1); np.save('in.npy', r.normal(size=(37, 25)) + 1j * r.normal(size=(37, "
          "25)))"));
  expect({}, "y.dtype == np.complex128 and np.allclose(y, np.fft.fft2(x), rtol=0, atol=1e-11)");
  Fft2dArguments inverse;
  inverse.inverse = true;
  expect(inverse, "np.allclose(y, np.fft.ifft2(x), rtol=0, atol=1e-14)");
  Fft2dArguments transposed;
  transposed.transposed = true;
  expect(transposed, "np.allclose(y, np.fft.fft2(x).T, rtol=0, atol=1e-11)");
}

TEST_F(Fft2dWithNumpy, an_image_in_fortran_order_has_numpy_s_transform) {
  ASSERT_TRUE(
      run("x = np.arange(40, dtype=np.uint8).reshape(5, 8); np.save('in.npy', np.asfortranarray(x))"));
  Fft2dArguments single;
  single.single_precision = true;
  expect(single, "y.dtype == np.complex64 and np.allclose(y, np.fft.fft2(x), rtol=0, atol=1e-3)");
}

}  // namespace
}  // namespace lbsp::programs::fft2d
