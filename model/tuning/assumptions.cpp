#include "model/tuning/assumptions.hpp"

#include <sstream>

#include "model/mathematics/require.hpp"

namespace lbsp::model::tuning {
namespace {

constexpr double alike = 1.5;

template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::ostringstream text;
  text.precision(3);
  (text << ... << parts);
  return text.str();
}

}  // namespace

std::vector<std::string> doubts(const Circumstances& in) {
  mathematics::require_loss(in.loss);
  mathematics::require_copies(in.copies);
  if (in.loss_after_loss) mathematics::require_loss(*in.loss_after_loss);
  std::vector<std::string> out;
  const double dependence = in.loss_after_loss && in.loss > 0 ? *in.loss_after_loss / in.loss : 1;
  if (dependence > alike || dependence < 1 / alike)
    out.push_back(
        sentence("the loss is ", 100 * in.loss, " %, but ", 100 * *in.loss_after_loss,
                 " % after a loss: ", *in.loss_after_loss > in.loss ? "copies help less" : "copies help more",
                 " than predicted for independent losses"));
  const double sending = in.copies * in.packets_per_node * in.packet_seconds;
  if (in.copies > 1 && sending > in.round_trip)
    out.push_back(sentence(in.copies, " copies keep the link busy for ", sending,
                           " s, longer than the round trip of ", in.round_trip,
                           " s: where queues overflow, copies raise the loss"));
  if (in.packets_per_message == 1 && in.packets_per_node > 1)
    out.push_back(sentence("each of ", in.packets_per_node,
                           " messages is one packet, to different receivers: they cannot share repair "
                           "packets, only be copied"));
  if (in.fragmented)
    out.emplace_back(
        "the packets are above the path's MTU: the loss of one fragment loses the packet, and many routers "
        "drop fragments");
  return out;
}

}  // namespace lbsp::model::tuning
