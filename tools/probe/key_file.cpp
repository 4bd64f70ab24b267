#include "tools/probe/key_file.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/uv/descriptors.hpp"
#include "transport/error.hpp"

namespace lbsp::probe {
namespace {

using transport::JobKey;

/// At most so much, which is more than any key.
std::string read_some(int descriptor, const std::string& source) {
  std::string text;
  std::array<char, 256> buffer{};
  while (text.size() < 4096) {
    const auto got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw UsageError(fmt::format("{}: {}: give a file with a key", source, std::strerror(errno)));
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// `file`: as the user knows it.
void write_key(const std::string& path, const std::string& file, const JobKey& key) {
  const uv::Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (made.get() < 0)
    throw UsageError(fmt::format("key file {}: {}: choose another place", file, std::strerror(errno)));
  const std::string text = key_as_text(key) + "\n";
  if (::write(made.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
  ::unlink(path.c_str());
  throw SystemError(fmt::format("key file {}: {}: see that there is room", file, std::strerror(errno)));
}

}  // namespace

std::string key_as_text(const JobKey& key) {
  std::string text;
  for (const std::uint8_t byte : key.bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

JobKey key_from_text(std::string_view text, const std::string& source) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  JobKey key;
  bool right = text.size() == 2 * key.bytes.size();
  for (std::size_t i = 0; right && i < key.bytes.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, problem] = std::from_chars(digits, digits + 2, key.bytes[i], 16);
    right = problem == std::errc{} && end == digits + 2;
  }
  if (!right) {
    throw UsageError(fmt::format(
        "{}: not a key of 64 hexadecimal digits: copy the file that lbsp probe --listen made", source));
  }
  return key;
}

JobKey read_key(const std::string& file) {
  if (file == "-") return key_from_text(read_some(STDIN_FILENO, "standard input"), "standard input");
  const uv::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    throw UsageError(fmt::format("key file {}: {}: copy the one that lbsp probe --listen made", file,
                                 std::strerror(errno)));
  }
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw UsageError(fmt::format("key file {}: others than you may use it: chmod 600 {}", file, file));
  return key_from_text(read_some(descriptor.get(), "key file " + file), "key file " + file);
}

/// Under a name of its own, from which it gets the right one when it is whole: who waits for the file reads no half.
JobKey read_or_make_key(const std::string& file) {
  if (file == "-" || ::access(file.c_str(), F_OK) == 0) return read_key(file);
  const std::string unfinished = fmt::format("{}.{}", file, ::getpid());
  const JobKey key = JobKey::random();
  write_key(unfinished, file, key);
  const int problem = ::link(unfinished.c_str(), file.c_str()) == 0 ? 0 : errno;
  ::unlink(unfinished.c_str());
  if (problem == EEXIST) return read_key(file);  // somebody else was sooner
  if (problem != 0)
    throw UsageError(fmt::format("key file {}: {}: choose another place", file, std::strerror(problem)));
  return key;
}

}  // namespace lbsp::probe
