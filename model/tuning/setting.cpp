#include "model/tuning/setting.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "model/tuning/superstep_line.hpp"

namespace lbsp::model::tuning {
namespace {

Setting with_times(Setting setting, const Program& program, double sequential_seconds) {
  setting.seconds = program.parallel_seconds + setting.communication;
  if (setting.seconds > 0) setting.speedup = sequential_seconds / setting.seconds;
  return setting;
}

double line_seconds(const Program& program, const PacketPath& path, const Protection& protection) {
  double seconds = 0;
  for (const ProgramStep& step : program.steps)
    seconds += step.times * superstep_line_seconds(step, program.nodes, path, protection);
  return seconds;
}

/// What the program's supersteps take where nothing is lost.
double lossless_seconds(const Program& program, PacketPath path) {
  path.loss = 0;
  path.loss_after_loss = std::nullopt;
  return line_seconds(program, path, {});
}

Setting evaluate_beside(double lossless, const Program& program, double sequential_seconds,
                        const PacketPath& path, const Protection& protection) {
  Setting setting{.protection = protection, .packet_bytes = path.packet_bytes, .nodes = program.nodes};
  setting.communication = line_seconds(program, path, protection);
  setting.losses = std::max(0., setting.communication - lossless);
  return with_times(setting, program, sequential_seconds);
}

/// Scans with the estimate.
class EstimateScan {
 public:
  EstimateScan(const Program& program, const PacketPath& path, const TuningQuestion& question)
      : program_(program), path_(path), question_(question) {
    best_.seconds = std::numeric_limits<double>::infinity();
  }

  Setting copies_only() {
    scan_copies(std::nullopt);
    return best_;
  }

  /// By turns the best r for a k and the best k for an r, until that is the one scanned last.
  Setting coded() {
    std::optional<int> repair = 0;
    scan_copies(repair);
    for (int copies = 0; copies != best_.protection.copies;) {
      copies = best_.protection.copies;
      scan_repair(copies);
      if (best_.protection.repair == repair) break;
      repair = best_.protection.repair;
      scan_copies(repair);
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
    const Setting setting = estimate(program_, question_.sequential_seconds, path_, protection);
    if (faster(setting, best_)) best_ = setting;
    return setting.seconds - setting.losses <= best_.seconds;
  }

  const Program& program_;
  const PacketPath& path_;
  const TuningQuestion& question_;
  Setting best_;
};

/// Improves with the time line.
class Descent {
 public:
  Descent(const Program& program, const PacketPath& path, const TuningQuestion& question)
      : program_(program), path_(path), question_(question), lossless_(lossless_seconds(program, path)) {
    best_.seconds = std::numeric_limits<double>::infinity();
  }

  /// Every k, as the time falls and rises with it; few beyond a gain.
  void scan_copies(std::optional<int> repair) {
    constexpr int patience = 4;
    int without_gain = 0;
    for (int copies = 1; copies <= question_.most_copies && without_gain < patience; ++copies)
      without_gain = consider({copies, repair}) ? 0 : without_gain + 1;
  }

  /// From r by strides, halved where neither side gains.
  void descend_repair(const Protection& from) {
    consider(from);
    Protection here = from;
    for (int stride = std::max(1, *from.repair / 4); stride > 0; stride /= 2) {
      for (bool moved = true; moved;) {
        moved = false;
        for (const int next : {*here.repair + stride, *here.repair - stride}) {
          if (next < 0 || next > question_.most_repair || !consider({here.copies, next})) continue;
          here.repair = next;
          moved = true;
          break;
        }
      }
    }
  }

  /// The estimate's, or with a quarter of its repair segments: where a message takes long, the time has a
  /// second minimum at about the mean loss of a block, as most of what lacks is mended while it is sent.
  Protection better_of(const Protection& estimated) {
    consider(estimated);
    consider({estimated.copies, *estimated.repair / 4});
    return best_.protection;
  }

  bool consider(const Protection& protection) {
    if (std::ranges::find(tried_, protection) != tried_.end()) return false;
    tried_.push_back(protection);
    const Setting setting =
        evaluate_beside(lossless_, program_, question_.sequential_seconds, path_, protection);
    if (!faster(setting, best_)) return false;
    best_ = setting;
    return true;
  }

  const Setting& best() const { return best_; }

 private:
  const Program& program_;
  const PacketPath& path_;
  const TuningQuestion& question_;
  double lossless_;
  std::vector<Protection> tried_;  ///< what was tried is no better than the best
  Setting best_;
};

}  // namespace

Setting estimate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection) {
  Setting setting{.protection = protection, .packet_bytes = path.packet_bytes, .nodes = program.nodes};
  for (const ProgramStep& step : program.steps) {
    const SuperstepTime time = superstep_time(step, program.nodes, path, protection);
    setting.communication += step.times * time.seconds;
    setting.losses += step.times * (time.seconds - time.first_round);
  }
  return with_times(setting, program, sequential_seconds);
}

Setting evaluate(const Program& program, double sequential_seconds, const PacketPath& path,
                 const Protection& protection) {
  return evaluate_beside(lossless_seconds(program, path), program, sequential_seconds, path, protection);
}

bool has_long_messages(const Program& program, double packet_bytes) {
  for (const ProgramStep& step : program.steps)
    for (const ProgramMessages& kind : step.messages)
      if (packets_of(kind.bytes, packet_bytes) > 1) return true;
  return false;
}

EstimatedBest estimated_best(const Program& program, const PacketPath& path, const TuningQuestion& question) {
  if (program.steps.empty()) return {estimate(program, question.sequential_seconds, path, {}), std::nullopt};
  EstimatedBest best{EstimateScan(program, path, question).copies_only(), std::nullopt};
  if (has_long_messages(program, path.packet_bytes))
    best.coded = EstimateScan(program, path, question).coded();
  return best;
}

Setting refined_best(const Program& program, const PacketPath& path, const TuningQuestion& question) {
  const EstimatedBest start = estimated_best(program, path, question);
  Descent descent(program, path, question);
  if (program.steps.empty() || path.loss == 0) {
    descent.consider({});
    return descent.best();
  }
  descent.scan_copies(std::nullopt);
  if (!start.coded) return descent.best();
  Descent coded(program, path, question);
  coded.descend_repair(coded.better_of(start.coded->protection));
  coded.scan_copies(coded.best().protection.repair);
  coded.descend_repair(coded.best().protection);
  return faster(coded.best(), descent.best()) ? coded.best() : descent.best();
}

}  // namespace lbsp::model::tuning
