#pragma once

namespace lbsp::transport {

/// Throws SystemError for an error that says nothing about one datagram, so that repeating the call would fail for
/// ever. Returns for any other.
void throw_if_unusable(int error);

}  // namespace lbsp::transport
