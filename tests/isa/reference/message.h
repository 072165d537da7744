// Random messages to memory, and a second opinion on what each does: lane after lane, from the published description of
// descriptors and payloads. Nothing is shared with the emulator but the place of registers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/random_program.h"

namespace zetl::test::reference {

/// Where a register of messages lies.
constexpr std::uint32_t registerPlace(std::uint32_t number) { return layout::kGrf + number * layout::kRegisterBytes; }

enum class Space : std::uint8_t { global, local, scratch, payload };

/// A message of the load/store cache, or of an older data port in its terms.
struct MemoryMessage {
    enum class Kind : std::uint8_t { load, loadQuad, store, storeQuad, atomic, scratchRead, scratchWrite };
    enum class Port : std::uint8_t { cache, data0, data1 };
    Kind kind = Kind::load;
    Port port = Port::cache;
    Space space = Space::global;
    std::uint8_t operation = 0;   ///< as encoded in the descriptor
    std::uint8_t data = 2;        ///< size of elements, likewise: 2 d32, 3 d64, 4 d8u32, 5 d16u32
    bool transposed = false;      ///< one address, a block
    bool strided = false;         ///< one address and a distance, from lane to lane
    std::uint8_t vector = 1;      ///< elements of each lane, or of the block
    std::uint8_t components = 0;  ///< quad: which of four; of scratch, the offset in units of 32 bytes
    std::uint8_t width = 16;
    std::uint8_t offset = 0;
    bool noMask = false;
    bool predicated = false;
    bool inverted = false;
    bool returns = true;             ///< atomic: the old value; other loads are prefetches without
    std::uint8_t hints = 0;          ///< of caches, which change nothing
    bool fromRegister = false;       ///< the descriptor is in a0.0
    std::uint32_t addressBytes = 8;  ///< of an address: 2, 4 or 8
    std::uint32_t addressAt = 0;     ///< byte of the payload at which they begin
    std::uint32_t addressUnit = 1;   ///< bytes that an address counts in
    std::int32_t moved = 0;          ///< Xe2: what the extended descriptor adds to each address, in its bits
    bool header = false;             ///< older ports: in front of the addresses
    std::uint32_t older = 0;         ///< older ports: the descriptor, but for lengths and header

    std::uint8_t result = 0;  ///< registers
    std::uint8_t addresses = 0;
    std::uint8_t values = 0;

    bool isScratchBlock() const { return kind == Kind::scratchRead || kind == Kind::scratchWrite; }
    bool isQuad() const { return kind == Kind::loadQuad || kind == Kind::storeQuad; }
    bool isPrefetch() const { return (kind == Kind::load || kind == Kind::loadQuad) && !returns; }
    bool stores() const;
    std::uint32_t memoryBytes() const;
    std::uint32_t registerBytes() const;
    /// From one component of a lane to the next, which begins a register.
    std::uint32_t rowBytes() const;
    std::uint32_t descriptor() const;
    std::string assembly() const;
};

struct Memories {
    std::vector<std::byte> global;
    std::uint64_t globalAddress = 0;
    std::vector<std::byte> local;
    std::vector<std::byte> scratch;
    std::vector<std::byte> payload;  ///< the arguments of the launch

    std::vector<std::byte>& of(Space space);
};

struct MessageProgram {
    std::uint64_t number = 0;
    std::uint32_t lanes = 0;
    MemoryMessage message;
    State registers;
    Memories memory;
};
/// The global memory lies at the address; addresses of lanes that are off may be anything.
MessageProgram messageProgram(std::uint64_t number, std::uint64_t globalAddress);

void execute(const MemoryMessage& message, State& state, Memories& memory);

/// What a message accesses, as observers and counters must see it.
struct Touched {
    Space space = Space::global;
    bool reads = false;
    bool writes = false;
    std::uint32_t lanes = 0;  ///< or rows, of blocks of a surface
    std::uint32_t bytesPerLane = 0;
    std::array<std::uint64_t, 32> address{};

    std::uint64_t bytes() const {
        return std::uint64_t{bytesPerLane} * static_cast<std::uint32_t>(std::popcount(lanes));
    }
};
Touched touchedBy(const MemoryMessage& message, const State& state);

/// Lanes of the message that are on, the first being bit 0.
std::uint32_t lanesOn(const MemoryMessage& message, const State& state);

namespace atomic {
inline constexpr std::uint8_t kIncrement = 0x08;
inline constexpr std::uint8_t kDecrement = 0x09;
inline constexpr std::uint8_t kLoad = 0x0a;
inline constexpr std::uint8_t kStore = 0x0b;
inline constexpr std::uint8_t kAdd = 0x0c;
inline constexpr std::uint8_t kSubtract = 0x0d;
inline constexpr std::uint8_t kMinSigned = 0x0e;
inline constexpr std::uint8_t kMaxSigned = 0x0f;
inline constexpr std::uint8_t kMinUnsigned = 0x10;
inline constexpr std::uint8_t kMaxUnsigned = 0x11;
inline constexpr std::uint8_t kCompareExchange = 0x12;
inline constexpr std::uint8_t kAddReal = 0x13;
inline constexpr std::uint8_t kSubtractReal = 0x14;
inline constexpr std::uint8_t kMinReal = 0x15;
inline constexpr std::uint8_t kMaxReal = 0x16;
inline constexpr std::uint8_t kCompareExchangeReal = 0x17;
inline constexpr std::uint8_t kAnd = 0x18;
inline constexpr std::uint8_t kOr = 0x19;
inline constexpr std::uint8_t kXor = 0x1a;
// Of the older ports alone, which have other numbers for all of them.
inline constexpr std::uint8_t kReverseSubtract = 0x40;
inline constexpr std::uint8_t kPreDecrement = 0x41;  ///< gives the new value
constexpr bool isReal(std::uint8_t operation) { return operation >= kAddReal && operation <= kCompareExchangeReal; }
}  // namespace atomic

}  // namespace zetl::test::reference
