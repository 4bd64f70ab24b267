#include "tools/trace_command/otf2.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <otf2/otf2.h>

#include "tools/trace_command/otf2_check.hpp"
#include "transport/error.hpp"

namespace lbsp::trace_command {
namespace {

using trace_file::Step;
using trace_file::Times;
using trace_file::Trace;

constexpr std::uint64_t ticks_per_second = 1'000'000'000;
constexpr std::uint64_t event_chunk_bytes = 1 << 20;
constexpr std::uint64_t definition_chunk_bytes = 4 << 20;

/// The archive cannot be written.
struct Refused {
  OTF2_ErrorCode code;
};

void require(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) throw Refused{code};
}

/// What OTF2 has to say goes into our own error. It says first what the system refused, and returns that its archive is
/// not complete then.
class FirstProblem {
 public:
  FirstProblem() { OTF2_Error_RegisterCallback(note, this); }
  FirstProblem(const FirstProblem&) = delete;
  FirstProblem& operator=(const FirstProblem&) = delete;
  ~FirstProblem() { OTF2_Error_RegisterCallback(note, nullptr); }

  OTF2_ErrorCode or_else(OTF2_ErrorCode code) const { return code_ != OTF2_SUCCESS ? code_ : code; }

 private:
  static OTF2_ErrorCode note(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                             const char*, std::va_list) {
    auto* const problem = static_cast<FirstProblem*>(self);
    if (problem != nullptr && problem->code_ == OTF2_SUCCESS) problem->code_ = code;
    return code;
  }

  OTF2_ErrorCode code_ = OTF2_SUCCESS;
};

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

[[noreturn]] void fail_for_room(const std::string& path, const char* reason) {
  throw SystemError(
      fmt::format("cannot write {}: {}: make room for it there, or give another path", path, reason));
}

[[noreturn]] void fail(const std::string& path, OTF2_ErrorCode code) {
  const char* const reason = OTF2_Error_GetDescription(code);
  if (code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EDQUOT || code == OTF2_ERROR_EFBIG)
    fail_for_room(path, reason);
  throw SystemError(
      fmt::format("cannot write {}: {}: give a path in a folder that is there and writable", path, reason));
}

enum Region : OTF2_RegionRef { computing, waiting, taking_apart };

struct Metric {
  const char* name;
  const char* unit;
  double (*of)(const Step&);
};

constexpr std::array metrics{
    Metric{"sent", "bytes", [](const Step& step) { return step.bytes(); }},
    Metric{"redundancy", "segments", [](const Step& step) { return static_cast<double>(step.redundant); }},
    Metric{"sent again", "segments", [](const Step& step) { return static_cast<double>(step.resent); }},
    Metric{"network thread", "s of a processor",
           [](const Step& step) { return step.network_cpu.value_or(0); }},
    Metric{"loss", "fraction", [](const Step& step) { return step.network.loss; }},
    Metric{"round trip", "s", [](const Step& step) { return step.network.round_trip; }},
    Metric{"rate", "bytes/s", [](const Step& step) { return step.network.rate; }}};

/// The definitions of an archive; each text once.
class Definitions {
 public:
  explicit Definitions(OTF2_GlobalDefWriter* writer) : writer_(writer) {}

  OTF2_StringRef text(const std::string& words) {
    const auto [place, is_new] = texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) require(OTF2_GlobalDefWriter_WriteString(writer_, place->second, words.c_str()));
    return place->second;
  }

  void clock(std::uint64_t length) {
    require(OTF2_GlobalDefWriter_WriteClockProperties(writer_, ticks_per_second, 0, length + 1,
                                                      OTF2_UNDEFINED_TIMESTAMP));
  }

  void region(Region region, const char* name, OTF2_RegionRole role) {
    const OTF2_StringRef words = text(name);
    require(OTF2_GlobalDefWriter_WriteRegion(writer_, region, words, words, text(""), role,
                                             OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, text(""), 0, 0));
  }

  void all_metrics() {
    std::array<OTF2_MetricMemberRef, metrics.size()> members{};
    for (std::uint32_t i = 0; i < metrics.size(); ++i) {
      members[i] = i;
      require(OTF2_GlobalDefWriter_WriteMetricMember(
          writer_, i, text(metrics[i].name), text(""), OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT,
          OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, text(metrics[i].unit)));
    }
    require(OTF2_GlobalDefWriter_WriteMetricClass(writer_, 0, metrics.size(), members.data(),
                                                  OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
  }

  /// A rank on its host, which is a node of the system tree.
  void rank(std::size_t rank, const std::string& host, std::uint64_t events) {
    const auto [node, is_new] =
        hosts_.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts_.size() + 1));
    if (is_new)
      require(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, node->second, text(host), text("node"), 0));
    const OTF2_StringRef name = text(fmt::format("rank {}", rank));
    const auto group = static_cast<OTF2_LocationGroupRef>(rank);
    require(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                    node->second, OTF2_UNDEFINED_LOCATION_GROUP));
    require(OTF2_GlobalDefWriter_WriteLocation(writer_, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD, events,
                                               group));
  }

  void root(const std::string& name) {
    require(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text(name), text("job"),
                                                     OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  }

 private:
  OTF2_GlobalDefWriter* writer_;
  std::map<std::string, OTF2_StringRef> texts_;
  std::map<std::string, OTF2_SystemTreeNodeRef> hosts_;
};

/// Times as OTF2 has them: from the first of all, never back.
class Clock {
 public:
  explicit Clock(const trace_file::TimeLines& lines) {
    for (const auto& steps : lines.steps)
      for (const Times& times : steps)
        origin_ = std::min(origin_, times.began);
  }
  std::uint64_t ticks(double seconds) const {
    return static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds - origin_) * ticks_per_second));
  }

 private:
  double origin_ = 0;
};

/// The events of one rank. Returns the last one's time.
std::uint64_t write_events(OTF2_EvtWriter* writer, const std::vector<Step>& steps,
                           const std::vector<Times>& times, const Clock& clock) {
  std::uint64_t now = 0;
  const auto at = [&](double seconds) { return now = std::max(now, clock.ticks(seconds)); };
  const auto slice = [&](Region region, double from, double to) {
    require(OTF2_EvtWriter_Enter(writer, nullptr, at(from), region));
    require(OTF2_EvtWriter_Leave(writer, nullptr, at(to), region));
  };
  std::array<OTF2_Type, metrics.size()> types{};
  types.fill(OTF2_TYPE_DOUBLE);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    slice(computing, times[k].began, times[k].called);
    slice(waiting, times[k].called, times[k].came);
    slice(taking_apart, times[k].came, times[k].ended);
    std::array<OTF2_MetricValue, metrics.size()> values{};
    for (std::size_t i = 0; i < metrics.size(); ++i)
      values[i].floating_point = metrics[i].of(steps[k]);
    require(OTF2_EvtWriter_Metric(writer, nullptr, at(times[k].ended), 0, metrics.size(), types.data(),
                                  values.data()));
  }
  return now;
}

/// Returns how many events each rank has.
std::vector<std::uint64_t> write_archive(OTF2_Archive* archive, const Trace& trace,
                                         const trace_file::TimeLines& lines) {
  // The archive keeps no copy, and calls them until it is closed.
  static const OTF2_FlushCallbacks callbacks{.otf2_pre_flush = flush, .otf2_post_flush = nullptr};
  require(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr));
  require(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  require(OTF2_Archive_SetCreator(archive, "lbsp"));
  const Clock clock(lines);
  std::uint64_t end = 0;
  std::vector<std::uint64_t> events;
  require(OTF2_Archive_OpenEvtFiles(archive));
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, rank);
    end = std::max(end, write_events(writer, trace.steps[rank], lines.steps[rank], clock));
    require(OTF2_EvtWriter_GetNumberOfEvents(writer, &events.emplace_back()));
    require(OTF2_Archive_CloseEvtWriter(archive, writer));
  }
  require(OTF2_Archive_CloseEvtFiles(archive));
  // Each location has definitions of its own, if none but the common ones.
  require(OTF2_Archive_OpenDefFiles(archive));
  for (std::size_t rank = 0; rank < trace.steps.size(); ++rank)
    require(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, rank)));
  require(OTF2_Archive_CloseDefFiles(archive));
  Definitions definitions(OTF2_Archive_GetGlobalDefWriter(archive));
  definitions.clock(end);
  definitions.region(computing, "computing", OTF2_REGION_ROLE_FUNCTION);
  definitions.region(waiting, "waiting", OTF2_REGION_ROLE_BARRIER);
  definitions.region(taking_apart, "taking apart", OTF2_REGION_ROLE_DATA_TRANSFER);
  definitions.all_metrics();
  definitions.root(trace.program);
  for (std::size_t rank = 0; rank < trace.ends.size(); ++rank)
    definitions.rank(rank, trace.ends[rank].host, events[rank]);
  return events;
}

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};

}  // namespace

bool can_write_otf2() {
  return true;
}

void write_otf2(const std::string& path, const Trace& trace, const trace_file::TimeLines& lines) {
  if (std::filesystem::exists(path))
    throw UsageError(fmt::format("{} is there already: give the name of a folder that is not", path));
  // The library would make all folders that lead there, too.
  const auto place = std::filesystem::path(path).parent_path();
  if (!place.empty() && !std::filesystem::is_directory(place))
    throw UsageError(fmt::format("{} cannot be written: give a path in a folder that is there", path));
  const FirstProblem problem;
  const auto remove = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  };
  try {
    std::unique_ptr<OTF2_Archive, CloseArchive> archive(
        OTF2_Archive_Open(path.c_str(), "trace", OTF2_FILEMODE_WRITE, event_chunk_bytes,
                          definition_chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive) fail(path, problem.or_else(OTF2_ERROR_INVALID));
    const auto events = write_archive(archive.get(), trace, lines);
    require(OTF2_Archive_Close(archive.release()));
    if (!is_whole_archive(path + "/trace.otf2", events)) fail_for_room(path, "it is not whole there");
  } catch (const Refused& refused) {
    remove();
    fail(path, problem.or_else(refused.code));
  } catch (...) {
    remove();
    throw;
  }
}

}  // namespace lbsp::trace_command
