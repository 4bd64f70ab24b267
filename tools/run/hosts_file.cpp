#include "tools/run/hosts_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "transport/error.hpp"

namespace lbsp::launch {
namespace {

constexpr int max_slots = 65535;

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
      refuse(fmt::format("\"{}\" comes first: begin with the host's name", host.name));
    }
    if (host.name.front() == '-' || host.name.find('@') != std::string::npos) {
      refuse(fmt::format("\"{}\" is no host name: write the user as user=NAME", host.name));
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
      refuse(fmt::format("\"{}\" is not known: write HOST [slots=N] [user=NAME] [address=ADDRESS]", word));
    }
    if (value.empty()) refuse(fmt::format("{} has no value: write {}=VALUE, without blanks", key, key));
    if (!keys_.insert(key).second) refuse(fmt::format("{} is there twice: leave one out", key));
    if (key == "slots") host.slots = read_slots(value);
    if (key == "user") host.user = value;
    if (key == "address") host.address = value;
  }

  int read_slots(const std::string& value) const {
    int slots = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), slots);
    if (problem != std::errc{} || end != value.data() + value.size() || slots < 1 || slots > max_slots) {
      refuse(fmt::format("slots={}: choose a whole number from 1 to {}", value, max_slots));
    }
    return slots;
  }

  const std::string& file_;
  int number_;
  std::set<std::string> keys_;
};

}  // namespace

std::vector<HostEntry> read_hosts(std::istream& in, const std::string& file) {
  std::vector<HostEntry> hosts;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    text.erase(std::ranges::find(text, '#'), text.end());
    if (text.find_first_not_of(" \t\r\f\v") == std::string::npos) continue;
    LineReader reader(file, number);
    HostEntry host = reader.read(text);
    const auto twin = std::ranges::find(hosts, host.name, &HostEntry::name);
    if (twin != hosts.end()) {
      reader.refuse(
          fmt::format("{} is in line {} already: write it once, with slots=N", host.name, twin->line));
    }
    hosts.push_back(std::move(host));
  }
  if (hosts.empty()) throw UsageError(fmt::format("{} names no host: write one a line", file));
  return hosts;
}

std::vector<HostEntry> read_hosts_file(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UsageError(fmt::format("cannot read the hosts file {}: {}", file, std::strerror(errno)));
  auto hosts = read_hosts(in, file);
  return hosts;
}

}  // namespace lbsp::launch
