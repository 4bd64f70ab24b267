#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lbsp::watch {

/// Where the launcher of a job answers those who watch it: a local socket in Linux' abstract namespace, which goes with
/// its process and leaves no file. Whoever connects gets one JSON object (docs/watching.md) and the end.

/// What is there of a job: its window, for those who watch, its door, for `lbsp join`, and what is kept of one whose
/// `lbsp run` has died, for `lbsp attach` with the same $TMPDIR.
enum class Place : unsigned char { window, door, kept };

/// Where the files of kept jobs are: $TMPDIR, or /tmp.
std::string place_of_kept_jobs();

/// Listens for the job of that launcher; -1 if that cannot be. Only this user's processes, and root's, may be answered:
/// may_watch().
int listen_as_job(pid_t launcher, Place place = Place::window);

/// Whether the process at the other end of the connection is this user's or root's.
bool may_watch(int connection);

/// Connects to the job of that launcher; none: there is no such job, or it is not of this user or root. Throws
/// UsageError if it takes no connection within five seconds.
std::optional<int> connect_to_job(pid_t launcher, Place place = Place::window);

/// The launchers of this user whose jobs can be watched, or have that place.
std::vector<pid_t> jobs(Place place = Place::window);

}  // namespace lbsp::watch
