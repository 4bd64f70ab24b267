#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "tools/uv/events.hpp"

namespace lbsp::launch::terminal {

/// Reads this process's standard input, on a thread of its own, for a rank that cannot inherit it: because
/// it runs elsewhere, or because it may not read the terminal. Reads ahead no more than the rank's pipe takes
/// and `read_ahead` bytes.
class JobInput {
 public:
  static constexpr std::size_t read_ahead = std::size_t{256} << 10;

  /// `give` gets what was read, on the loop's thread, and nothing at the end.
  JobInput(uv::Loop& loop, std::function<void(std::string)> give);
  JobInput(const JobInput&) = delete;
  JobInput& operator=(const JobInput&) = delete;
  ~JobInput();

  /// The rank has taken so many bytes more.
  void taken(std::size_t bytes);

 private:
  struct Shared;
  void give_all();

  std::function<void(std::string)> give_;
  std::shared_ptr<Shared> shared_;
  uv::Wake wake_;
};

}  // namespace lbsp::launch::terminal
