#include "tools/command_line/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::command_line {
namespace {

/// Closes with its scope.
class InputFile {
 public:
  explicit InputFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_text_file(const std::string& path, const char* what, std::size_t most) {
  constexpr std::size_t piece = std::size_t{64} << 10;
  const auto refuse = [&] {
    const int problem = errno;
    throw UsageError(
        fmt::format("cannot read {} {}: {}: {}", what, path, std::strerror(problem),
                    problem == EACCES ? "make it readable" : "give the path of a file that is there"));
  };
  const InputFile file(path);
  if (file.get() < 0) refuse();
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) refuse();
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    throw UsageError(fmt::format("cannot read {} {}: it is a device: give a file or a pipe", what, path));
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const ssize_t got = ::read(file.get(), text.data() + before, piece);
    const int problem = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    errno = problem;
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) refuse();
    if (text.size() > most)
      throw UsageError(fmt::format("cannot read {} {}: it has more than {}: give another path", what, path,
                                   transport::format_size(most)));
  }
}

}  // namespace lbsp::command_line
