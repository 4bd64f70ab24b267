#include "lbsp/job/joining/pmix_client.hpp"

#include <cstdlib>

#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/quantity.hpp"

#ifdef LBSP_PMIX
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <future>
#include <optional>
#include <pmix.h>
#endif

namespace lbsp::job::joining {

bool PmixClient::is_inherited() {
  return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}

#ifdef LBSP_PMIX

namespace {

/// Of a fence, in seconds: the starter may take long for the last process of a large job.
constexpr int longest_fence = 600;

transport::Duration duration_in(const char* variable, const char* given) {
  try {
    return transport::parse_duration(given);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", variable, error.what()));
  }
}

/// How long the others may take to come, as for lbsp run --start-timeout. Throws UsageError.
transport::Duration start_timeout() {
  const char* const given = std::getenv("LBSP_START_TIMEOUT");
  if (given == nullptr) return std::chrono::seconds{30};
  const auto wanted = duration_in("LBSP_START_TIMEOUT", given);
  if (wanted > transport::Duration::zero() && wanted <= std::chrono::hours{24}) return wanted;
  throw UsageError(fmt::format("LBSP_START_TIMEOUT={}: choose more than 0 and at most 24h", given));
}

using Promise = std::promise<pmix_status_t>;

/// The library may call it when nobody waits any more, so it is what destroys the promise.
void keep(pmix_status_t status, void* promise) {
  const std::unique_ptr<Promise> kept(static_cast<Promise*>(promise));
  kept->set_value(status);
}

template <class Function>
Function* function(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr)
    throw SystemError(fmt::format("libpmix lacks {}: install PMIx 3 or later, or use lbsp run", name));
  return reinterpret_cast<Function*>(found);
}

}  // namespace

/// The functions by name, and who this process is.
struct PmixClient::Library {
  explicit Library(void* handle)
      : init(function<decltype(PMIx_Init)>(handle, "PMIx_Init")),
        put(function<decltype(PMIx_Put)>(handle, "PMIx_Put")),
        commit(function<decltype(PMIx_Commit)>(handle, "PMIx_Commit")),
        fence(function<decltype(PMIx_Fence)>(handle, "PMIx_Fence")),
        begin_fence(function<decltype(PMIx_Fence_nb)>(handle, "PMIx_Fence_nb")),
        get(function<decltype(PMIx_Get)>(handle, "PMIx_Get")),
        finalize(function<decltype(PMIx_Finalize)>(handle, "PMIx_Finalize")),
        error_string(function<decltype(PMIx_Error_string)>(handle, "PMIx_Error_string")) {}

  decltype(PMIx_Init)* init;
  decltype(PMIx_Put)* put;
  decltype(PMIx_Commit)* commit;
  decltype(PMIx_Fence)* fence;
  decltype(PMIx_Fence_nb)* begin_fence;
  decltype(PMIx_Get)* get;
  decltype(PMIx_Finalize)* finalize;
  decltype(PMIx_Error_string)* error_string;
  pmix_proc_t self{};

  void check(pmix_status_t status, const char* what) const {
    if (status == PMIX_SUCCESS) return;
    throw SystemError(fmt::format("PMIx does not {} ({}): ask who runs the starter, or use lbsp run", what,
                                  error_string(status)));
  }

  pmix_proc_t process(pmix_rank_t rank) const {
    pmix_proc_t out = self;
    out.rank = rank;
    return out;
  }

  std::optional<std::string> text(pmix_rank_t of, const char* key) const {
    const pmix_proc_t process_of = process(of);
    pmix_value_t* value = nullptr;
    if (get(&process_of, key, nullptr, 0, &value) != PMIX_SUCCESS || value == nullptr) return std::nullopt;
    std::optional<std::string> out;
    if (value->type == PMIX_STRING && value->data.string != nullptr) {
      out = value->data.string;
      std::free(value->data.string);  // NOLINT(cppcoreguidelines-no-malloc): the library's
    }
    std::free(value);  // NOLINT(cppcoreguidelines-no-malloc): the library's
    return out;
  }

  Rank number(pmix_rank_t of, const char* key) const {
    const pmix_proc_t process_of = process(of);
    pmix_value_t* value = nullptr;
    check(get(&process_of, key, nullptr, 0, &value), "tell of the job");
    const Rank out = value->type == PMIX_UINT16 ? static_cast<Rank>(value->data.uint16)
                                                : static_cast<Rank>(value->data.uint32);
    std::free(value);  // NOLINT(cppcoreguidelines-no-malloc): the library's
    return out;
  }
};

PmixClient::PmixClient() {
  // It stays loaded: its own thread may end after this.
  void* const handle = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    throw SystemError(
        "the program was started by way of PMIx, and libpmix is not here: install it (Debian: libpmix2), "
        "or use lbsp run");
  }
  library_ = std::make_unique<Library>(handle);
  library_->check(library_->init(&library_->self, nullptr, 0), "let the program join the job");
  rank_ = static_cast<Rank>(library_->self.rank);
  size_ = library_->number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
  ranks_on_host_ = library_->number(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE);
  rank_on_host_ = library_->number(library_->self.rank, PMIX_LOCAL_RANK);
  host_ = library_->text(library_->self.rank, PMIX_HOSTNAME).value_or("");
  meet();
}

void PmixClient::meet() {
  const auto timeout = start_timeout();
  auto promise = std::make_unique<Promise>();
  auto met = promise->get_future();
  // Starters do not end a job of which a process never speaks, and not all of them know a fence's own timeout.
  const pmix_status_t begun = library_->begin_fence(nullptr, 0, nullptr, 0, keep, promise.get());
  // It has ended at once, as it may where all are on one host. Then keep() is never called.
  if (begun == PMIX_OPERATION_SUCCEEDED) return;
  library_->check(begun, "bring all ranks together");
  static_cast<void>(promise.release());  // keep() has it
  if (met.wait_for(timeout) == std::future_status::ready)
    return library_->check(met.get(), "bring all ranks together");
  throw SystemError(fmt::format(
      "rank {} on {} waits for others that did not call lbsp::run, bsp_init or bsp_begin within {}: see "
      "that every process does, or set LBSP_START_TIMEOUT",
      rank_, printable(host_), transport::format_duration(timeout)));
}

void PmixClient::put(const std::string& key, const std::string& text) {
  std::string copy = text;
  pmix_value_t value{};
  value.type = PMIX_STRING;
  value.data.string = copy.data();
  library_->check(library_->put(PMIX_GLOBAL, key.c_str(), &value), "take what a rank tells the others");
}

void PmixClient::fence() {
  library_->check(library_->commit(), "take what a rank tells the others");
  pmix_info_t wishes[2]{};
  std::strncpy(wishes[0].key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  wishes[0].value.type = PMIX_BOOL;
  wishes[0].value.data.flag = true;
  std::strncpy(wishes[1].key, PMIX_TIMEOUT, PMIX_MAX_KEYLEN);
  wishes[1].value.type = PMIX_INT;
  wishes[1].value.data.integer = longest_fence;
  library_->check(library_->fence(nullptr, 0, wishes, 2), "bring all ranks together");
}

std::string PmixClient::get(Rank rank, const std::string& key) {
  auto found = library_->text(static_cast<pmix_rank_t>(rank), key.c_str());
  if (!found)
    throw SystemError(fmt::format("PMIx has no word of rank {}: start programs of one lbsp only", rank));
  return *std::move(found);
}

void PmixClient::finalize() {
  library_->check(library_->finalize(nullptr, 0), "let the program leave the job");
}

#else

struct PmixClient::Library {};

PmixClient::PmixClient() {
  throw SystemError(
      "the program was started by way of PMIx, of which this lbsp knows nothing: build lbsp where PMIx is "
      "(Debian: libpmix-dev), or use lbsp run");
}
void PmixClient::put(const std::string&, const std::string&) {}
void PmixClient::fence() {}
std::string PmixClient::get(Rank, const std::string&) {
  return {};
}
void PmixClient::finalize() {}

#endif

PmixClient::~PmixClient() = default;

}  // namespace lbsp::job::joining
