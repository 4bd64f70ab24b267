#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lbsp/superstep/answers.hpp"
#include "lbsp/superstep/messages/mail.hpp"
#include "lbsp/superstep/messages/message_reader.hpp"
#include "lbsp/superstep/messages/unsynced.hpp"
#include "lbsp/superstep/recording/recorder.hpp"
#include "lbsp/superstep/transfers.hpp"
#include "transport/exchange.hpp"

namespace lbsp::superstep {

/// One rank's supersteps: at the end of each it turns the transfers of the current one into one
/// message per rank, has them exchanged, and carries out what came in, in the order
///   1. what the gets of all ranks ask for is read, 2. gets are filled, 3. puts are written and sends filed,
///      by source rank, then in the order of the calls; this rank's own at its own place.
class Engine {
 public:
  explicit Engine(transport::Exchange& exchange);

  Rank rank() const { return standing_.rank; }
  Rank size() const { return standing_.size; }
  std::uint64_t superstep() const { return standing_.superstep; }
  Recorder& recorder() { return recorder_; }
  /// How errors are worded from here on. `wording` must outlive this.
  void speak(const Wording& wording) {
    wording_ = &wording;
    slots().speak(wording);
  }
  SlotTable& slots() { return transfers_.slots(); }
  /// Of the current superstep.
  Transfers& transfers() { return transfers_; }

  /// Ends the superstep. After an error, every further call throws UsageError.
  void sync();
  /// The same, and does `work`, as Exchange::exchange_meanwhile(). Throws UsageError if it transfers anything.
  void sync_meanwhile(const Mail::Work& work);

  /// What no sync has carried out yet.
  Unsynced unsynced() const { return standing_.over ? Unsynced{} : transfers_.unsynced(); }

  /// Ends the program in order, together with all other ranks. What no sync has carried out is dropped.
  void end();

 private:
  using Messages = std::span<const std::span<const std::byte>>;

  void begin();
  /// Whether no rank transfers anything, which is then done; if not, opens the messages of all.
  bool exchange_heads();
  template <class Call>
  Messages exchange_or_restart(const Call& exchange);
  void exchange_messages(Ending ending, const Mail::Work& work = {});
  void do_meanwhile(const Mail::Work& work);
  void carry_out();
  void open(Messages arrived, std::span<const std::byte> own);
  void end_superstep();

  transport::Exchange& exchange_;
  Standing standing_;
  const Wording* wording_ = &cxx_wording;
  Mail mail_;  ///< queues view into what arrived by it until the next sync
  Recorder recorder_;
  Transfers transfers_;
  Answers answers_;
  std::vector<Message> messages_;  ///< what arrived, taken apart; only during a sync
  std::function<void()> begin_sync_ = [this] { recorder_.begin_sync(); };
};

}  // namespace lbsp::superstep
