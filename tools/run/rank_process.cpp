#include "tools/run/rank_process.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/run/exec_child.hpp"
#include "tools/run/program_lookup.hpp"
#include "tools/uv/descriptors.hpp"
#include "transport/error.hpp"

namespace lbsp::launch {
namespace {

using job::FrameKind;

/// How long what a process has started may hold its output open after its own end, while nothing comes.
constexpr std::chrono::milliseconds patience_with_stragglers{500};

constexpr int control_descriptor = 3;

void set(std::vector<std::string>& environment, std::string_view name, const std::string& value) {
  const std::string prefix = fmt::format("{}=", name);
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
  environment.push_back(prefix + value);
}

/// OpenBLAS takes all processors unless told otherwise, in every rank.
std::string blas_threads(const job::Spawn& spawn) {
  if (!spawn.blas_threads.empty()) return spawn.blas_threads;
  const int processors = static_cast<int>(uv_available_parallelism());
  return std::to_string(std::max(1, processors / std::max(1, spawn.ranks_on_host)));
}

std::vector<std::string> environment_for(const job::Spawn& spawn) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  set(environment, "LBSP_CONTROL_FD", std::to_string(control_descriptor));
  set(environment, "OPENBLAS_NUM_THREADS", blas_threads(spawn));
  return environment;
}

}  // namespace

RankProcess::RankProcess(uv::Loop& loop, const job::Spawn& spawn, bool own_input, Tell tell)
    : spawn_(spawn), tell_(std::move(tell)), loop_(loop), straggler_(loop) {
  std::error_code ignored;
  const bool here = std::filesystem::is_directory(spawn.directory, ignored);
  const std::string directory = here ? spawn.directory : std::filesystem::current_path(ignored).string();
  const uv::Process::Spec spec{
      .arguments = exec_child_command(find_program(spawn.program, directory), spawn.arguments),
      .environment = environment_for(spawn),
      .directory = directory,
      .descriptors = {}};
  start(spec, own_input ? std::optional<int>(STDIN_FILENO) : std::nullopt);
  read_lines(*output_, output_lines_, FrameKind::output);
  read_lines(*error_output_, error_lines_, FrameKind::error_output);
  read_control();
}

void RankProcess::start(const uv::Process::Spec& spec, std::optional<int> own_input) {
  uv::DescriptorPair input;
  if (spawn_.input && !own_input) {
    input = uv::pipe_to_child();
    input_ = std::make_unique<uv::Stream>(loop_, input.ours.release());
  }
  auto output = uv::pipe_from_child();
  auto error_output = uv::pipe_from_child();
  auto control = uv::socket_to_child();
  output_ = std::make_unique<uv::Stream>(loop_, output.ours.release());
  error_output_ = std::make_unique<uv::Stream>(loop_, error_output.ours.release());
  control_ = std::make_unique<uv::Stream>(loop_, control.ours.release());
  uv::Process::Spec whole = spec;
  whole.descriptors = {own_input.value_or(input.childs.get()), output.childs.get(), error_output.childs.get(),
                       control.childs.get()};
  process_ = std::make_unique<uv::Process>(loop_, whole, [this](int code, int signal) {
    exited_ = job::Exited{code, signal, {}};
    end_if_all_has_come();
    if (!ended_) wait_for_stragglers();
  });
}

void RankProcess::wait_for_stragglers() {
  has_read_ = false;
  straggler_.start(patience_with_stragglers, [this] {
    if (paused_ || (has_read_ && --waits_left_ > 0)) {
      wait_for_stragglers();
      return;
    }
    output_->close();
    error_output_->close();
    control_->close();
  });
}

void RankProcess::read_lines(uv::Stream& stream, LineSplitter& splitter, FrameKind kind) {
  const auto tell_lines = [this, kind](std::string lines) {
    if (!lines.empty()) tell_({kind, static_cast<std::uint16_t>(spawn_.first_rank), std::move(lines)});
  };
  stream.read(
      [this, &splitter, tell_lines](std::string_view bytes) {
        has_read_ = true;
        tell_lines(splitter.add(bytes));
      },
      [this, &splitter, tell_lines] {
        tell_lines(splitter.rest());
        --open_;
        end_if_all_has_come();
      });
}

void RankProcess::read_control() {
  const auto on_data = [this](std::string_view bytes) {
    try {
      frames_.add(bytes);
      while (auto frame = frames_.next()) {
        frame->rank =
            static_cast<std::uint16_t>(spawn_.first_rank + std::min<int>(frame->rank, spawn_.ranks - 1));
        tell_(std::move(*frame));
      }
    } catch (const Error& error) {
      const job::Failure failure{error.what(), false};
      tell_({FrameKind::failure, static_cast<std::uint16_t>(spawn_.first_rank), to_payload(failure)});
      signal(SIGKILL);
      control_->close();
    }
  };
  control_->read(on_data, [this] {
    --open_;
    end_if_all_has_come();
  });
}

void RankProcess::send_to_rank(const job::Frame& frame) {
  control_->write(encode(frame));
}

void RankProcess::input(std::string bytes) {
  if (!input_) return;
  if (bytes.empty()) {
    input_->finish();
    return;
  }
  const std::size_t count = bytes.size();
  input_->write(std::move(bytes), [this, count](bool written) {
    if (!written) return;
    tell_({FrameKind::input_taken, static_cast<std::uint16_t>(spawn_.first_rank), std::to_string(count)});
  });
}

void RankProcess::pause_output() {
  paused_ = true;
  output_->pause();
  error_output_->pause();
}

void RankProcess::resume_output() {
  paused_ = false;
  output_->resume();
  error_output_->resume();
}

void RankProcess::end_if_all_has_come() {
  if (!exited_ || open_ > 0 || ended_) return;
  ended_ = true;
  straggler_.stop();
  if (input_) input_->close();
  tell_({FrameKind::exited, static_cast<std::uint16_t>(spawn_.first_rank), to_payload(*exited_)});
}

}  // namespace lbsp::launch
