#include "tools/launch/hosts/agent_command.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "tools/command_line/own_path.hpp"
#include "tools/command_line/shell_words.hpp"

namespace lbsp::launch::hosts {

std::vector<std::string> agent_command(const request::RunOptions& options, const places::PlacedHost& host) {
  const std::string target = host.user.empty() ? host.name : fmt::format("{}@{}", host.user, host.name);
  std::vector<std::string> command = options.launch_agent;
  if (command.empty()) {
    command = {"ssh", "-T",
               "-o",  "BatchMode=yes",
               "-o",  "ConnectTimeout=10",
               "-o",  "ServerAliveInterval=5",
               "-o",  "ServerAliveCountMax=3"};
  }
  const std::string remote = options.remote_lbsp.empty() ? command_line::own_path() : options.remote_lbsp;
  // Behind --, ssh takes no word for an option (OpenSSH, ssh.c).
  if (std::filesystem::path(command.front()).filename() == "ssh") command.emplace_back("--");
  command.insert(command.end(), {target, command_line::quote_word(remote), "agent"});
  return command;
}

}  // namespace lbsp::launch::hosts
