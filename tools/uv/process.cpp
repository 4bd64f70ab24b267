#include "tools/uv/process.hpp"

#include <csignal>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::uv {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<uv_stdio_container_t> containers(const std::vector<int>& descriptors) {
  std::vector<uv_stdio_container_t> out;
  for (const int descriptor : descriptors) {
    uv_stdio_container_t container{};
    container.flags = descriptor < 0 ? UV_IGNORE : UV_INHERIT_FD;
    container.data.fd = descriptor;
    out.push_back(container);
  }
  return out;
}

}  // namespace

Process::Process(Loop& loop, const Spec& spec, std::function<void(int, int)> on_exit)
    : on_exit_(std::move(on_exit)) {
  std::vector<char*> arguments = pointers(spec.arguments);
  std::vector<char*> environment = pointers(spec.environment);
  std::vector<uv_stdio_container_t> stdio = containers(spec.descriptors);
  uv_process_options_t options{};
  options.file = arguments.front();
  options.args = arguments.data();
  options.env = environment.data();
  options.cwd = spec.directory.empty() ? nullptr : spec.directory.c_str();
  options.stdio = stdio.data();
  options.stdio_count = static_cast<int>(stdio.size());
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    auto* self = static_cast<Process*>(process->data);
    // What it has started and left behind in its group goes with it.
    ::kill(-self->pid_, SIGKILL);
    self->running_ = false;
    self->on_exit_(static_cast<int>(code), signal);
  };
  auto* handle = new uv_process_t;
  const int status = uv_spawn(loop.get(), handle, &options);
  handle->data = this;
  handle_.reset(handle);
  if (status != 0) {
    // The program that does not start is told by the one that is to become it (exec-child).
    const char* const reason = uv_strerror(status);
    if (status == UV_EACCES || status == UV_ENOENT || status == UV_EPERM)
      throw SystemError(fmt::format(
          "cannot start a process in {}: {}: see that this folder, lbsp and /dev/null can be opened",
          spec.directory.empty() ? "." : spec.directory, reason));
    throw SystemError(
        fmt::format("cannot start a process: {}: use fewer ranks here, or raise the limits of open files and "
                    "processes (ulimit -n, ulimit -u)",
                    reason));
  }
  pid_ = handle->pid;
}

void Process::signal(int number) {
  if (!running_) return;
  if (::kill(-pid_, number) != 0) ::kill(pid_, number);
}

}  // namespace lbsp::uv
