#pragma once

#include <stdexcept>
#include <string>

#include "transport/units.hpp"
#include "transport/world_change.hpp"

namespace lbsp {

/// Base of all errors that lbsp reports to its user. `what()` is one line: what is wrong, with numbers, and
/// what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Nothing was heard from a rank for the peer timeout. The job cannot go on.
class PeerLost : public Error {
 public:
  PeerLost(Rank rank, const std::string& message) : Error(message), rank_(rank) {}
  Rank rank() const noexcept { return rank_; }

 private:
  Rank rank_;
};

/// Ranks were lost, and this one goes on in a new world with the others, from an earlier state; or all were only
/// slow, and go on together (`lbsp run --on-failure shrink`). Let it through to lbsp::run, which calls the program
/// again.
class WorldChanged : public Error {
 public:
  explicit WorldChanged(transport::WorldChange change);
  const transport::WorldChange& change() const noexcept { return change_; }

 private:
  transport::WorldChange change_;
};

/// The job goes on without this rank, which was silent for too long; or too few ranks answer, and whoever is left of
/// them goes on elsewhere, if anybody (`lbsp run --on-failure shrink`). This rank cannot go on.
class Excluded : public Error {
 public:
  using Error::Error;
};

/// A rank ended the job by abort(). The message names the rank and its reason.
class Aborted : public Error {
 public:
  using Error::Error;
};

/// The program broke a rule of the BSP interface: the ranks disagree, a transfer is out of range, and so on.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A message is larger than the configured ceiling, or than memory allows.
class MessageTooLarge : public Error {
 public:
  using Error::Error;
};

/// The operating system refused something: a port in use, no socket, no memory for a thread.
class SystemError : public Error {
 public:
  using Error::Error;
};

}  // namespace lbsp
