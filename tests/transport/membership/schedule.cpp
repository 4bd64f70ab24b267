#include "schedule.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string text_of(const MemberSet& set) {
  std::string text;
  set.for_each([&](Slot slot) { text += fmt::format("{}{}", text.empty() ? "" : ",", slot); });
  return text;
}

/// Draws the parts of one schedule. std::mt19937_64 gives the same numbers everywhere; distributions do not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) { schedule_.seed = seed; }

  Schedule all() {
    schedule_.size = 3 + below(14);
    schedule_.one_way = between(1ms, 100ms);
    schedule_.loss = 0.3 * fraction() * fraction();
    schedule_.compute = between(2ms, 300ms);
    const int faults = 1 + below(4);
    for (int i = 0; i < faults; ++i)
      fault();
    if (schedule_.seed % 2 == 0) notices();
    return schedule_;
  }

 private:
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  Duration between(Duration least, Duration most) {
    return least +
           Duration{static_cast<Duration::rep>(fraction() * static_cast<double>((most - least).count()))};
  }
  Slot slot() { return below(schedule_.size); }
  Duration when() { return between(0ms, 4s); }
  /// Around the half of the limit, the limit, or anything.
  Duration awhile() {
    switch (below(3)) {
      case 0:
        return between(peer_timeout * 9 / 20, peer_timeout * 11 / 20);
      case 1:
        return between(peer_timeout * 9 / 10, peer_timeout * 13 / 10);
      default:
        return between(10ms, 5 * peer_timeout);
    }
  }

  void fault() {
    switch (below(7)) {
      case 0:
        schedule_.deaths.push_back({slot(), when()});
        return;
      case 1:
        return two_deaths();
      case 2:
        schedule_.deaths_speaking.push_back({slot(), 1 + below(25), below(schedule_.size)});
        return;
      case 3:
        return freeze();
      case 4:
        return cut_pair();
      case 5:
        return isolate();
      default:
        return split();
    }
  }

  void two_deaths() {
    const Duration first = when();
    schedule_.deaths.push_back({slot(), first});
    schedule_.deaths.push_back({slot(), first + between(peer_timeout / 4, peer_timeout * 3 / 2)});
  }
  void freeze() {
    const Duration begin = when();
    schedule_.freezes.push_back({slot(), begin, begin + awhile()});
  }
  /// One way or both.
  void cut_pair() {
    const MemberSet one{slot()};
    const MemberSet other{slot()};
    const Duration begin = when();
    const Duration end = begin + awhile();
    schedule_.cuts.push_back({one, other, begin, end});
    if (below(2) == 0) schedule_.cuts.push_back({other, one, begin, end});
  }
  /// One that nobody hears, or that hears nobody, or only some.
  void isolate() {
    const MemberSet one{slot()};
    MemberSet others = MemberSet::first(schedule_.size) - one;
    if (below(2) == 0) others = some();
    const Duration begin = when();
    if (below(2) == 0) {
      schedule_.cuts.push_back({one, others, begin, begin + awhile()});
    } else {
      schedule_.cuts.push_back({others, one, begin, begin + awhile()});
    }
  }
  void split() {
    const MemberSet one = some();
    const MemberSet other = MemberSet::first(schedule_.size) - one;
    const Duration begin = when();
    const Duration end = begin + awhile();
    schedule_.cuts.push_back({one, other, begin, end});
    schedule_.cuts.push_back({other, one, begin, end});
  }
  /// Some before the death, and some when it has been noticed for long.
  void notices() {
    for (const Schedule::Death& death : schedule_.deaths) {
      const Duration at = below(4) == 0 ? death.at - between(0ms, 100ms) : death.at + between(0ms, 100ms);
      const bool late = below(4) == 0;
      tell(death.slot, late ? at + between(0ms, 2 * peer_timeout) : at);
      if (below(3) == 0) tell(death.slot, at + between(0ms, peer_timeout));
    }
    if (below(2) == 0) tell(slot(), when());
  }
  /// Where loss and silence do not make one that lives look as if it did not.
  void tell(Slot of, Duration at) {
    const bool dead = std::ranges::any_of(
        schedule_.deaths, [&](const Schedule::Death& death) { return death.slot == of && death.at <= at; });
    if (!dead && (schedule_.loss > 0.1 || !schedule_.answers().has(of))) return;
    schedule_.notices.push_back(
        {of, std::max(at, Duration{0}), below(3) == 0 ? some() : MemberSet::first(schedule_.size)});
  }
  MemberSet some() {
    MemberSet set;
    for (Slot each = 0; each < schedule_.size; ++each) {
      if (below(2) == 0) set.add(each);
    }
    return set;
  }

  std::mt19937_64 random_;
  Schedule schedule_;
};

}  // namespace

Duration Schedule::end() const {
  Duration last{0};
  for (const Death& death : deaths)
    last = std::max(last, death.at);
  for (const Freeze& freeze : freezes)
    last = std::max(last, freeze.end);
  for (const Cut& cut : cuts)
    last = std::max(last, cut.end);
  for (const Notice& notice : notices)
    last = std::max(last, notice.at);
  return last;
}

MemberSet Schedule::untouched() const {
  MemberSet set = answers();
  for (const Death& death : deaths)
    set.remove(death.slot);
  return set;
}

MemberSet Schedule::answers() const {
  MemberSet set = MemberSet::first(size);
  for (const DeathSpeaking& death : deaths_speaking)
    set.remove(death.slot);
  for (const Freeze& freeze : freezes)
    set.remove(freeze.slot);
  for (const Cut& cut : cuts)
    set = set - cut.from - cut.to;
  return set;
}

Schedule random_schedule(std::uint64_t seed) {
  return Draw(seed).all();
}

std::string describe(const Schedule& schedule) {
  std::string text = fmt::format(
      "seed {}: {} ranks, {:.0f} ms one way, {:.1f} % loss, {:.0f} ms of computing", schedule.seed,
      schedule.size, seconds(schedule.one_way) * 1e3, schedule.loss * 100, seconds(schedule.compute) * 1e3);
  for (const auto& death : schedule.deaths)
    text += fmt::format("; {} dies at {:.3f}", death.slot, seconds(death.at));
  for (const auto& death : schedule.deaths_speaking)
    text += fmt::format("; {} dies in its view {}, {} told", death.slot, death.saying, death.told);
  for (const auto& freeze : schedule.freezes)
    text += fmt::format("; {} frozen {:.3f}-{:.3f}", freeze.slot, seconds(freeze.begin), seconds(freeze.end));
  for (const auto& cut : schedule.cuts)
    text += fmt::format("; {} to {} cut {:.3f}-{:.3f}", text_of(cut.from), text_of(cut.to),
                        seconds(cut.begin), seconds(cut.end));
  for (const auto& notice : schedule.notices)
    text += fmt::format("; {} is said to be dead at {:.3f} to {}", notice.of, seconds(notice.at),
                        text_of(notice.to));
  return text;
}

}  // namespace lbsp::transport::testing
