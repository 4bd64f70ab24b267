#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lbsp::model::tuning {

/// What is known of a superstep for which a prediction was made.
struct Circumstances {
  double loss = 0;                        ///< p
  std::optional<double> loss_after_loss;  ///< of the next copy, given that one was lost; if measured
  double round_trip = 0;                  ///< seconds
  double packet_seconds = 0;              ///< that a node's link needs for a packet
  double packets_per_message = 1;
  double packets_per_node = 0;  ///< that a node sends
  int copies = 1;
  bool fragmented = false;  ///< IP sends each packet in fragments
};

/// The assumptions of the formulas that these circumstances break, each with what this does to the prediction: a
/// sentence with numbers. If there are none, the prediction stands. It assumes that
/// - a copy is lost as often after a lost one as after any other. Copies count as dependent if the loss after a
///   loss is more than 1.5 times the loss, or less than 2/3 of it;
/// - p does not rise with what is sent;
/// - a message has packets enough to share a code;
/// - a packet is lost as a whole, not by fragments.
std::vector<std::string> doubts(const Circumstances& circumstances);

}  // namespace lbsp::model::tuning
