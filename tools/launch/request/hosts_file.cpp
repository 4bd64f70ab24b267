#include "tools/launch/request/hosts_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "tools/command_line/text_file.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::request {
namespace {

constexpr int max_slots = 65535;
constexpr std::size_t max_hosts = 65535;
/// Room for as many hosts with all their settings.
constexpr std::size_t max_hosts_file_bytes = std::size_t{8} << 20;
constexpr std::size_t longest_quoted_part = 60;
/// UTF-8's, which some editors put before the text.
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

constexpr std::string_view marks_of_names = "-._:%";
constexpr std::string_view marks_of_users = "-._@+";
/// More than any name has in the DNS (253).
constexpr std::size_t longest_name = 255;

/// Names reach ssh, mpirun, a launch agent's script and a shell on the other host. So they have none of the
/// characters that any of these might act upon, and do not begin as options do.
bool is_plain(std::string_view word, std::string_view marks) {
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  };
  return !word.empty() && word.size() <= longest_name && word.front() != '-' &&
         std::ranges::all_of(word, allowed);
}

/// IPv6 addresses stand in brackets where a port follows, as [fe80::1%eth0]:4000 does.
std::string without_brackets(const std::string& address) {
  const bool in_brackets =
      address.starts_with('[') && address.ends_with(']') && address.find(':') != address.npos;
  return in_brackets ? address.substr(1, address.size() - 2) : address;
}

/// Part of a line, for a message.
std::string in_quotes(std::string_view text) {
  return fmt::format("\"{}\"", printable(text, longest_quoted_part));
}

/// One line being read, and where it stands.
class LineReader {
 public:
  LineReader(const std::string& file, int number) : file_(file), number_(number) {}

  HostEntry read(const std::string& text) {
    std::istringstream words(text);
    HostEntry host;
    host.line = number_;
    words >> host.name;
    if (host.name.find('=') != std::string::npos) {
      refuse(fmt::format("{} comes first: begin with the host's name", in_quotes(host.name)));
    }
    if (!is_plain(host.name, marks_of_names)) {
      refuse(fmt::format(
          "{} is no host name: write letters, digits and . - _ : %, 255 at most, and the user as user=NAME",
          in_quotes(host.name)));
    }
    for (std::string word; words >> word;)
      read_setting(word, host);
    return host;
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw UsageError(fmt::format("{}, line {}: {}", file_, number_, problem));
  }

 private:
  void read_setting(const std::string& word, HostEntry& host) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key != "slots" && key != "user" && key != "address") {
      refuse(fmt::format("{} is not known: write HOST [slots=N] [user=NAME] [address=ADDRESS]",
                         in_quotes(word)));
    }
    if (value.empty()) refuse(fmt::format("{} has no value: write {}=VALUE, without blanks", key, key));
    if (!keys_.insert(key).second) refuse(fmt::format("{} is there twice: leave one out", key));
    if (key == "slots") host.slots = read_slots(value);
    if (key == "user") host.user = plain(key, value, marks_of_users, "letters, digits and . - _ @ +");
    if (key == "address")
      host.address =
          plain(key, without_brackets(value), marks_of_names, "an IP address, or letters, digits and . - _");
  }

  std::string plain(const std::string& key, const std::string& value, std::string_view marks,
                    const char* advice) const {
    if (!is_plain(value, marks))
      refuse(fmt::format("{}={}: write {}, and no - at its start", key, in_quotes(value), advice));
    return value;
  }

  int read_slots(const std::string& value) const {
    int slots = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), slots);
    if (problem != std::errc{} || end != value.data() + value.size() || slots < 1 || slots > max_slots) {
      refuse(fmt::format("slots={}: choose a whole number from 1 to {}", printable(value, 30), max_slots));
    }
    return slots;
  }

  const std::string& file_;
  int number_;
  std::set<std::string> keys_;
};

}  // namespace

std::string plain_name(std::string name) {
  if (name.ends_with('.')) name.pop_back();
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

void check_host_options(const HostEntry& host) {
  if (!is_plain(host.name, marks_of_names))
    throw UsageError(fmt::format(
        "HOST: {} is no host name: write letters, digits and . - _ : %, 255 at most, and the user as --user NAME",
        in_quotes(host.name)));
  if (!host.user.empty() && !is_plain(host.user, marks_of_users))
    throw UsageError(fmt::format("--user {}: write letters, digits and . - _ @ +, and no - at its start",
                                 in_quotes(host.user)));
  if (!host.address.empty() && !is_plain(host.address, marks_of_names))
    throw UsageError(
        fmt::format("--address {}: write an IP address, or letters, digits and . - _, and no - at its start",
                    in_quotes(host.address)));
}

std::vector<HostEntry> read_hosts(std::istream& in, const std::string& file) {
  std::vector<HostEntry> hosts;
  std::map<std::string, int> line_of;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (number == 1 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    text.erase(std::ranges::find(text, '#'), text.end());
    if (text.find_first_not_of(" \t\r\f\v") == std::string::npos) continue;
    LineReader reader(file, number);
    HostEntry host = reader.read(text);
    const auto [twin, is_new] = line_of.emplace(plain_name(host.name), number);
    if (!is_new) {
      reader.refuse(
          fmt::format("{} is in line {} already: write it once, with slots=N", host.name, twin->second));
    }
    if (hosts.size() == max_hosts) {
      reader.refuse(
          fmt::format("more than {} hosts, and a job has no more ranks: leave some out", max_hosts));
    }
    hosts.push_back(std::move(host));
  }
  if (hosts.empty()) throw UsageError(fmt::format("{} names no host: write one a line", file));
  return hosts;
}

std::vector<HostEntry> read_hosts_file(const std::string& file) {
  std::istringstream in(command_line::read_text_file(file, "the hosts file", max_hosts_file_bytes));
  return read_hosts(in, file);
}

std::vector<HostEntry> read_hosts_file(const std::string& file, const std::vector<std::string>& only) {
  std::vector<HostEntry> hosts = read_hosts_file(file);
  const auto plain = [](const HostEntry& host) { return plain_name(host.name); };
  std::vector<std::string> plain_only;
  for (const std::string& name : only)
    if (std::ranges::find(hosts, plain_only.emplace_back(plain_name(name)), plain) == hosts.end())
      throw UsageError(fmt::format("--only {}: {} has no such host: write names as they stand there",
                                   printable(name, longest_quoted_part), file));
  const auto is_left_out = [&](const HostEntry& host) {
    return !only.empty() && std::ranges::find(plain_only, plain(host)) == plain_only.end();
  };
  std::erase_if(hosts, is_left_out);
  return hosts;
}

}  // namespace lbsp::launch::request
