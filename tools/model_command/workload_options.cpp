#include "tools/model_command/workload_options.hpp"

#include <fmt/format.h>

#include "model/paper/workloads.hpp"
#include "transport/error.hpp"

namespace lbsp::model_command {
namespace {

using Collective = model::paper::Workload (*)(double bytes, double nodes, double packet_bytes);

constexpr std::pair<const char*, Collective> collectives[] = {
    {"binomial_broadcast",
     [](double bytes, double nodes, double packet) {
       return model::paper::binomial_broadcast(bytes, nodes, packet);
     }},
    {"van_de_geijn_broadcast", model::paper::van_de_geijn_broadcast},
    {"ring_allgather", model::paper::ring_allgather},
    {"recursive_doubling_allgather", model::paper::recursive_doubling_allgather},
    {"bruck_allgather", model::paper::bruck_allgather}};

double read_flops(const std::string& text, const char* option) {
  return read_number(text, option, 1);
}

model::paper::Workload algorithm(const WorkloadOptions& options, double size, double nodes,
                                 double packet_bytes) {
  const std::string& name = *options.name;
  const auto machine = [&] { return model::paper::Machine{given(options.flops, "--flops"), packet_bytes}; };
  if (name == "matmul") return model::paper::matmul(size, nodes, machine());
  if (name == "bitonic_sort") return model::paper::bitonic_sort(size, nodes, machine());
  if (name == "fft2d") return model::paper::fft2d(size, nodes, machine());
  if (name == "jacobi")
    return model::paper::jacobi(size, given(options.sweeps, "--sweeps"), nodes, machine());
  throw UsageError(fmt::format(
      "--workload {}: use matmul, bitonic_sort, fft2d, jacobi, binomial_broadcast, van_de_geijn_broadcast, "
      "ring_allgather, recursive_doubling_allgather or bruck_allgather",
      name));
}

model::paper::Workload by_name(const WorkloadOptions& options, double nodes) {
  const double size = given(options.size, "--size");
  const double packet_bytes = given(options.packet_bytes, "--packet-size");
  for (const auto& [name, make] : collectives)
    if (*options.name == name) return make(size, nodes, packet_bytes);
  return algorithm(options, size, nodes, packet_bytes);
}

}  // namespace

void add_workload_options(command_line::CommandLine& line, WorkloadOptions& options) {
  line.add("--workload", options.name, "NAME",
           "matmul, bitonic_sort, fft2d, jacobi, binomial_broadcast, van_de_geijn_broadcast, ring_allgather, "
           "recursive_doubling_allgather or bruck_allgather");
  add(line, "--size", options.size, read_whole, "N",
      "size of the workload: rows of a matrix, keys, points in all, points per side, or bytes of a message");
  add(line, "--flops", options.flops, read_flops, "F", "operations per second of a node: 5e8");
  add(line, "--packet-size", options.packet_bytes, read_bytes, "BYTES", "payload of a packet: 1400, 64KiB");
  add(line, "--bandwidth", options.bandwidth, read_bytes_per_second, "RATE",
      "what a node can send in a second: 100Mbit, 17.5MB");
  add(line, "--sweeps", options.sweeps, read_whole, "N", "sweeps of jacobi");
  line.add_flag("--one-superstep", options.one_superstep,
                "send all packets of a message in one superstep, instead of one superstep for each");
}

model::paper::Workload workload_of(const WorkloadOptions& options, double nodes) {
  const model::paper::Workload workload = by_name(options, nodes);
  return options.one_superstep ? model::paper::in_one_superstep(workload) : workload;
}

}  // namespace lbsp::model_command
