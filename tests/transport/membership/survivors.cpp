#include "survivors.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "checker.hpp"
#include "fate.hpp"
#include "process.hpp"

namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

/// Nothing that the schedules do keeps processes longer than this after their end.
constexpr Duration longest = 60s;

bool any_half(const MemberSet& present, const MemberSet& members) {
  return 2 * (present & members).count() >= members.count();
}

class Run {
 public:
  Run(const Schedule& schedule, Mutant mutant)
      : schedule_(schedule),
        mutant_(mutant),
        checker_(schedule),
        fate_(schedule),
        processes_(static_cast<std::size_t>(schedule.size)) {
    const MemberSet all = MemberSet::first(schedule.size);
    for (Slot slot = 0; slot < schedule.size; ++slot) {
      enter(slot, 0, all);
      checker_.listens(slot, now());
      fate_.wake(slot, now());
    }
  }

  Outcome outcome() {
    const Instant bound = Fate::start + schedule_.end() + longest;
    while (!fate_.nothing_before(bound) && !settled())
      happen(fate_.next());
    std::map<Slot, Epoch> running;
    for (Slot slot = 0; slot < schedule_.size; ++slot) {
      if (runs(slot)) running[slot] = of(slot).agreement->config().epoch;
    }
    checker_.end(running, settled());
    outcome_.violations = checker_.violations();
    outcome_.running = static_cast<Slot>(running.size());
    return outcome_;
  }

 private:
  Instant now() const { return fate_.now(); }
  Process& of(Slot slot) { return processes_[static_cast<std::size_t>(slot)]; }
  bool runs(Slot slot) { return of(slot).runs(); }

  /// After all faults, each process has ended or has got on with the others, by several supersteps.
  bool settled() {
    std::optional<std::uint64_t> key;
    for (Slot slot = 0; slot < schedule_.size; ++slot) {
      if (!runs(slot)) continue;
      const Process& process = of(slot);
      if (!fate_.over()) return false;
      if (process.agreement->stage() != Agreement::Stage::run || process.completed_in_epoch < 3) return false;
      if (key && *key != process.key) return false;
      // All members of the epoch that run must be in it, and those that died must have been left out.
      if (!all_run(process.agreement->config().members)) return false;
      key = process.key;
    }
    return true;
  }
  bool all_run(const MemberSet& members) {
    bool all = true;
    members.for_each([&](Slot slot) { all = all && runs(slot); });
    return all;
  }

  MemberSet dead() {
    MemberSet all;
    for (Slot slot = 0; slot < schedule_.size; ++slot)
      if (!of(slot).lives || fate_.dies_now(slot)) all.add(slot);
    return all;
  }

  void enter(Slot slot, Epoch epoch, const MemberSet& members) {
    Process& process = of(slot);
    AgreementConfig config{.self = slot, .epoch = epoch, .members = members, .peer_timeout = peer_timeout};
    config.round_trip = 2 * schedule_.one_way * 5 / 4;
    config.notices = process.notices;
    if (mutant_ == Mutant::any_half) config.quorum = any_half;
    process.agreement = std::make_unique<Agreement>(std::move(config), process.held, now());
    process.heard.assign(static_cast<std::size_t>(schedule_.size), process.completed);
    process.sent = process.completed;
    process.versions_before = 0;
    process.completed_in_epoch = 0;
    process.computed = now() + fate_.part_of(schedule_.compute);
    process.next_beat = now();
    outcome_.epochs = std::max(outcome_.epochs, epoch);
  }

  void happen(const Event& event) {
    Process& process = of(event.to);
    if (!process.runs()) return;
    if (!event.datagram && process.armed <= now()) process.armed = never;
    if (fate_.dies_now(event.to)) {
      process.lives = false;
      return;
    }
    if (fate_.frozen(event.to)) {
      if (!process.frozen_since) process.frozen_since = now();
      if (event.datagram) process.socket.push_back(event.datagram);
      return;
    }
    thaw(event.to);
    if (event.datagram && runs(event.to)) receive(event.to, *event.datagram);
    if (runs(event.to)) work(event.to);
  }

  /// First takes what waits in the socket.
  void thaw(Slot slot) {
    Process& process = of(slot);
    if (!process.frozen_since) return;
    checker_.slept(slot, now() - *process.frozen_since, now());
    process.frozen_since.reset();
    for (const auto& datagram : std::exchange(process.socket, {})) {
      if (runs(slot)) receive(slot, *datagram);
    }
  }

  void receive(Slot slot, const Datagram& datagram) {
    Process& process = of(slot);
    if (datagram.ended) return process.agreement->ended(datagram.from, now());
    Agreement* const agreement = process.agreement_with(datagram.key);
    if (agreement == nullptr) return;
    if (datagram.key == process.key) {
      checker_.heard(slot, datagram.from, now());
      std::uint64_t& heard = process.heard[static_cast<std::size_t>(datagram.from)];
      heard = std::max(heard, datagram.sent);
    }
    if (datagram.view) {
      agreement->take(datagram.from, *datagram.view, now());
    } else {
      agreement->heard(datagram.from, now());
    }
  }

  /// All that the process does after something happened.
  void work(Slot slot) {
    Process& process = of(slot);
    if (process.agreement->next_timeout() <= now()) process.agreement->handle_timeout(now());
    follow(slot);
    if (process.out) return;
    compute(slot);
    say(slot, process.last_agreement.get(), process.last_key);
    say(slot, process.agreement.get(), process.key);
    if (!process.lives) return;
    if (process.next_beat <= now()) beat(slot);
    arm(slot);
  }

  void arm(Slot slot) {
    Process& process = of(slot);
    Instant next = std::min(process.next_beat, process.agreement->next_timeout());
    if (process.last_agreement) next = std::min(next, process.last_agreement->next_timeout());
    if (process.sent == process.completed) next = std::min(next, process.computed);
    next = std::max(next, now() + 1us);
    if (process.armed <= next) return;
    process.armed = next;
    fate_.wake(slot, next);
  }

  /// Ends, or goes on in the next epoch, if so it was decided.
  void follow(Slot slot) {
    Process& process = of(slot);
    const Agreement& agreement = *process.agreement;
    const Epoch epoch = agreement.config().epoch;
    if (const auto& value = agreement.view().decided) {
      if (judged_.insert(epoch).second)
        checker_.judge_removals(agreement.config().members, value->members, dead(), now());
      checker_.decided(epoch, *value);
    }
    if (agreement.stage() == Agreement::Stage::out) {
      process.out = true;
      checker_.ended(slot);
    }
    if (agreement.stage() != Agreement::Stage::decided) return;
    const Decision value = *agreement.view().decided;
    checker_.installed(slot, epoch + 1, value, process.held);
    process.notices = process.agreement->hearing().notices();
    process.last_agreement = std::move(process.agreement);
    process.last_key = std::exchange(process.key, key_after(process.key, value));
    process.completed = value.boundary;
    process.held = {value.boundary, value.boundary};
    enter(slot, epoch + 1, value.members);
    checker_.listens(slot, now());
  }

  void compute(Slot slot) {
    Process& process = of(slot);
    if (process.sent == process.completed && process.computed <= now()) {
      ++process.sent;
      process.next_beat = now();
    }
    const bool frozen = process.agreement->stage() != Agreement::Stage::run;
    if (frozen && mutant_ != Mutant::no_freeze) return;
    if (process.sent == process.completed) return;
    if (!process.all_came()) return;
    process.held = {process.completed, process.completed + 1};
    ++process.completed;
    ++process.completed_in_epoch;
    ++outcome_.completed;
    process.agreement->hold(process.held);
    process.computed = now() + fate_.part_of(schedule_.compute);
    checker_.completed(slot, process.agreement->config().epoch, process.completed);
  }

  void beat(Slot slot) {
    Process& process = of(slot);
    process.next_beat = now() + peer_timeout / 8;
    process.agreement->config().members.for_each([&](Slot to) {
      if (to != slot) fate_.send(to, {slot, process.key, process.sent});
    });
  }

  void say(Slot slot, Agreement* agreement, std::uint64_t key) {
    if (agreement == nullptr) return;
    Process& process = of(slot);
    std::shared_ptr<const View> view;
    while (const auto to = agreement->poll(now())) {
      if (!view) {
        View said = agreement->view();
        said.version += process.versions_before;
        view = std::make_shared<const View>(std::move(said));
        ++process.sayings;
        process.told = 0;
      }
      if (fate_.dies_speaking(slot, process.sayings, process.told)) return die_speaking(slot);
      ++process.told;
      ++outcome_.views;
      fate_.send(*to, {slot, key, process.sent, view});
    }
    const bool voted = view && view->accepted && !view->decided;
    if (mutant_ == Mutant::amnesia && voted && fate_.fraction() < 0.3) forget(slot);
  }

  void die_speaking(Slot slot) {
    if (mutant_ == Mutant::amnesia) return forget(slot);
    of(slot).lives = false;
  }

  void forget(Slot slot) {
    Process& process = of(slot);
    const AgreementConfig config = process.agreement->config();
    process.versions_before += process.agreement->view().version;
    process.agreement = std::make_unique<Agreement>(config, process.held, now());
    ++process.sayings;
  }

  const Schedule& schedule_;
  Mutant mutant_;
  Checker checker_;
  Fate fate_;
  std::vector<Process> processes_;
  std::set<Epoch> judged_;
  Outcome outcome_;
};

}  // namespace

Outcome run_schedule(const Schedule& schedule, Mutant mutant) {
  return Run(schedule, mutant).outcome();
}

}  // namespace lbsp::transport::testing
