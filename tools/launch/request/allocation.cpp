#include "tools/launch/request/allocation.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "tools/command_line/text_file.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::request {
namespace {

constexpr std::size_t most_hosts = 65535;
constexpr std::size_t longest_quoted_list = 60;
constexpr std::size_t max_pbs_file_bytes = std::size_t{8} << 20;

[[noreturn]] void refuse(const char* what, std::string_view list) {
  throw UsageError(
      fmt::format("the batch system's {} \"{}\" cannot be read: name the hosts with --hosts FILE", what,
                  printable(list, longest_quoted_list)));
}

/// The parts between commas that are not in brackets.
std::vector<std::string_view> parts_of(std::string_view list, const char* what) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool within = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '[' || list[i] == ']')) {
      if (within == (list[i] == '[')) refuse(what, list);
      within = !within;
    }
    if (i < list.size() && (list[i] != ',' || within)) continue;
    parts.push_back(list.substr(start, i - start));
    start = i + 1;
  }
  if (within || std::ranges::find(parts, "") != parts.end()) refuse(what, list);
  return parts;
}

int number_in(std::string_view digits, const char* what, std::string_view list) {
  int number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc{} || end != digits.data() + digits.size() || number < 0) refuse(what, list);
  return number;
}

constexpr const char* nodes = "list of hosts";

/// Adds what "3" or "08-12" stands for, with as many digits, between `before` and what each of `after` is.
void expand_range(std::string_view range, const std::string& before, const std::vector<std::string>& after,
                  std::vector<std::string>& hosts) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  const int least = number_in(first, nodes, range);
  const int most = number_in(last, nodes, range);
  const auto count = static_cast<std::size_t>(std::max(0, most - least + 1));
  if (count == 0 || hosts.size() + count * after.size() > most_hosts) refuse(nodes, range);
  for (int number = least; number <= most; ++number) {
    for (const std::string& rest : after)
      hosts.push_back(fmt::format("{}{:0{}}{}", before, number, first.size(), rest));
  }
}

/// Adds the hosts of one part, which may have several brackets.
void expand_part(std::string_view part, std::vector<std::string>& hosts) {
  const std::size_t open = part.find('[');
  if (open == std::string_view::npos) {
    hosts.emplace_back(part);
    return;
  }
  const std::size_t close = part.find(']', open);
  std::vector<std::string> after;
  expand_part(part.substr(close + 1), after);
  for (const std::string_view range : parts_of(part.substr(open + 1, close - open - 1), nodes))
    expand_range(range, std::string(part.substr(0, open)), after, hosts);
}

std::vector<std::string> srun(int slots) {
  return {"srun",      "--quiet",    "--overlap",       "--unbuffered",
          "--nodes=1", "--ntasks=1", "--cpu-bind=none", fmt::format("--cpus-per-task={}", slots),
          "--nodelist"};
}

Allocation of_slurm(const char* list, const char* tasks, const char* job) {
  Allocation allocation{
      .name = fmt::format("the Slurm job {}", job == nullptr ? "" : job), .hosts = {}, .agent = {}};
  const std::vector<std::string> names = expand_host_list(list);
  std::vector<int> slots = tasks == nullptr ? std::vector<int>(names.size(), 1) : expand_counts(tasks);
  if (slots.size() != names.size()) refuse("tasks of each host", tasks);
  for (std::size_t i = 0; i < names.size(); ++i)
    allocation.hosts.push_back({.name = names[i], .slots = slots[i], .user = {}, .address = {}, .line = 0});
  allocation.agent = srun(*std::ranges::max_element(slots));
  return allocation;
}

Allocation of_pbs(const std::string& file) {
  std::istringstream lines(command_line::read_text_file(file, "PBS' file of hosts", max_pbs_file_bytes));
  Allocation allocation{.name = "the PBS job", .hosts = {}, .agent = {}};
  // A line for each slot.
  for (std::string name; lines >> name;) {
    const auto known = std::ranges::find(allocation.hosts, name, &HostEntry::name);
    if (known != allocation.hosts.end()) {
      ++known->slots;
    } else {
      allocation.hosts.push_back({.name = name, .slots = 1, .user = {}, .address = {}, .line = 0});
    }
  }
  if (allocation.hosts.empty() || allocation.hosts.size() > most_hosts) refuse("file of hosts", file);
  return allocation;
}

}  // namespace

bool Allocation::is_this_machine() const {
  std::string here(HOST_NAME_MAX + 1, '\0');
  if (hosts.size() != 1 || ::gethostname(here.data(), here.size()) != 0) return false;
  here.resize(here.find('\0'));
  const std::string& only = hosts.front().name;
  return only.substr(0, only.find('.')) == here.substr(0, here.find('.'));
}

std::vector<std::string> expand_host_list(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view part : parts_of(list, nodes))
    expand_part(part, hosts);
  return hosts;
}

std::vector<int> expand_counts(std::string_view list) {
  constexpr const char* what = "tasks of each host";
  std::vector<int> counts;
  for (const std::string_view part : parts_of(list, what)) {
    const std::size_t open = part.find("(x");
    const int count = number_in(part.substr(0, open), what, list);
    int times = 1;
    if (open != std::string_view::npos) {
      if (!part.ends_with(')')) refuse(what, list);
      times = number_in(part.substr(open + 2, part.size() - open - 3), what, list);
    }
    if (count < 1 || counts.size() + static_cast<std::size_t>(times) > most_hosts) refuse(what, list);
    counts.insert(counts.end(), static_cast<std::size_t>(times), count);
  }
  return counts;
}

std::optional<Allocation> allocation_in(const Environment& environment) {
  if (const char* const list = environment("SLURM_JOB_NODELIST"); list != nullptr && *list != 0) {
    const char* const tasks = environment("SLURM_TASKS_PER_NODE");
    return of_slurm(list, tasks == nullptr ? environment("SLURM_JOB_CPUS_PER_NODE") : tasks,
                    environment("SLURM_JOB_ID"));
  }
  if (const char* const file = environment("PBS_NODEFILE"); file != nullptr && *file != 0)
    return of_pbs(file);
  return std::nullopt;
}

}  // namespace lbsp::launch::request
