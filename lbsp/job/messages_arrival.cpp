// What is said when the processes have come, and where all of them are.
#include <nlohmann/json.hpp>

#include "lbsp/job/message_json.hpp"
#include "lbsp/job/messages.hpp"

namespace lbsp::job {
namespace {

using nlohmann::json;

json address_to_json(const transport::PeerAddress& address) {
  return {address.host, address.port, address.name};
}

transport::PeerAddress address_from_json(const json& in) {
  return {in.at(0).get<std::string>(), whole<std::uint16_t>(in.at(1)), in.at(2).get<std::string>()};
}

}  // namespace

std::string to_payload(const Hello& message) {
  const MemoryEnd memory_end;
  json ciphers = json::array();
  for (const auto cipher : message.ciphers)
    ciphers.push_back(static_cast<int>(cipher));
  return dump({{"version", protocol_version},
               {"port", message.port},
               {"ciphers", ciphers},
               {"shares_memory", message.shares_memory},
               {"size_follows", message.size_follows}});
}

template <>
Hello from_payload<Hello>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    require_version(in);
    Hello message{.port = whole<std::uint16_t>(in.at("port")),
                  .ciphers = {},
                  .shares_memory = in.at("shares_memory").get<bool>(),
                  .size_follows = in.at("size_follows").get<bool>()};
    for (const json& cipher : in.at("ciphers")) {
      message.ciphers.push_back(one_of(cipher, transport::Cipher::chacha20_poly1305));
    }
    return message;
  });
}

std::string to_payload(const Start& message) {
  const MemoryEnd memory_end;
  json addresses = json::array();
  for (const transport::PeerAddress& address : message.addresses)
    addresses.push_back(address_to_json(address));
  json former = json::array();
  for (const auto& [rank, address] : message.former)
    former.push_back({rank, address_to_json(address)});
  return dump({{"addresses", addresses},
               {"former", former},
               {"cipher", static_cast<int>(message.cipher)},
               {"share_memory", message.share_memory}});
}

template <>
Start from_payload<Start>(std::string_view payload) {
  return reading(payload, [](const json& in) {
    Start message;
    for (const json& address : in.at("addresses"))
      message.addresses.push_back(address_from_json(address));
    const auto last = static_cast<Rank>(message.addresses.size()) - 1;
    for (const json& former : in.at("former"))
      message.former.emplace_back(whole<Rank>(former.at(0), 0, last), address_from_json(former.at(1)));
    message.cipher = one_of(in.at("cipher"), transport::Cipher::chacha20_poly1305);
    message.share_memory = in.at("share_memory").get<bool>();
    return message;
  });
}

}  // namespace lbsp::job
