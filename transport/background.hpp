#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a backend also offers that can send *parcels* in the time that messages leave over: bytes that are needed some
/// supersteps later. No message waits for them. What has not arrived when they are needed goes in a message then:
///
///     post(id, …)                   // before an exchange()
///     …                             // some exchanges
///     send(recall(id))              // in the messages of the next one, on every rank
///     exchange()
///     put_together(take(id), …)     // all that is not in take() is in those messages
///
/// All ranks post and recall the same numbers in the same supersteps, one after the other has been taken. A world that
/// changes forgets all parcels.
class Background {
 public:
  struct Part {
    Rank rank;             ///< that it goes to
    std::uint64_t offset;  ///< in the parcel
    Bytes bytes;
  };
  struct Parcel {
    Rank rank;    ///< that it is from
    Bytes bytes;  ///< zeros where nothing has arrived
  };

  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  virtual ~Background() = default;

  /// Begins to send these parcels, one to each rank; an empty one is none. Their number must be higher than those
  /// before. They are recalled before the exchange() that is so many after the next one, from 1: until then they are
  /// sent evenly.
  virtual void post(std::uint64_t id, std::vector<Bytes> parcels, std::uint64_t supersteps) = 0;
  /// Sends no more of them. Returns what is not known to have arrived; none if nothing is known of such parcels.
  virtual std::optional<std::vector<Part>> recall(std::uint64_t id) = 0;
  /// What has arrived of others' parcels with that number. Once for each number.
  virtual std::vector<Parcel> take(std::uint64_t id) = 0;
};

}  // namespace lbsp::transport
