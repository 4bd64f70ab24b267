#include "tools/launch/doors/job_door.hpp"

#include <string_view>
#include <unistd.h>
#include <utility>

#include "tools/launch/doors/front.hpp"
#include "tools/watch/job_socket.hpp"

namespace lbsp::launch::doors {
namespace {

constexpr std::size_t longest_line = 4096;

}  // namespace

void JobDoor::open() {
  const int socket = watch::listen_as_job(job_number(), watch::Place::door);
  if (socket >= 0)
    listener_ = std::make_unique<uv::Listener>(
        loop_, socket, "lbsp join",
        uv::Listener::Events{.on_connection = [this](int connection) { admit(connection); }, .say = say_});
}

void JobDoor::close() {
  listener_.reset();
  guests_.clear();
}

void JobDoor::admit(int connection) {
  if (!watch::may_watch(connection)) {
    ::close(connection);
    return;
  }
  std::erase_if(guests_, [](const auto& guest) { return guest->stream->closed(); });
  const auto guest = std::make_shared<Guest>();
  guest->stream = std::make_unique<uv::Stream>(loop_, connection);
  guests_.push_back(guest);
  const std::weak_ptr<Guest> weak = guest;
  guest->stream->read(
      [this, weak](std::string_view bytes) {
        if (const auto alive = weak.lock()) hear(alive, bytes);
      },
      [weak] {
        if (const auto alive = weak.lock()) see_off(*alive);
      });
}

void JobDoor::hear(const std::shared_ptr<Guest>& guest, std::string_view bytes) {
  if (guest->asked) return;
  guest->said += bytes;
  const auto end = guest->said.find('\n');
  if (end == std::string::npos && guest->said.size() <= longest_line) return;
  guest->asked = true;
  const std::weak_ptr<Guest> weak = guest;
  guest->left = on_host_(guest->said.substr(0, end), [weak](const std::string& line) {
    const auto alive = weak.lock();
    if (!alive) return;
    alive->answered = true;
    if (alive->stream->closed()) return;
    alive->stream->write(line + "\n");
    alive->stream->finish();
  });
}

void JobDoor::see_off(Guest& guest) {
  if (guest.answered) return;
  guest.stream->close();
  if (guest.left) std::exchange(guest.left, nullptr)();
}

}  // namespace lbsp::launch::doors
