#include "lbsp/job/program_error.hpp"

#include <fmt/format.h>
#include <new>

#include "transport/printable.hpp"

namespace lbsp::job {

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return "out of memory: use more ranks, or a smaller problem";
  } catch (const std::exception& exception) {
    return printable(exception.what());
  } catch (...) {
    return "the program threw what is not a std::exception: throw lbsp::Error, which can say what is wrong";
  }
}

std::string failure_of(Rank rank, const std::string& host, std::string told) {
  const std::string again = fmt::format(" on rank {}", rank);
  const auto place = told.find(again);
  const auto end = place + again.size();
  const auto ends_a_word = [](char c) { return c == ' ' || c == ':'; };
  if (place != std::string::npos && end < told.size() && ends_a_word(told[end]))
    told.erase(place, again.size());
  return fmt::format("rank {} on {}: {}", rank, host, told);
}

}  // namespace lbsp::job
