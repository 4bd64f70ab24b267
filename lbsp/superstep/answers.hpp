#pragma once

#include <span>

#include "lbsp/superstep/messages/message_reader.hpp"
#include "lbsp/superstep/messages/offers.hpp"
#include "lbsp/superstep/recording/recorder.hpp"
#include "lbsp/superstep/transfers.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// A superstep's second leg, if any rank gets something: this rank answers those that ask it, and has its own gets
/// filled.
class Answers {
 public:
  /// The references must outlive this.
  Answers(transport::Exchange& exchange, Recorder& recorder)
      : exchange_(exchange),
        recorder_(recorder),
        offers_(exchange.lending(), Offers::Leg::reply, exchange.rank(), exchange.size()) {}

  /// After the first leg, which has brought `messages`, by source. Throws what the backend throws, and as
  /// answer_gets() and PendingGets::fill().
  void exchange(std::span<const Message> messages, Transfers& transfers);

 private:
  void answer_and_fill(std::span<const Message> messages, Transfers& transfers);

  transport::Exchange& exchange_;
  Recorder& recorder_;
  Offers offers_;
};

/// Ends a leg's offers, and counts their bytes.
void settle(Offers& offers, Recorder& recorder);

}  // namespace lbsp::superstep
