#include "transport/membership/letter.hpp"

#include <algorithm>
#include <span>

#include "transport/membership/view_format.hpp"

namespace lbsp::transport {

MemberSet Letter::members() const {
  return members_after(value);
}

void write(WireWriter& out, const Letter& letter) {
  out.put(std::as_bytes(std::span(letter.key.bytes.data(), SecretBytes::count)));
  write(out, letter.before);
  write(out, letter.value);
  out.put(static_cast<std::uint16_t>(letter.hosts.size()));
  for (const std::uint16_t host : letter.hosts)
    out.put(host);
}

std::optional<Letter> read_letter(WireReader& in) {
  const auto key = in.take(SecretBytes::count);
  const auto before = in.ok() ? read_set(in) : std::nullopt;
  auto value = before ? read_decision(in) : std::nullopt;
  if (!value) return std::nullopt;
  Letter letter{.epoch = 0, .before = *before, .value = std::move(*value)};
  std::ranges::transform(key, letter.key.bytes.begin(),
                         [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  const std::size_t hosts = in.get<std::uint16_t>();
  if (!in.ok() || hosts > static_cast<std::size_t>(MemberSet::most)) return std::nullopt;
  for (std::size_t i = 0; i < hosts; ++i)
    letter.hosts.push_back(in.get<std::uint16_t>());
  if (!in.ok() || !in.rest().empty()) return std::nullopt;
  return letter;
}

}  // namespace lbsp::transport
