#include "model/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace lbsp::model {
namespace {

constexpr double flat = 1.01;
constexpr std::size_t most_runners_up = 3;

bool faster(const Setting& a, const Setting& b) {
  return a.seconds < b.seconds;
}

bool has_long_messages(const Program& program, double packet_bytes) {
  for (const ProgramStep& step : program.steps)
    for (const MessageKind& kind : step.messages)
      if (packets_of(kind.bytes, packet_bytes) > 1) return true;
  return false;
}

/// The best protection of one program on one path, by scanning.
class ProtectionSearch {
 public:
  ProtectionSearch(const Program& program, const PacketPath& path, const TuningQuestion& question)
      : program_(program), path_(path), question_(question) {
    best_.seconds = std::numeric_limits<double>::infinity();
  }

  Setting copies_only() {
    scan_copies(std::nullopt);
    return best_;
  }

  /// By turns the best r for a k and the best k for an r, until neither gains anything.
  Setting coded() {
    scan_copies(0);
    for (double before = 0; before != best_.seconds;) {
      before = best_.seconds;
      scan_repair(best_.protection.copies);
      scan_copies(best_.protection.repair);
    }
    return best_;
  }

 private:
  void scan_copies(std::optional<int> repair) {
    for (int copies = 1; copies <= question_.most_copies; ++copies)
      if (!consider({copies, repair})) return;
  }

  void scan_repair(int copies) {
    for (int repair = 0; repair <= question_.most_repair; ++repair)
      if (!consider({copies, repair})) return;
  }

  /// False once the sending alone takes longer than the best: it only grows from there.
  bool consider(const Protection& protection) {
    const Setting setting = evaluate(program_, question_.sequential_seconds, path_, protection);
    if (faster(setting, best_)) best_ = setting;
    return setting.seconds - setting.waiting <= best_.seconds;
  }

  const Program& program_;
  const PacketPath& path_;
  const TuningQuestion& question_;
  Setting best_;
};

/// What is known of each number of nodes, worked out when it is first asked for.
class Search {
 public:
  explicit Search(const TuningQuestion& question) : question_(question) {
    if (question.nodes.empty())
      throw std::invalid_argument("no number of nodes to choose from: allow at least one");
  }

  const TuningQuestion& question() const { return question_; }
  std::size_t places() const { return question_.nodes.size(); }

  /// The best setting for the place-th number of nodes.
  const Setting& at(std::size_t place) {
    const auto found = known_.find(place);
    if (found != known_.end()) return found->second;
    const std::vector<Setting> sizes = by_packet_size(place);
    return known_[place] = *std::ranges::min_element(sizes, {}, &Setting::seconds);
  }

  /// The best setting for each packet size.
  std::vector<Setting> by_packet_size(std::size_t place) const {
    const double nodes = question_.nodes[place];
    const Program program = question_.program(nodes);
    std::vector<Setting> settings;
    for (const PacketPath& path : question_.paths(nodes))
      settings.push_back(best_protection(program, path, question_));
    if (settings.empty()) throw std::invalid_argument("no packet size to choose from: allow at least one");
    return settings;
  }

  /// The places looked at so far, rising.
  std::vector<std::size_t> scanned() const {
    std::vector<std::size_t> places;
    for (const auto& [place, setting] : known_)
      places.push_back(place);
    return places;
  }

  /// Of the places looked at, those faster than the ones beside them, best first.
  std::vector<std::size_t> minima() {
    const std::vector<std::size_t> all = scanned();
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool falls = i == 0 || faster(at(all[i]), at(all[i - 1]));
      const bool rises = i + 1 == all.size() || !faster(at(all[i + 1]), at(all[i]));
      if (falls && rises) found.push_back(all[i]);
    }
    std::ranges::stable_sort(found, [&](auto a, auto b) { return faster(at(a), at(b)); });
    return found;
  }

  void scan() {
    constexpr std::size_t every_one = 64;
    for (std::size_t place = 0; place < places(); place += place < every_one ? 1 : place / 20)
      at(place);
    at(places() - 1);
    auto about = minima();
    about.resize(std::min<std::size_t>(about.size(), most_runners_up));
    for (const std::size_t place : about)
      refine(place);
  }

 private:
  /// All places between the scanned ones beside `place`, by halves.
  void refine(std::size_t place) {
    const std::vector<std::size_t> all = scanned();
    const auto here = std::ranges::lower_bound(all, place);
    std::size_t low = here == all.begin() ? place : *(here - 1);
    std::size_t high = here + 1 == all.end() ? place : *(here + 1);
    while (high - low > 8) {
      const std::size_t third = (high - low) / 3;
      const bool in_lower_part = faster(at(low + third), at(high - third));
      if (in_lower_part) {
        high -= third;
      } else {
        low += third;
      }
    }
    for (std::size_t next = low; next <= high; ++next)
      at(next);
  }

  const TuningQuestion& question_;
  std::map<std::size_t, Setting> known_;
};

PacketPath path_of(const TuningQuestion& question, const Setting& setting) {
  for (const PacketPath& path : question.paths(setting.nodes))
    if (path.packet_bytes == setting.packet_bytes) return path;
  throw std::invalid_argument("a packet size that is not to be chosen: choose one of those given");
}

void add_protections(Tuning& tuning, const TuningQuestion& question) {
  const Setting& best = tuning.best;
  const Program program = question.program(best.nodes);
  const PacketPath path = path_of(question, best);
  const auto add = [&](const char* change, const Protection& protection) {
    tuning.neighbours.push_back({change, evaluate(program, question.sequential_seconds, path, protection)});
  };
  const auto [copies, repair] = best.protection;
  if (copies > 1) add("copies", {copies - 1, repair});
  if (copies < question.most_copies) add("copies", {copies + 1, repair});
  if (!repair && !has_long_messages(program, path.packet_bytes)) return;
  if (!repair) {
    add("repair", ProtectionSearch(program, path, question).coded().protection);
    return;
  }
  if (*repair > 0) add("repair", {copies, *repair - 1});
  if (*repair < question.most_repair) add("repair", {copies, *repair + 1});
  add("repair", ProtectionSearch(program, path, question).copies_only().protection);
}

void add_sizes(Tuning& tuning, const Search& search, std::size_t place) {
  for (const Setting& setting : search.by_packet_size(place))
    if (setting.packet_bytes != tuning.best.packet_bytes)
      tuning.neighbours.push_back({"packet_size", setting});
}

void add_nodes(Tuning& tuning, Search& search, std::size_t place) {
  if (place > 0) tuning.neighbours.push_back({"nodes", search.at(place - 1)});
  if (place + 1 < search.places()) tuning.neighbours.push_back({"nodes", search.at(place + 1)});
}

void describe_flatness(Tuning& tuning, Search& search, std::size_t best) {
  const std::vector<std::size_t> all = search.scanned();
  const auto here = static_cast<std::size_t>(std::ranges::lower_bound(all, best) - all.begin());
  const double enough = flat * tuning.best.seconds;
  std::size_t from = here;
  while (from > 0 && search.at(all[from - 1]).seconds <= enough)
    --from;
  std::size_t to = here;
  while (to + 1 < all.size() && search.at(all[to + 1]).seconds <= enough)
    ++to;
  tuning.flat_from = search.at(all[from]);
  tuning.flat_to = search.at(all[to]);
}

/// The superstep that takes the longest, as the assumptions see it.
std::optional<Circumstances> circumstances(const Program& program, const PacketPath& path,
                                           const Setting& setting) {
  std::optional<Circumstances> found;
  double longest = -1;
  for (const ProgramStep& step : program.steps) {
    const double seconds = step.times * superstep_time(step, program.nodes, path, setting.protection).seconds;
    if (seconds <= longest || step.messages.empty()) continue;
    longest = seconds;
    const MessageKind& kind = step.messages.front();
    const double packets = packets_of(kind.bytes, path.packet_bytes);
    const bool coded = setting.protection.repair && packets > 1;
    found = Circumstances{.traffic = {kind.messages, packets, kind.per_node * packets},
                          .network = {path.loss, path.packet_bytes / path.bandwidth, path.round_trip},
                          .copies = coded ? 1 : setting.protection.copies,
                          .loss_after_loss = path.loss_after_loss,
                          .seconds_allowed = std::nullopt,
                          .fragmented = path.fragmented};
  }
  return found;
}

}  // namespace

Setting evaluate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection) {
  Setting setting{.protection = protection, .packet_bytes = path.packet_bytes, .nodes = program.nodes};
  for (const ProgramStep& step : program.steps) {
    const SuperstepTime time = superstep_time(step, program.nodes, path, protection);
    setting.communication += step.times * time.seconds;
    setting.waiting += step.times * (time.seconds - time.first_round);
  }
  setting.seconds = program.parallel_seconds + setting.communication;
  if (setting.seconds > 0) setting.speedup = sequential_seconds / setting.seconds;
  return setting;
}

Setting best_protection(const Program& program, const PacketPath& path, const TuningQuestion& question) {
  if (program.steps.empty()) return evaluate(program, question.sequential_seconds, path, {});
  const Setting copies = ProtectionSearch(program, path, question).copies_only();
  if (!has_long_messages(program, path.packet_bytes)) return copies;
  const Setting coded = ProtectionSearch(program, path, question).coded();
  return faster(coded, copies) ? coded : copies;
}

Tuning tune(const TuningQuestion& question) {
  Search search(question);
  search.scan();
  const std::vector<std::size_t> minima = search.minima();
  const std::size_t best = minima.front();
  Tuning tuning;
  tuning.best = search.at(best);
  tuning.at_limit = best > 0 && best + 1 == search.places();
  for (std::size_t i = 1; i < std::min(minima.size(), most_runners_up + 1); ++i)
    tuning.runners_up.push_back(search.at(minima[i]));
  describe_flatness(tuning, search, best);
  add_nodes(tuning, search, best);
  if (tuning.best.nodes == 1) return tuning;
  add_protections(tuning, question);
  add_sizes(tuning, search, best);
  const auto here =
      circumstances(question.program(tuning.best.nodes), path_of(question, tuning.best), tuning.best);
  if (here) tuning.doubts = doubts(*here);
  return tuning;
}

}  // namespace lbsp::model
