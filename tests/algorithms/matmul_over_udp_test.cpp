#include <gtest/gtest.h>
#include <vector>

#include "algorithms/block_transfer.hpp"
#include "algorithms/hashed_matrix.hpp"
#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/verification.hpp"
#include "tests/transport/udp/udp_cluster.hpp"

namespace lbsp::algorithms {
namespace {

constexpr std::size_t size = 150;  // blocks of 45 datagrams on 4 ranks, of 20 on 9

std::vector<double> whole(const HashedMatrix& elements) {
  std::vector<double> values;
  for (std::size_t i = 0; i < size * size; ++i)
    values.push_back(elements.at<double>(i / size, i % size));
  return values;
}

void expect_the_product_over(std::string_view wan, Rank ranks, int copies) {
  const std::vector<double> a = whole(HashedMatrix(1, 0));
  const std::vector<double> b = whole(HashedMatrix(1, 1));
  std::vector<double> expected(size * size);
  add_product<double>({size, size, size}, a, b, expected);

  transport::UdpCluster cluster(ranks, wan);
  cluster.job.options.copies = copies;
  cluster.run_well([&](transport::UdpExchange& exchange) {
    World world(exchange);
    const auto own_a = distribute<double>(world, {size, size, a});
    const auto own_b = distribute<double>(world, {size, size, b});
    const auto product = gather(world, matmul(world, own_a, own_b));
    if (world.rank() == 0) {
      EXPECT_TRUE(verify_product<double>(product, expected, size).passed());
    }
    world.finish();
  });
}

TEST(MatmulOverUdp, is_right_without_loss) {
  expect_the_product_over("", 4, 1);
}

TEST(MatmulOverUdp, is_right_when_datagrams_are_lost) {
  expect_the_product_over("loss=10%,rtt=5ms", 4, 2);
  expect_the_product_over("loss=30%,rtt=5ms", 9, 1);
}

TEST(MatmulOverUdp, is_right_when_everything_happens_to_datagrams_at_once) {
  expect_the_product_over("loss=10%,rtt=5ms,burst=4,jitter=2ms,reorder=5%,duplicate=5%,corrupt=1%", 4, 1);
}

}  // namespace
}  // namespace lbsp::algorithms
