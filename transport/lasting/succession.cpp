#include "transport/lasting/succession.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/membership/view_channel.hpp"

namespace lbsp::transport {

Succession::Succession(EndpointConfig job, PlannerFactory planner)
    : job_(std::move(job)), planner_(std::move(planner)) {
  if (!job_.options.outlives_ranks) return;
  if (job_.size > MemberSet::most)
    throw UsageError(
        fmt::format("{} ranks are too many to go on without some: choose {} at most, or --on-failure abort",
                    job_.size, MemberSet::most));
  records_ = SlotRecords(job_);
}

void Succession::learn(const Letter& letter) {
  records_.take_hosts(letter.hosts);
  // Where the others that begin now are this process was hardly told.
  for (const Seat& seat : letter.value.seats)
    records_.forget_path(seat.slot);
}

Letter Succession::end_epoch(Epoch epoch, const MemberSet& members, const Decision& value,
                             const Endpoint& endpoint, const ProcessNames& names, std::size_t stations) {
  records_.have_room(stations);
  for (Rank rank = 0; rank < names.size(); ++rank)
    if (names.slot(rank) != job_.rank) records_.remember(names.slot(rank), endpoint.path_to(rank));
  for (const Seat& seat : value.seats)
    records_.seat(seat);
  earlier_.add(endpoint, names, value.members);
  if (value.members == members && value.seats.empty()) earlier_.doubt_rate();
  return {.epoch = epoch + 1,
          .key = next_epoch_key(job_.key, epoch, value),
          .before = members,
          .value = value,
          .hosts = records_.hosts()};
}

EndpointConfig Succession::endpoint_of(Epoch epoch, Rank rank, const ProcessNames& names) const {
  EndpointConfig config = job_;
  config.rank = rank;
  config.size = names.size();
  records_.tell(config, names.slots());
  if (planner_ && epoch > 0) config.planner = planner_(rank);
  if (auto known = earlier_.known_for(names.slots())) config.known = std::move(known);
  return config;
}

}  // namespace lbsp::transport
