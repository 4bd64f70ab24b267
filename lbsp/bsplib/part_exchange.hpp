#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/forwarding_exchange.hpp"

namespace lbsp::bsplib {

/// The exchange of one SPMD part: the first `size` ranks of the job's. Its end is not that of the job's exchange, which
/// may have another part. A rank of the job that is not in the part takes part in the job's exchanges with empty
/// messages as long as it lasts (SpmdParts::follow()).
class PartExchange final : public transport::ForwardingExchange {
 public:
  /// The job's exchange must outlive it.
  PartExchange(transport::Exchange& job, Rank size);

  Rank size() const noexcept override { return size_; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  void finish() override {}

 private:
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override;
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override;
  std::vector<Bytes> of_the_part(std::vector<Bytes> incoming) const;

  Rank size_;
  std::vector<std::size_t> lengths_;  ///< by rank of the job; none for those that are not in the part
};

}  // namespace lbsp::bsplib
