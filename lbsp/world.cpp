#include "lbsp/world.hpp"

#include <fmt/format.h>
#include <utility>

#include "lbsp/beside_sync.hpp"
#include "lbsp/superstep/engine.hpp"
#include "lbsp/survival/carried.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

template <class Sync>
void sync_beside(BesideSync& beside, transport::Exchange& exchange, Sync sync) {
  beside.before_sync();
  sync();
  if (const auto held = beside.after_sync()) exchange.hold(*held);
}

}  // namespace

World::World(transport::Exchange& exchange)
    : exchange_(exchange),
      own_(std::make_unique<Carried>()),
      carried_(*own_),
      engine_(std::make_unique<superstep::Engine>(exchange)),
      began_(engine_->recorder().last_end()) {}

World::World(transport::Exchange& exchange, Carried& carried)
    : exchange_(exchange),
      carried_(carried),
      engine_(std::make_unique<superstep::Engine>(exchange)),
      began_(engine_->recorder().last_end()) {
  carried.begin_world();
}

World::~World() = default;

Rank World::rank() const {
  return engine_->rank();
}

Rank World::size() const {
  return engine_->size();
}

std::uint64_t World::superstep() const {
  return engine_->superstep();
}

void World::sync() {
  if (beside_ == nullptr) return engine_->sync();
  sync_beside(*beside_, exchange_, [&] { engine_->sync(); });
}

void World::sync_meanwhile(const std::function<void()>& work) {
  if (beside_ == nullptr) return engine_->sync_meanwhile(work);
  sync_beside(*beside_, exchange_, [&] { engine_->sync_meanwhile(work); });
}

const std::optional<transport::WorldChange>& World::change() const {
  return carried_.roster().change();
}

bool World::outlives_ranks() const {
  return carried_.survival().outlives_ranks;
}

std::shared_ptr<void>& World::luggage_of(std::type_index type) {
  return carried_.luggage_of(type);
}

void World::reached(std::uint64_t how_far) {
  carried_.reach(how_far);
}

void World::admit() {
  if (!outlives_ranks()) return;
  if (saves_states_) throw UsageError(saves_and_admits);
  if (!std::exchange(admits_, true)) exchange_.grow();
  exchange_.hold(carried_.next_boundary());
}

Seconds World::between_failures() const {
  return Seconds(carried_.between_failures(size()));
}

std::vector<std::uint16_t> World::hosts() const {
  return carried_.roster().hosts(size());
}

bool World::is_to_be_saved(std::uint64_t number) {
  saves_states_ = true;
  agree(number);
  carried_.check(number);
  // A new process would not have it.
  return carried_.survival().outlives_ranks && !carried_.survival().respawns;
}

void World::save_copy(std::uint64_t number, std::any state) {
  carried_.save(number, std::move(state), superstep());
  exchange_.hold(number);
}

std::optional<World::Saved> World::saved() const {
  const SavedStates::Kept* const kept = carried_.restored();
  if (kept == nullptr) return std::nullopt;
  return Saved{kept->number, kept->state};
}

Seconds World::time() const {
  return std::chrono::steady_clock::now() - began_;
}

void World::abort(std::string_view reason) {
  if (reason.empty()) reason = "it does not say why";
  exchange_.abort(reason);
  throw Aborted(fmt::format("rank {} ended the job: {}", rank(), reason));
}

void World::agree(std::uint64_t value) {
  engine_->slots().agree(value);
}

void World::agree(const superstep::CollectiveCall& call) {
  engine_->slots().call_collective(call);
}

void World::agree_on_graph(std::uint64_t digest, std::uint64_t tokens) {
  engine_->slots().agree_on_graph(digest, tokens);
}

void World::speak(const superstep::Wording& wording) {
  engine_->speak(wording);
}

void World::trace() {
  engine_->recorder().trace();
}

History World::history_so_far() const {
  return engine_->recorder().copy();
}

RunningTotals World::totals_so_far() const {
  return engine_->recorder().running_totals();
}

const History& World::history() const {
  return engine_->recorder().history();
}

std::string World::unsynced() const {
  return superstep::describe(engine_->unsynced());
}

void World::finish(Unsynced transfers) {
  if (transfers == Unsynced::refused && engine_->unsynced().any()) {
    throw UsageError(
        fmt::format("rank {} ended the program in superstep {} with {} since the last sync(), which would be "
                    "lost: call sync() after the last of them",
                    rank(), superstep(), unsynced()));
  }
  engine_->end();
}

}  // namespace lbsp
