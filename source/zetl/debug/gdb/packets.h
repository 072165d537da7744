// Packets of GDB's remote protocol: $DATA#CHECKSUM, and single characters between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger::gdb {

struct Packet {
    enum class Kind { command, damaged, interrupt, acknowledged, refused } kind = Kind::command;
    std::string text;  ///< of a command
};

/// Splits a stream of bytes into packets. Skips invalid bytes between packets. A packet of more than 1 MiB is damaged.
class PacketReader {
  public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    std::optional<Packet> next();

  private:
    std::string buffer_;
};

std::string framed(std::string_view text);

std::string hexOf(const std::vector<std::uint8_t>& data);
/// Nothing if the text is not pairs of hexadecimal digits.
std::optional<std::vector<std::uint8_t>> bytesFrom(std::string_view hex);
/// Removes a hexadecimal number without 0x from the front of the text and returns it. Nothing if there is none.
std::optional<std::uint64_t> takeHex(std::string_view& text);

}  // namespace zetl::debugger::gdb
