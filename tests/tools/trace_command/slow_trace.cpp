#include "tests/tools/trace_command/slow_trace.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

namespace lbsp::test {

using nlohmann::json;

std::string slow_trace(double cpu) {
  const auto line = [](int rank, double compute, double used) {
    return json{{"version", 2},
                {"superstep", 0},
                {"supersteps", 1},
                {"rank", rank},
                {"compute", compute},
                {"communicate", 4.1 - compute},
                {"packets", {{"retransmitted", 0}}},
                {"cpu", used},
                {"waiting", 4.1 - compute},
                {"to", json::array()},
                {"network", {{"loss", 0}, {"rtt", 0.2}, {"rate", 0}, {"bandwidth", 1e6}}}};
  };
  std::string out = line(0, 1, 1).dump() + '\n' + line(1, 4, cpu).dump() + '\n';
  for (const int rank : {0, 1}) {
    json end = line(rank, 0, 0);
    end["superstep"] = nullptr;
    end["told"] = true;
    end["seconds"] = {{"total", 9}, {"start", 0}};
    end["job"] = {{"program", "<own> & \x1b[2J\nonly"},
                  {"ranks", 2},
                  {"host", "\x1b[1mhere"},
                  {"backend", "udp"},
                  {"finished", true}};
    out += end.dump() + '\n';
  }
  return out;
}

std::string slow_trace_of(int supersteps, const std::function<void(int, int, json&)>& change) {
  std::istringstream lines(slow_trace(1));
  std::string steps;
  std::string ends;
  for (std::string line; std::getline(lines, line);) {
    json step = json::parse(line);
    if (step["superstep"].is_null()) {
      step["seconds"]["total"] = 1000;
      ends += step.dump() + '\n';
      continue;
    }
    for (int k = 0; k < supersteps; ++k) {
      step["superstep"] = k;
      change(step["rank"].get<int>(), k, step);
      steps += step.dump() + '\n';
    }
  }
  return steps + ends;
}

std::string slow_trace_without(int lost) {
  std::istringstream lines(slow_trace(1));
  std::string trace;
  for (std::string text; std::getline(lines, text);) {
    json line = json::parse(text);
    const bool ends = line["superstep"].is_null();
    if (line["rank"] == lost && !ends) continue;
    if (ends) {
      line["job"]["finished"] = false;
      line["job"]["reason"] = "rank was killed <9>";
      line["told"] = line["rank"] != lost;
    }
    trace += line.dump() + '\n';
  }
  return trace;
}

Outcome convert(const std::vector<std::string>& words) {
  std::vector<std::string> all{built("lbsp"), "trace", "convert"};
  all.insert(all.end(), words.begin(), words.end());
  return Command(all).wait();
}

std::string page_of(const std::string& trace_file) {
  const TemporaryFolder folder;
  const Outcome outcome =
      Command({built("lbsp"), "report", trace_file, "-o", folder.path() / "report.html"}).wait();
  return outcome.code == 0 ? folder.read("report.html") : outcome.errors;
}

}  // namespace lbsp::test
