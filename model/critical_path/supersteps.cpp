#include "model/critical_path/supersteps.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "model/mathematics/require.hpp"

namespace lbsp::model::critical_path {
namespace {

constexpr double nothing = -1;  ///< for bytes of a message, or seconds: there is none

std::size_t ranks_of(std::span<const Superstep> supersteps) {
  return supersteps.empty() ? 0 : supersteps.front().cpu.size();
}

void require_superstep(const Superstep& superstep, std::size_t number, std::size_t ranks) {
  const std::string where = "superstep " + std::to_string(number);
  if (superstep.cpu.size() != ranks)
    throw std::invalid_argument(where + " of " + std::to_string(superstep.cpu.size()) +
                                " ranks, the first of " + std::to_string(ranks) +
                                ": all have the same ranks");
  for (const double cpu : superstep.cpu)
    mathematics::require_not_negative(cpu, "a processor time");
  for (const Message& message : superstep.messages) {
    if (message.from >= ranks || message.to >= ranks || message.from == message.to)
      throw std::invalid_argument(where + " with a message from rank " + std::to_string(message.from) +
                                  " to " + std::to_string(message.to) + ": give two of the " +
                                  std::to_string(ranks) + " ranks");
    mathematics::require_not_negative(message.bytes, "a message's size");
  }
}

/// A superstep's messages, by sender and receiver.
class Posted {
 public:
  Posted(const Rules& rules, std::size_t ranks)
      : rules_(rules), ranks_(ranks), empty_seconds_(rules.cost.seconds(0)), bytes_(ranks * ranks) {}

  void set(const Superstep& superstep, std::size_t number) {
    require_superstep(superstep, number, ranks_);
    std::ranges::fill(bytes_, nothing);
    for (const Message& message : superstep.messages) {
      double& bytes = bytes_[message.from * ranks_ + message.to];
      if (bytes != nothing)
        throw std::invalid_argument("superstep " + std::to_string(number) + " with two messages from rank " +
                                    std::to_string(message.from) + " to " + std::to_string(message.to) +
                                    ": add them up");
      bytes = message.bytes == 0 ? nothing : message.bytes;
    }
    if (rules_.ports == Ports::serial) queue();
  }

  bool is_empty(std::size_t from, std::size_t to) const { return bytes_[from * ranks_ + to] == nothing; }
  /// What the message's time is reckoned from: with serial ports, those that went before it count.
  double bytes(std::size_t from, std::size_t to) const { return std::max(0.0, bytes_[from * ranks_ + to]); }
  double seconds(std::size_t from, std::size_t to) const {
    return is_empty(from, to) ? empty_seconds_ : rules_.cost.seconds(bytes(from, to));
  }

 private:
  void queue() {
    for (std::size_t from = 0; from < ranks_; ++from) {
      double before = 0;
      for (std::size_t next = 1; next < ranks_; ++next) {
        double& bytes = bytes_[from * ranks_ + (from + next) % ranks_];
        if (bytes != nothing) before = bytes += before;
      }
    }
  }

  const Rules& rules_;
  std::size_t ranks_;
  double empty_seconds_;
  std::vector<double> bytes_;
};

/// Whom a start waited for, and how long his message took, if it was a message.
struct Cause {
  std::size_t rank = 0;
  double message = nothing;
};

/// The recurrences, one superstep after another, and back again.
class Walk {
 public:
  Walk(std::span<const Superstep> supersteps, const Rules& rules)
      : supersteps_(supersteps), rules_(rules), ranks_(ranks_of(supersteps)), posted_(rules, ranks_) {
    mathematics::require_not_negative(rules.sync_seconds, "a time of a barrier");
    starts_.assign((supersteps.size() + 1) * ranks_, 0);
    causes_.resize(supersteps.size() * ranks_);
  }

  Estimate estimate() {
    for (std::size_t k = 0; k < supersteps_.size(); ++k) {
      posted_.set(supersteps_[k], k);
      rules_.closing == Closing::exchange ? exchange(k) : barrier(k);
    }
    Estimate out;
    out.ranks = ranks_;
    if (ranks_ > 0) {
      trace_back(out);
      find_slack(out);
    }
    out.starts = std::move(starts_);
    return out;
  }

 private:
  double computing(std::size_t k, std::size_t i) const {
    return rules_.share.seconds(supersteps_[k].cpu[i], i);
  }
  double end_of_computing(std::size_t k, std::size_t i) const {
    return starts_[k * ranks_ + i] + computing(k, i);
  }

  void exchange(std::size_t k) {
    for (std::size_t j = 0; j < ranks_; ++j) {
      double latest = end_of_computing(k, j);
      Cause cause{j};
      for (std::size_t i = 0; i < ranks_; ++i)
        if (i != j) wait_for_message(latest, cause, k, i, j);
      starts_[(k + 1) * ranks_ + j] = latest;
      causes_[k * ranks_ + j] = cause;
    }
  }

  void barrier(std::size_t k) {
    double latest = nothing;
    Cause cause;
    for (std::size_t i = 0; i < ranks_; ++i) {
      wait_until(latest, cause, end_of_computing(k, i), {i});
      for (std::size_t j = 0; j < ranks_; ++j)
        if (!posted_.is_empty(i, j)) wait_for_message(latest, cause, k, i, j);
    }
    for (std::size_t j = 0; j < ranks_; ++j) {
      starts_[(k + 1) * ranks_ + j] = latest + rules_.sync_seconds;
      causes_[k * ranks_ + j] = cause;
    }
  }

  void wait_for_message(double& latest, Cause& cause, std::size_t k, std::size_t from, std::size_t to) const {
    const double message = posted_.seconds(from, to);
    wait_until(latest, cause, end_of_computing(k, from) + message, {from, message});
  }

  static void wait_until(double& latest, Cause& cause, double time, const Cause& other) {
    if (time <= latest) return;
    latest = time;
    cause = other;
  }

  void trace_back(Estimate& out) const {
    const auto end = starts_.end() - static_cast<std::ptrdiff_t>(ranks_);
    const auto last = std::max_element(end, starts_.end());
    out.seconds = *last;
    auto rank = static_cast<std::size_t>(last - end);
    const bool barrier = rules_.closing == Closing::barrier;
    for (std::size_t k = supersteps_.size(); k-- > 0;) {
      const Cause& cause = causes_[k * ranks_ + rank];
      rank = cause.rank;
      if (barrier && rules_.sync_seconds > 0) out.path.push_back({Kind::sync, rank, k, rules_.sync_seconds});
      if (cause.message != nothing) out.path.push_back({Kind::message, rank, k, cause.message});
      out.path.push_back({Kind::compute, rank, k, computing(k, rank)});
    }
    std::ranges::reverse(out.path);
  }

  /// By when each rank must be done with its computing lest the run takes longer, from the end backwards.
  void find_slack(Estimate& out) {
    out.slack.assign(ranks_, std::numeric_limits<double>::infinity());
    std::vector<double> latest(ranks_, out.seconds);
    std::vector<double> before(ranks_);
    for (std::size_t k = supersteps_.size(); k-- > 0;) {
      posted_.set(supersteps_[k], k);
      const double together = *std::ranges::min_element(latest) - rules_.sync_seconds;
      for (std::size_t i = 0; i < ranks_; ++i) {
        const double done = rules_.closing == Closing::exchange ? last_for_messages(latest, i)
                                                                : last_for_barrier(together, i);
        out.slack[i] = std::min(out.slack[i], std::max(0.0, done - end_of_computing(k, i)));
        before[i] = done - computing(k, i);
      }
      latest = before;
    }
    // Sums of other orders differ in their last digits.
    for (const Stretch& stretch : out.path)
      if (stretch.kind == Kind::compute) out.slack[stretch.rank] = 0;
  }

  double last_for_messages(const std::vector<double>& latest, std::size_t i) const {
    double out = latest[i];
    for (std::size_t j = 0; j < ranks_; ++j)
      if (j != i) out = std::min(out, latest[j] - posted_.seconds(i, j));
    return out;
  }

  double last_for_barrier(double together, std::size_t i) const {
    double longest = 0;
    for (std::size_t j = 0; j < ranks_; ++j)
      if (!posted_.is_empty(i, j)) longest = std::max(longest, posted_.seconds(i, j));
    return together - longest;
  }

  std::span<const Superstep> supersteps_;
  const Rules& rules_;
  std::size_t ranks_;
  Posted posted_;
  std::vector<double> starts_;
  std::vector<Cause> causes_;
};

/// The events of a run of supersteps: of superstep k a start and an end of computing on every rank, and the starts that
/// follow the last superstep.
class Events {
 public:
  explicit Events(std::size_t ranks) : ranks_(ranks) {}
  std::size_t start(std::size_t k, std::size_t rank) const { return 2 * k * ranks_ + rank; }
  std::size_t computed(std::size_t k, std::size_t rank) const { return (2 * k + 1) * ranks_ + rank; }
  /// Where all meet: behind all others, of which there are as many as this.
  std::size_t meeting(std::size_t k, std::size_t supersteps) const {
    return (2 * supersteps + 1) * ranks_ + k;
  }

 private:
  std::size_t ranks_;
};

}  // namespace

Estimate estimate(std::span<const Superstep> supersteps, const Rules& rules) {
  return Walk(supersteps, rules).estimate();
}

Graph graph_of(std::span<const Superstep> supersteps, const Rules& rules) {
  const std::size_t ranks = ranks_of(supersteps);
  const std::size_t count = supersteps.size();
  const bool barrier = rules.closing == Closing::barrier;
  const Events events(ranks);
  Posted posted(rules, ranks);
  Graph out;
  out.events = events.meeting(barrier ? count : 0, count);
  for (std::size_t k = 0; k < count; ++k) {
    posted.set(supersteps[k], k);
    const std::size_t meeting = events.meeting(k, count);
    for (std::size_t i = 0; i < ranks; ++i) {
      const std::size_t computed = events.computed(k, i);
      out.arcs.push_back({events.start(k, i), computed, Kind::compute, supersteps[k].cpu[i], i});
      out.arcs.push_back({computed, barrier ? meeting : events.start(k + 1, i), Kind::sync, 0, i});
      for (std::size_t j = 0; j < ranks; ++j)
        if (i != j && !(barrier && posted.is_empty(i, j)))
          out.arcs.push_back(
              {computed, barrier ? meeting : events.start(k + 1, j), Kind::message, posted.bytes(i, j), i});
      if (barrier) out.arcs.push_back({meeting, events.start(k + 1, i), Kind::sync, rules.sync_seconds, i});
    }
  }
  return out;
}

}  // namespace lbsp::model::critical_path
