#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/uv/listener.hpp"
#include "tools/uv/loop.hpp"
#include "tools/uv/stream.hpp"

namespace lbsp::launch::doors {

/// Takes the word of `lbsp join`: a line that names a host, as in a hosts file. One line is the answer to it, sooner or
/// later, and then the connection ends. An answer that begins with `joined` tells of success.
class JobDoor {
 public:
  /// May be called once, at any time.
  using Answer = std::function<void(const std::string& line)>;
  /// Called at most once: the guest has left before it had its answer.
  using Left = std::function<void()>;
  /// Returns what is to be called if the guest leaves; nothing if it does not matter.
  using OnHost = std::function<Left(const std::string& host, Answer answer)>;

  /// To the user of the job.
  using Say = std::function<void(const std::string&)>;

  /// `loop` must outlive it.
  JobDoor(uv::Loop& loop, OnHost on_host, Say say)
      : loop_(loop), on_host_(std::move(on_host)), say_(std::move(say)) {}

  void open();
  void close();

 private:
  struct Guest {
    std::unique_ptr<uv::Stream> stream;
    std::string said;
    bool asked = false;
    bool answered = false;
    Left left;
  };

  void admit(int connection);
  void hear(const std::shared_ptr<Guest>& guest, std::string_view bytes);
  static void see_off(Guest& guest);

  uv::Loop& loop_;
  OnHost on_host_;
  Say say_;
  std::unique_ptr<uv::Listener> listener_;
  std::vector<std::shared_ptr<Guest>> guests_;
};

}  // namespace lbsp::launch::doors
