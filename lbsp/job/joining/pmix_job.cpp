#include "lbsp/job/joining/pmix_job.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/job/endings/program_error.hpp"
#include "lbsp/job/joining/ranks_on_host.hpp"
#include "lbsp/job/json_values.hpp"
#include "lbsp/job/key_text.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"
#include "transport/udp/sockets/own_addresses.hpp"

namespace lbsp::job::joining {
namespace {

using nlohmann::json;
using transport::Cipher;
using transport::shared_memory::Geometry;
using transport::shared_memory::SegmentFile;

constexpr auto hello_key = "lbsp.hello";
constexpr auto place_key = "lbsp.place";
constexpr auto key_key = "lbsp.key";
constexpr auto shares_key = "lbsp.shares";

/// Where a rank begins that has to find its rate.
constexpr transport::BytesPerSecond cautious_rate = transport::megabits_per_second(100);
/// A ceiling: as many bytes of UDP payload as an Ethernet carries in its jumbo frames.
constexpr std::size_t longest_datagram = 8972;

/// What one rank tells all others of where it is.
struct Place {
  std::string machine;  ///< the same for processes that can share memory
  std::string host;     ///< as users call it
  std::vector<std::string> addresses;
  pid_t process = 0;
  int segment = -1;  ///< its descriptor of the memory that the ranks of its host share, if it has made it
  Rank wanted = 0;
};

std::string to_text(const Place& place) {
  return json{{"machine", place.machine}, {"host", place.host},       {"addresses", place.addresses},
              {"process", place.process}, {"segment", place.segment}, {"wanted", place.wanted}}
      .dump();
}

Place place_in(const std::string& text) {
  try {
    const json in = parse_message(text);
    return {.machine = in.at("machine").get<std::string>(),
            .host = in.at("host").get<std::string>(),
            .addresses = in.at("addresses").get<std::vector<std::string>>(),
            .process = whole<pid_t>(in.at("process")),
            .segment = whole<int>(in.at("segment")),
            .wanted = whole<Rank>(in.at("wanted"), 0)};
  } catch (const json::exception&) {
    throw Error("a rank says what this one does not understand: use the same lbsp everywhere");
  }
}

/// Processes of one boot of one system that see each other and the same network: not those of other containers.
std::string this_machine() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  for (const char* const kind : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
    struct stat seen {};
    if (::stat(kind, &seen) == 0) boot += fmt::format(" {}", seen.st_ino);
  }
  return boot;
}

transport::ExchangeOptions options_between(bool several_hosts) {
  transport::ExchangeOptions options;
  options.redundancy = transport::Redundancy::automatic;
  options.find_datagram = true;
  options.datagram_bytes = longest_datagram;
  options.find_rate = several_hosts;
  if (several_hosts) options.rate = cautious_rate;
  return options;
}

/// From what all ranks have told: the same on each of them, but for the addresses.
class Assembly {
 public:
  Assembly(PmixClient& site, Rank wanted) : site_(site), own_(transport::own_addresses()) {
    const char* const named = std::getenv("LBSP_ADDRESS");
    Place place{.machine = this_machine(), .host = site.host(), .addresses = {}, .process = ::getpid()};
    if (named != nullptr)
      place.addresses = {named};
    else
      std::ranges::transform(own_, std::back_inserter(place.addresses), &transport::OwnAddress::text);
    place.wanted = wanted;
    if (site.ranks_on_host() > 1 && site.rank_on_host() == 0) place.segment = make_segment();
    port_ = transport::UdpPort::bind(has_ipv6_only() ? "::" : "0.0.0.0", 0);
    tell(place);
    site.fence();
    for (Rank rank = 0; rank < site.size(); ++rank)
      places_.push_back(place_in(site.get(rank, place_key)));
    size_ = std::min(std::max<Rank>(places_.front().wanted, 0), site.size());
  }

  bool is_wanted() const { return site_.rank() < size_; }

  /// Whether this rank has memory for itself and all ranks of its host; also of one that has no other there.
  bool shares() {
    const auto [first, ranks] = neighbours();
    if (ranks < 2) return true;
    ground_ = open_ground(first, ranks);
    return ground_.has_value();
  }

  Arrival arrival(bool all_share) {
    Welcome welcome;
    welcome.rank = site_.rank();
    welcome.size = size_;
    welcome.options = options_between(has_several_machines());
    welcome.key = key_from_hex(site_.get(0, key_key));
    const auto [first, ranks] = neighbours();
    if (all_share && ground_) welcome.shared = SharedMemory{first, ranks, welcome.options.max_message_bytes};
    return {std::move(welcome), std::move(port_), std::move(ground_)};
  }

  Start start(bool all_share) const {
    Start out{.addresses = {}, .cipher = Cipher::aes256_gcm, .share_memory = all_share};
    for (Rank rank = 0; rank < size_; ++rank) {
      const auto hello = from_payload<Hello>(site_.get(rank, hello_key));
      out.addresses.push_back({address_of(rank), hello.port, place(rank).host});
      if (std::ranges::find(hello.ciphers, Cipher::aes256_gcm) == hello.ciphers.end())
        out.cipher = Cipher::chacha20_poly1305;
    }
    return out;
  }

 private:
  struct Neighbours {
    Rank first = 0;
    Rank ranks = 1;
  };

  const Place& place(Rank rank) const { return places_[static_cast<std::size_t>(rank)]; }
  bool is_here(Rank rank) const { return place(rank).machine == place(site_.rank()).machine; }
  bool has_ipv6_only() const { return !own_.empty() && own_.front().family == AF_INET6; }

  int make_segment() {
    try {
      segment_ = SegmentFile::create(
          Geometry::of(site_.ranks_on_host(), transport::ExchangeOptions{}.max_message_bytes));
      return segment_->descriptor();
    } catch (const SystemError&) {
      return -1;  // the job does without
    }
  }

  void tell(const Place& place) {
    site_.put(place_key, to_text(place));
    site_.put(hello_key, to_payload(Hello{.port = port_->port(), .ciphers = available_ciphers()}));
    if (site_.rank() != 0) return;
    std::string key;
    append_hex(transport::JobKey::random(), key);
    site_.put(key_key, key);
  }

  /// Those of this machine, if they are successive.
  Neighbours neighbours() const {
    Rank first = site_.rank();
    while (first > 0 && is_here(first - 1))
      --first;
    Rank end = site_.rank() + 1;
    while (end < site_.size() && is_here(end))
      ++end;
    return {first, end - first};
  }

  std::optional<transport::shared_memory::Ground> open_ground(Rank first, Rank ranks) const {
    const Place& maker = place(first);
    const std::string path = fmt::format("/proc/{}/fd/{}", maker.process, maker.segment);
    const int descriptor = maker.segment < 0 ? -1 : ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    try {
      return transport::open_segment(SegmentFile(descriptor),
                                     Geometry::of(ranks, transport::ExchangeOptions{}.max_message_bytes),
                                     site_.rank() - first);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  bool has_several_machines() const {
    return std::ranges::any_of(places_,
                               [&](const Place& each) { return each.machine != places_.front().machine; });
  }

  std::string address_of(Rank rank) const {
    if (is_here(rank)) return has_ipv6_only() ? "::1" : "127.0.0.1";
    std::string address = transport::address_to_reach(place(rank).addresses, own_);
    if (address.empty())
      throw SystemError(
          fmt::format("host {} has no address: set LBSP_ADDRESS there", printable(place(rank).host)));
    return address;
  }

  PmixClient& site_;
  std::vector<transport::OwnAddress> own_;
  std::optional<SegmentFile> segment_;
  std::optional<transport::UdpPort> port_;
  std::optional<transport::shared_memory::Ground> ground_;
  std::vector<Place> places_;
  Rank size_ = 0;
};

/// When rank 0 fails, most often the others fail alike. So they let the starter end them for it, before they speak.
constexpr std::chrono::milliseconds word_of_rank_0{2000};

/// What is told to a launcher elsewhere; here only failures matter.
void tell_user(Rank rank, const std::string& host, FrameKind kind, const std::string& payload) {
  if (kind != FrameKind::failure) return;
  const auto failure = from_payload<Failure>(payload);
  const Rank speaker = failure.lost == Rank{0} ? 1 : 0;
  if (failure.consequence && (!failure.lost || rank != speaker)) return;
  if (rank != speaker) std::this_thread::sleep_for(word_of_rank_0);
  // What a rank says of itself begins with its own name.
  print_error(failure.lost == rank ? failure.message : endings::failure_of(rank, host, failure.message));
}

}  // namespace

Membership join(PmixClient& site, Rank wanted) {
  Assembly assembly(site, wanted);
  site.put(shares_key, assembly.shares() ? "yes" : "no");
  site.fence();
  bool all_share = true;
  for (Rank rank = 0; rank < site.size(); ++rank)
    all_share = all_share && site.get(rank, shares_key) == "yes";
  if (!assembly.is_wanted()) return {};
  Start start = assembly.start(all_share);
  return enter(assembly.arrival(all_share), std::move(start));
}

std::unique_ptr<member::Member> make_member(Membership membership, const std::string& host) {
  const Rank rank = membership.welcome.rank;
  return std::make_unique<member::Member>(
      std::move(membership.exchanges.front()),
      [rank, host = printable(host)](FrameKind kind, const std::string& payload) {
        tell_user(rank, host, kind, payload);
      });
}

int run_under_pmix(const std::function<void(World&)>& program) {
  PmixClient site;
  set_ranks_on_host(site.ranks_on_host());
  const auto member = make_member(join(site, site.size()), site.host());
  if (!member->run(program)) return 1;
  site.finalize();
  return 0;
}

}  // namespace lbsp::job::joining
