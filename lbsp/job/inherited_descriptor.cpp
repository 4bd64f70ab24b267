#include "lbsp/job/inherited_descriptor.hpp"

#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <string>

namespace lbsp::job {

std::optional<int> take_inherited_descriptor(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string value = text;
  ::unsetenv(variable);
  int descriptor = -1;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), descriptor);
  const bool whole = problem == std::errc{} && end == value.data() + value.size();
  if (!whole || descriptor < 0 || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return std::nullopt;
  return descriptor;
}

}  // namespace lbsp::job
