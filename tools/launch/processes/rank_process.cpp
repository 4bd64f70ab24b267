#include "tools/launch/processes/rank_process.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/job/inherited_descriptor.hpp"
#include "tools/launch/processes/exec_child.hpp"
#include "tools/launch/processes/program_lookup.hpp"
#include "tools/launch/processes/reached_limit.hpp"
#include "tools/uv/descriptors.hpp"
#include "tools/uv/pseudo_terminal.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::processes {
namespace {

using job::FrameKind;

/// A line that has not ended is passed on when nothing more of it has come for so long: a prompt. Rank 0's on
/// a terminal goes at once.
constexpr std::chrono::milliseconds patience_with_lines{50};

constexpr int control_descriptor = 3;
constexpr int shared_memory_descriptor = 4;
constexpr int port_descriptor = 5;

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

std::vector<std::string> environment_for(const job::Spawn& spawn, const RankProcess::Inherited& inherited) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  set(environment, "LBSP_CONTROL_FD", std::to_string(control_descriptor));
  if (inherited.shared_memory >= 0)
    set(environment, job::shared_memory_variable, std::to_string(shared_memory_descriptor));
  if (inherited.port >= 0) set(environment, job::port_variable, std::to_string(port_descriptor));
  set(environment, "OPENBLAS_NUM_THREADS", blas_threads(spawn));
  return environment;
}

}  // namespace

RankProcess::RankProcess(uv::Loop& loop, const job::Spawn& spawn, const Inherited& inherited, Events events)
    : spawn_(spawn),
      tell_(std::move(events.tell)),
      on_exit_(std::move(events.on_exit)),
      loop_(loop),
      output_(loop, FrameKind::output),
      error_output_(loop, FrameKind::error_output),
      stragglers_(loop, [this] { give_up_stragglers(); }) {
  std::error_code ignored;
  const bool here = std::filesystem::is_directory(spawn.directory, ignored);
  const std::string directory = here ? spawn.directory : std::filesystem::current_path(ignored).string();
  const uv::Process::Spec spec{
      .arguments = exec_child_command(find_program(spawn.program, directory), spawn.arguments),
      .environment = environment_for(spawn, inherited),
      .directory = directory,
      .descriptors = {}};
  start(spec, inherited);
  read_lines(output_);
  read_lines(error_output_);
  read_control();
}

void RankProcess::start(const uv::Process::Spec& spec, const Inherited& inherited) {
  const job::Terminal terminal = spawn_.terminal.value_or(job::Terminal{});
  uv::DescriptorPair tty;
  if (terminal.input || terminal.output)
    tty = uv::terminal_to_child({.rows = terminal.rows, .columns = terminal.columns});
  terminal_ = tty.ours.get();
  uv::DescriptorPair input;
  int childs_input = inherited.input ? STDIN_FILENO : -1;
  if (terminal.input) {
    input.ours = uv::Descriptor(::fcntl(tty.ours.get(), F_DUPFD_CLOEXEC, 0));
    terminal_ = input.ours.get();
    childs_input = tty.childs.get();
  } else if (spawn_.input && !inherited.input) {
    input = uv::pipe_to_child();
    childs_input = input.childs.get();
  }
  if (input.ours.get() >= 0) input_ = std::make_unique<uv::Stream>(loop_, input.ours.release());
  uv::DescriptorPair output;
  if (!terminal.output) output = uv::pipe_from_child();
  auto error_output = uv::pipe_from_child();
  auto control = uv::socket_to_child();
  // A terminal for input alone may be written to all the same.
  output_.stream = std::make_unique<uv::Stream>(loop_, (terminal.output ? tty : output).ours.release());
  error_output_.stream = std::make_unique<uv::Stream>(loop_, error_output.ours.release());
  control_ = std::make_unique<uv::Stream>(loop_, control.ours.release());
  uv::Process::Spec whole = spec;
  whole.descriptors = {childs_input,
                       (terminal.output ? tty : output).childs.get(),
                       error_output.childs.get(),
                       control.childs.get(),
                       inherited.shared_memory,
                       inherited.port};
  process_ =
      std::make_unique<uv::Process>(loop_, whole, [this](int code, int signal) { note_exit(code, signal); });
}

/// Of one that was cut off nobody is to look for who killed it.
void RankProcess::note_exit(int code, int signal) {
  exited_ = cut_off_ ? job::Exited{.code = 1, .signal = 0, .problem = {}, .limit = {}}
                     : job::Exited{code, signal, {}, limit_reached_by_child(signal)};
  on_exit_();
  end_if_all_has_come();
  if (!ended_) stragglers_.begin();
}

void RankProcess::give_up_stragglers() {
  output_.stream->close();
  error_output_.stream->close();
  control_->close();
}

void RankProcess::read_lines(Output& output) {
  output.stream->read(
      [this, &output](std::string_view bytes) {
        stragglers_.heard();
        tell_output(output, output.lines.add(bytes));
        tell_partial_line_in_time(output);
      },
      [this, &output] {
        output.pause.stop();
        tell_output(output, output.lines.rest());
        --open_;
        end_if_all_has_come();
      });
}

void RankProcess::tell_output(Output& output, std::string bytes) {
  if (!bytes.empty()) tell_({output.kind, static_cast<std::uint16_t>(spawn_.first_rank), std::move(bytes)});
}

void RankProcess::tell_partial_line_in_time(Output& output) {
  output.pause.stop();
  if (output.lines.at_boundary() || spawn_.whole_lines) return;
  if (terminal_ >= 0) {
    tell_output(output, output.lines.rest());
  } else {
    output.pause.start(patience_with_lines, [this, &output] { tell_output(output, output.lines.rest()); });
  }
}

void RankProcess::read_control() {
  const auto on_data = [this](std::string_view bytes) {
    stragglers_.heard();
    try {
      frames_.add(bytes);
      while (auto frame = frames_.next()) {
        if (way_of(frame->kind) != job::Way::of_rank) job::throw_out_of_turn();
        frame->rank =
            static_cast<std::uint16_t>(spawn_.first_rank + std::min<int>(frame->rank, spawn_.ranks - 1));
        tell_(std::move(*frame));
      }
    } catch (const Error& error) {
      const job::Failure failure{error.what(), false};
      tell_({FrameKind::failure, static_cast<std::uint16_t>(spawn_.first_rank), to_payload(failure)});
      cut_off_ = true;
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
  const std::size_t count = bytes.size();
  const bool on_terminal = spawn_.terminal && spawn_.terminal->input;
  if (on_terminal && !bytes.ends_with('\n')) bytes += uv::end_of_input;
  if (bytes.empty()) {
    input_->finish();
    return;
  }
  input_->write(std::move(bytes), [this, count](bool written) {
    if (!written) return;
    tell_({FrameKind::input_taken, static_cast<std::uint16_t>(spawn_.first_rank), std::to_string(count)});
  });
}

void RankProcess::set_window(const job::Terminal& terminal) {
  if (terminal_ < 0 || ended_) return;
  uv::set_window_size(terminal_, {.rows = terminal.rows, .columns = terminal.columns});
  // The terminal controls nobody, so that the system tells nobody.
  signal(SIGWINCH);
}

void RankProcess::pause_output() {
  stragglers_.hold(true);
  output_.stream->pause();
  error_output_.stream->pause();
}

void RankProcess::resume_output() {
  stragglers_.hold(false);
  output_.stream->resume();
  error_output_.stream->resume();
}

void RankProcess::end_if_all_has_come() {
  if (!exited_ || open_ > 0 || ended_) return;
  ended_ = true;
  stragglers_.stop();
  if (input_) input_->close();
  // At the end of the data a stream is still open.
  for (const auto& stream : {&output_.stream, &error_output_.stream, &control_})
    (*stream)->close();
  terminal_ = -1;
  tell_({FrameKind::exited, static_cast<std::uint16_t>(spawn_.first_rank), to_payload(*exited_)});
}

}  // namespace lbsp::launch::processes
