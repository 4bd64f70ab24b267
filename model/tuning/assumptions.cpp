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

void check_independence(const Circumstances& in, std::vector<Doubt>& out) {
  if (!in.loss_after_loss || in.loss == 0) return;
  const double ratio = *in.loss_after_loss / in.loss;
  if (ratio <= alike && ratio >= 1 / alike) return;
  out.push_back({Assumption::independent_losses,
                 sentence("the loss is ", 100 * in.loss, " %, but ", 100 * *in.loss_after_loss,
                          " % after a loss: ", ratio > 1 ? "copies help less" : "copies help more",
                          " than predicted for independent losses")});
}

void check_load(const Circumstances& in, std::vector<Doubt>& out) {
  const double sending = in.copies * in.packets_per_node * in.packet_seconds;
  if (in.copies > 1 && sending > in.round_trip)
    out.push_back(
        {Assumption::loss_without_load,
         sentence(in.copies, " copies keep the link busy for ", sending, " s, longer than the round trip of ",
                  in.round_trip, " s: where queues overflow, copies raise the loss")});
}

void check_code(const Circumstances& in, std::vector<Doubt>& out) {
  if (in.packets_per_message == 1 && in.packets_per_node > 1)
    out.push_back(
        {Assumption::one_code_per_message, sentence("each of ", in.packets_per_node,
                                                    " messages is one packet, to different receivers: they "
                                                    "cannot share repair packets, only be copied")});
}

void check_fragments(const Circumstances& in, std::vector<Doubt>& out) {
  if (in.fragmented)
    out.push_back(
        {Assumption::whole_packets,
         "the packets are above the path's MTU: the loss of one fragment loses the packet, and many "
         "routers drop fragments"});
}

}  // namespace

std::vector<Doubt> doubts(const Circumstances& circumstances) {
  mathematics::require_loss(circumstances.loss);
  mathematics::require_copies(circumstances.copies);
  if (circumstances.loss_after_loss) mathematics::require_loss(*circumstances.loss_after_loss);
  std::vector<Doubt> out;
  check_independence(circumstances, out);
  check_load(circumstances, out);
  check_code(circumstances, out);
  check_fragments(circumstances, out);
  return out;
}

}  // namespace lbsp::model::tuning
