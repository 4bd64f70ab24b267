#include "model/paper/workloads.hpp"

#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

namespace lbsp::model::paper {
namespace {

const Network network{0.05, 1e-4, 0.07};

double rho(double packets, int copies = 2) {
  return expected_rounds(Scheme::rounds, network.loss, copies, packets).value();
}

double tau(double h, int copies = 2) {
  return copies * h * network.packet_seconds + network.round_trip;
}

double time_of(const Workload& workload) {
  return cost_of(workload, network, 2).communication;
}

TEST(Collectives, cost_what_their_steps_add_up_to) {
  EXPECT_NEAR(time_of(binomial_broadcast(100, 8, 100)), 2 * (rho(1) + rho(2) + rho(4)) * tau(1), 1e-12);
  EXPECT_NEAR(time_of(van_de_geijn_broadcast(800, 4, 100)),
              2 * (rho(4) * tau(4) + rho(4) * tau(2)) + 2 * 3 * rho(8) * tau(2), 1e-12);
  EXPECT_NEAR(time_of(ring_allgather(150, 5, 100)), 2 * 4 * rho(10) * tau(2), 1e-12);
  EXPECT_NEAR(time_of(recursive_doubling_allgather(100, 4, 100)), 2 * (rho(4) * tau(1) + rho(8) * tau(2)),
              1e-12);
  EXPECT_NEAR(time_of(bruck_allgather(100, 6, 100)), 2 * (2 * rho(6 * 2) * tau(2) + rho(6) * tau(1)), 1e-12);
}

TEST(Collectives, of_one_node_cost_nothing_and_speed_nothing_up) {
  const Cost cost = cost_of(ring_allgather(100, 1, 100), network, 2);
  EXPECT_EQ(cost.seconds, 0);
  EXPECT_EQ(cost.speedup, 0);
}

TEST(Jacobi, of_the_paper_sends_three_values_to_each_neighbour) {
  const Workload workload = paper_jacobi(101, 16, {1e9, 100});
  EXPECT_EQ(workload.message_bytes, 24);
  ASSERT_EQ(workload.steps.size(), 1U);
  EXPECT_EQ(workload.steps[0].times, 4);
  EXPECT_EQ(workload.steps[0].packets, 30);
  EXPECT_EQ(workload.steps[0].packets_per_node, 30. / 16);
}

TEST(Workload, of_rounds_without_end_takes_no_time_where_a_round_takes_none) {
  const Cost cost = cost_of(ring_allgather(1e9, 64, 1), {0.5, 0, 0}, 1, Scheme::whole_round);
  EXPECT_TRUE(std::isinf(cost.rounds.value()));
  EXPECT_EQ(cost.communication, 0);
}

TEST(Workload, refuses_a_network_that_cannot_be) {
  for (const Network& none : {Network{1, 0, 0.1}, Network{0.1, -1, 0.1}, Network{0.1, 0, -0.1}})
    EXPECT_THROW(cost_of(ring_allgather(1, 1, 1), none, 1), std::invalid_argument);
  EXPECT_THROW(cost_of(ring_allgather(1, 1, 1), network, 0), std::invalid_argument);
}

TEST(Collectives, have_no_step_without_anybody_to_send_to) {
  EXPECT_TRUE(ring_allgather(150, 1, 100).steps.empty());
  EXPECT_TRUE(binomial_broadcast(100, 1, 100).steps.empty());
  EXPECT_EQ(binomial_broadcast(100, 8, 100).steps.size(), 3U);
  EXPECT_EQ(binomial_broadcast(100, 9, 100).steps.size(), 4U);
  for (const Workload& broadcast : {binomial_broadcast(100, 9, 100), van_de_geijn_broadcast(100, 9, 100)})
    EXPECT_EQ(broadcast.steps[3].packets, 1) << broadcast.name << ": eight of nine have it";
}

TEST(Jacobi, updates_every_unknown_in_every_sweep) {
  const Machine machine{1e9, 100};
  const Workload workload = jacobi(11, 7, 4, machine);
  EXPECT_DOUBLE_EQ(workload.sequential_seconds, 10 * 7 * 100 / 1e9);
  EXPECT_DOUBLE_EQ(workload.parallel_seconds, workload.sequential_seconds / 4);
  EXPECT_EQ(workload.message_bytes, 8 * 10);
  EXPECT_EQ(jacobi(11, 7, 2, machine).steps.at(0).packets_per_node, 1);
  EXPECT_EQ(workload.steps.at(0).packets_per_node, 2);
  EXPECT_TRUE(jacobi(11, 7, 1, machine).steps.empty());
}

TEST(Collectives, send_every_contribution_to_everyone_once) {
  for (const Workload& gather : {ring_allgather(100, 16, 100), recursive_doubling_allgather(100, 16, 100),
                                 bruck_allgather(100, 16, 100)}) {
    double sent = 0;
    for (const CommunicationStep& step : gather.steps)
      sent += step.times * step.packets_per_node;
    EXPECT_EQ(sent, 15) << gather.name;
  }
}

TEST(Collectives, reach_every_node_of_a_broadcast_that_is_no_power_of_two) {
  double sent = 0;
  for (const CommunicationStep& step : binomial_broadcast(1, 11, 100).steps)
    sent += step.packets;
  EXPECT_EQ(sent, 10);
}

TEST(Collectives, cost_nothing_on_one_node) {
  EXPECT_EQ(time_of(binomial_broadcast(1, 1, 1)), 0);
  EXPECT_EQ(time_of(van_de_geijn_broadcast(1, 1, 1)), 0);
  EXPECT_EQ(time_of(bruck_allgather(1, 1, 1)), 0);
}

TEST(Collectives, refuse_what_they_cannot_do) {
  EXPECT_THROW(recursive_doubling_allgather(1, 6, 1), std::invalid_argument);
  EXPECT_THROW(ring_allgather(0, 6, 1), std::invalid_argument);
  EXPECT_THROW(ring_allgather(1, 2.5, 1), std::invalid_argument);
  EXPECT_THROW(bruck_allgather(1, 2, 0), std::invalid_argument);
}

TEST(Algorithms, have_a_speedup_of_one_on_one_node) {
  const Machine machine{1e9, 1400};
  for (const Workload& workload : {matmul(1000, 1, machine), bitonic_sort(1e6, 1, machine),
                                   fft2d(1 << 20, 1, machine), jacobi(1000, 50, 1, machine)})
    EXPECT_NEAR(cost_of(workload, network, 2).speedup, 1, 1e-12) << workload.name;
}

TEST(Algorithms, cost_what_the_closed_formulas_say) {
  const Machine machine{1e9, 1400};
  const Workload sort = bitonic_sort(1e6, 16, machine);
  EXPECT_NEAR(time_of(sort), std::ceil(4e6 / 16 / 1400) * 4 * 5 * tau(1) * rho(16), 1e-9);
  const Workload transform = fft2d(1 << 20, 8, machine);
  EXPECT_NEAR(time_of(transform), std::ceil(16. * (1 << 20) / 64 / 1400) * 4 * rho(56) * tau(7), 1e-9);
  const Workload product = matmul(1000, 16, machine);
  EXPECT_NEAR(time_of(product), std::ceil(4e6 / 16 / 1400) * 2 * rho(96) * tau(6), 1e-9);
}

TEST(Algorithms, pay_the_delay_once_in_one_superstep) {
  const Workload product = matmul(1000, 16, {1e9, 1400});
  const double g = product.packets_per_message;
  EXPECT_NEAR(time_of(in_one_superstep(product)), 2 * rho(96 * g) * tau(6 * g), 1e-9);
  EXPECT_LT(time_of(in_one_superstep(product)), time_of(product) / 10);
}

TEST(Algorithms, refuse_sizes_of_zero) {
  EXPECT_THROW(matmul(0, 4, {1, 1}), std::invalid_argument);
  EXPECT_THROW(matmul(4, 0, {1, 1}), std::invalid_argument);
  EXPECT_THROW(matmul(4, 4, {0, 1}), std::invalid_argument);
  for (const Machine& none : {Machine{0, 1}, Machine{1, 0}}) {
    EXPECT_THROW(bitonic_sort(8, 4, none), std::invalid_argument);
    EXPECT_THROW(fft2d(8, 4, none), std::invalid_argument);
    EXPECT_THROW(jacobi(8, 5, 4, none), std::invalid_argument);
  }
  EXPECT_THROW(bitonic_sort(4, 8, {1, 1}), std::invalid_argument);
  EXPECT_THROW(fft2d(4, 8, {1, 1}), std::invalid_argument);
  EXPECT_THROW(jacobi(1, 5, 4, {1, 1}), std::invalid_argument);
  EXPECT_THROW(jacobi(8, 5, 0.5, {1, 1}), std::invalid_argument);
  EXPECT_THROW(jacobi(8, 5, 4, {0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::paper
