#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/launch/hosts/host.hpp"
#include "tools/launch/hosts/host_starts.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::hosts {

/// A subcommand of lbsp that runs on a host, here or through an agent as the ranks of lbsp run, and speaks lines with
/// whoever started it.
class LineWorker {
 public:
  struct Events {
    std::function<void(const std::string& line)> on_line;
    /// It has ended, or cannot be reached, and why; may come twice, and also after finish().
    std::function<void(const std::string& why)> on_end;
    /// Nothing of it is left. Comes once, after the last on_end.
    std::function<void()> on_gone;
  };

  /// `arguments` are what follows the name of lbsp.
  /// It begins when its turn has come among all others of `starts`, which must outlive this. All events come from the
  /// loop, also of a process that cannot be started at once: whoever makes this has it before the first of them.
  LineWorker(uv::Loop& loop, HostStarts& starts, const request::RunOptions& options,
             const places::PlacedHost& place, std::vector<std::string> arguments, Events events);

  /// With its newline.
  void send(const std::string& line);
  /// Lets it go, in order.
  void finish();
  /// The same by force.
  void kill();
  bool gone() const { return gone_; }

 private:
  void take(const job::Frame& frame);
  void take_soon(job::Frame frame);

  Events events_;
  std::string last_words_;
  uv::Timer early_;  ///< that it could not be started, which a host here tells from within its call
  bool begun_ = false;
  std::unique_ptr<Host> host_;
  bool gone_ = false;
};

}  // namespace lbsp::launch::hosts
