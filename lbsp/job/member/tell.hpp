#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/frame.hpp"

namespace lbsp::job::member {

/// Takes what one rank has to say to the launcher, whatever the way.
using Tell = std::function<void(FrameKind, std::string payload)>;

/// Over the process's own connection; `place`: in the process, from 0.
inline Tell tell_over(Channel& channel, std::uint16_t place) {
  return [&channel, place](FrameKind kind, std::string payload) {
    channel.send({kind, place, std::move(payload)});
  };
}

}  // namespace lbsp::job::member
