#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lbsp::profile {

/// The version of the file format that this lbsp writes, and the only one it reads.
inline constexpr int profile_version = 1;

/// How fast one core of a host computes; each figure is the median of several repetitions.
struct ComputeRates {
  double dgemm_flops = 0;     ///< floating-point operations per second in a large matrix product
  double sort_keys = 0;       ///< keys per second in std::sort of 10^6 doubles
  double fft_flops = 0;       ///< 5·N·log2 N over the time of a complex transform of 2^18 points
  double stencil_points = 0;  ///< points per second in five-point Jacobi sweeps
};

struct HostProfile {
  std::string name;
  std::optional<ComputeRates> compute;  ///< none: not measured
};

/// The loss of a copy, given that the one before it was lost.
struct SecondCopyLoss {
  double spacing = 0;        ///< seconds between the two
  double loss = 0;           ///< fraction
  std::uint64_t sample = 0;  ///< first copies that were lost
};

struct RoundTrip {
  double minimum = 0;  ///< seconds
  double median = 0;
  double p99 = 0;
};

/// What was measured from one host to another, with datagrams of one size.
struct PairProfile {
  int from = 0;  ///< places in Profile::hosts
  int to = 0;
  int packet_size = 0;      ///< bytes of UDP payload
  bool fragmented = false;  ///< larger than the path's MTU, so that IP sends it in fragments
  double loss = 0;          ///< one way
  std::array<double, 2> loss_interval{0, 1};  ///< 95 % (Wilson's)
  std::uint64_t loss_sample = 0;
  double burst = 1;  ///< mean length of a run of losses, in datagrams
  std::vector<SecondCopyLoss> second_copy_loss;
  RoundTrip round_trip;
  double bandwidth = 0;                   ///< usable, bytes of UDP payload per second
  std::optional<int> largest_datagram{};  ///< bytes of UDP payload that arrive whole; none: not measured
};

/// Two hosts between which measuring failed.
struct FailedPair {
  int from = 0;  ///< places in Profile::hosts; the one that measured
  int to = 0;
  std::string reason;
};

/// A network as `lbsp probe` measured it; `tune` and `run --profile` start from it.
struct Profile {
  std::string measured_at;  ///< UTC, ISO 8601
  std::vector<HostProfile> hosts;
  std::vector<PairProfile> pairs;  ///< every ordered pair that was measured, each packet size an entry
  std::vector<FailedPair> failed{};
};

}  // namespace lbsp::profile
