#include "gdb/packets.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

namespace zetl::debugger::gdb {
namespace {

constexpr std::size_t kLongestPacket = std::size_t{1} << 20;
constexpr char kInterrupt = 3;
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;

unsigned checksumOf(std::string_view text) {
    return std::accumulate(text.begin(), text.end(), 0u,
                           [](unsigned sum, char each) { return sum + static_cast<unsigned char>(each); }) &
           0xff;
}

std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i)
        result += text[i] == kEscape && i + 1 < text.size() ? static_cast<char>(text[++i] ^ kEscapeBit) : text[i];
    return result;
}

}  // namespace

std::optional<Packet> PacketReader::next() {
    while (!buffer_.empty()) {
        const char first = buffer_.front();
        if (first == '$') break;
        buffer_.erase(0, 1);
        if (first == kInterrupt) return Packet{Packet::Kind::interrupt, ""};
        if (first == '+') return Packet{Packet::Kind::acknowledged, ""};
        if (first == '-') return Packet{Packet::Kind::refused, ""};
    }
    const auto end = buffer_.find('#');
    if (end == std::string::npos || buffer_.size() < end + 3) {
        if (buffer_.size() <= kLongestPacket) return std::nullopt;
        buffer_.clear();
        return Packet{Packet::Kind::damaged, ""};
    }
    const auto text = buffer_.substr(1, end - 1);
    std::string_view digits(buffer_.data() + end + 1, 2);
    const auto sum = takeHex(digits);
    buffer_.erase(0, end + 3);
    if (!sum || !digits.empty() || *sum != checksumOf(text)) return Packet{Packet::Kind::damaged, ""};
    return Packet{Packet::Kind::command, unescaped(text)};
}

std::string framed(std::string_view text) {
    std::string escaped;
    for (const char each : text) {
        if (each == '$' || each == '#' || each == kEscape || each == '*') {
            escaped += kEscape;
            escaped += static_cast<char>(each ^ kEscapeBit);
        } else {
            escaped += each;
        }
    }
    return fmt::format("${}#{:02x}", escaped, checksumOf(escaped));
}

std::string hexOf(const std::vector<std::uint8_t>& data) { return fmt::format("{:02x}", fmt::join(data, "")); }

std::optional<std::uint64_t> takeHex(std::string_view& text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return value;
}

std::optional<std::vector<std::uint8_t>> bytesFrom(std::string_view hex) {
    if (hex.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        auto pair = hex.substr(i, 2);
        const auto value = takeHex(pair);
        if (!value || !pair.empty()) return std::nullopt;
        bytes.push_back(static_cast<std::uint8_t>(*value));
    }
    return bytes;
}

}  // namespace zetl::debugger::gdb
