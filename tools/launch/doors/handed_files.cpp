#include "tools/launch/doors/handed_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lbsp::launch::doors {
namespace {

/// What a message of one piece with these files in it takes.
struct Parcel {
  iovec piece{};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr message{};

  Parcel(char* text, std::size_t bytes) : piece{text, bytes} {
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
};

}  // namespace

bool hand_over(int connection, const std::string& folder, int output, int errors, int code) {
  std::string text = folder;
  Parcel parcel(text.data(), text.size());
  const std::array<int, 3> files{output, errors, code};
  cmsghdr* const head = CMSG_FIRSTHDR(&parcel.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(head), files.data(), sizeof files);
  // A new connection has room for as little.
  return ::sendmsg(connection, &parcel.message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

bool HandedFiles::come(int connection, std::chrono::milliseconds patience) {
  pollfd readable{connection, POLLIN, 0};
  return ::poll(&readable, 1, static_cast<int>(patience.count())) != 0;
}

HandedFiles::HandedFiles(int connection) : connection_(connection) {
  char text[PATH_MAX];
  Parcel parcel(text, sizeof text);
  ssize_t bytes = 0;
  do {
    bytes = ::recvmsg(connection_, &parcel.message, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  const cmsghdr* const head = bytes > 0 ? CMSG_FIRSTHDR(&parcel.message) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof files_)) return;
  std::memcpy(files_, CMSG_DATA(head), sizeof files_);
  folder_.assign(text, static_cast<std::size_t>(bytes));
}

HandedFiles::~HandedFiles() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
  ::close(connection_);
}

std::optional<KeptFiles> HandedFiles::files() const {
  if (files_[0] < 0) return std::nullopt;
  // Opened anew by these names they have positions and locks of their own.
  KeptFiles named(folder_);
  named.output = fmt::format("/proc/self/fd/{}", files_[0]);
  named.errors = fmt::format("/proc/self/fd/{}", files_[1]);
  named.code = fmt::format("/proc/self/fd/{}", files_[2]);
  return named;
}

bool HandedFiles::keeper_lives() const {
  pollfd end{connection_, POLLIN, 0};
  return ::poll(&end, 1, 0) <= 0;
}

pid_t HandedFiles::keeper() const {
  ucred other{};
  socklen_t length = sizeof other;
  return ::getsockopt(connection_, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 ? other.pid : 0;
}

}  // namespace lbsp::launch::doors
