#pragma once

#include <functional>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

class IoThread;

/// The legs of a UdpExchange for an exchange that has other ways to some ranks: each call begins one, and complete()
/// waits until it is done. Arguments are checked as Exchange's are.
class UdpLegs {
 public:
  explicit UdpLegs(IoThread& io) : io_(io) {}

  /// A first leg with `others` only, all of which do so too.
  void begin_exchange_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing);
  /// The last first leg, with all ranks.
  void begin_last_exchange(std::vector<Bytes> outgoing);
  void begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                   const std::vector<Rank>& sources);
  /// Returns the messages by rank. While it waits it calls `look` now and then, and lets its errors through.
  std::vector<Bytes> complete(const std::function<void()>& look);
  /// Throws what complete() would throw already.
  void throw_if_failed() const;

 private:
  IoThread& io_;
};

}  // namespace lbsp::transport
