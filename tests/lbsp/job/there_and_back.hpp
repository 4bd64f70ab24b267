#pragma once

#include "lbsp/job/messages.hpp"

namespace lbsp::job {

/// What comes of a message that is sent.
template <class Message>
Message there_and_back(const Message& message) {
  return from_payload<Message>(to_payload(message));
}

}  // namespace lbsp::job
