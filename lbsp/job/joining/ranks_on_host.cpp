#include "lbsp/job/joining/ranks_on_host.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace lbsp::job::joining {
namespace {

std::atomic<int> ranks_by_starter = 0;

int number_in_environment(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  int number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc{} && end == digits.data() + digits.size() ? number : 0;
}

}  // namespace

int ranks_on_host() {
  if (const int told = ranks_by_starter; told > 0) return told;
  // Of Open MPI, and of MPICH.
  return std::max(
      {1, number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE"), number_in_environment("MPI_LOCALNRANKS")});
}

void set_ranks_on_host(int ranks) {
  ranks_by_starter = ranks;
}

}  // namespace lbsp::job::joining
