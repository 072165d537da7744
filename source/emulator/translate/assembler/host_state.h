// The content of the registers of a host with AVX2, at one place of the code.
#pragma once

#include <array>
#include <cstdint>

namespace zetl::emulator::translate::avx2 {

struct HostState {
    static constexpr std::uint32_t kHalves = 64;  ///< two of each register of 64 bytes: twice its number, and one more
    static constexpr std::uint8_t kNowhere = 0xff;
    /// Numbers of memory from there on: half a register of the thread, by its place.
    static constexpr std::uint16_t kThreadMemory = 0x8000;
    static constexpr bool isOfThread(std::uint16_t memory) noexcept { return memory >= kThreadMemory; }

    enum class Holds : std::uint8_t { nothing, half, lanes };
    struct Register {
        Holds what = Holds::nothing;
        bool dirty = false;    ///< a half newer than memory; lanes of which only 16 bytes are present
        std::uint32_t of = 0;  ///< number of the half, or keyOf() the lanes
        bool operator==(const Register& o) const noexcept {
            return what == o.what && (what == Holds::nothing || (dirty == o.dirty && of == o.of));
        }
    };
    /// A mask register: a value's bits from one on.
    struct Mask {
        std::uint32_t value = 0;
        std::uint8_t shift = 0;
        std::uint8_t bits = 64;      ///< bits above these are zero
        bool stored = true;          ///< its place in the frame has the bits
        std::uint8_t laneBytes = 0;  ///< of a comparison whose lanes are only in registers; else 0
        bool live = false;
        bool operator==(const Mask&) const noexcept = default;
    };
    static constexpr std::uint32_t kAllOnes = 1;  ///< a value that has every bit
    /// Lanes of so many bytes that are all ones where a value has a bit, from lane `first` on.
    static constexpr std::uint32_t keyOf(std::uint32_t value, std::uint32_t first, std::uint32_t laneBytes) noexcept {
        return value << 10 | laneBytes << 6 | first;
    }
    static constexpr std::uint32_t valueOf(std::uint32_t key) noexcept { return key >> 10; }

    /// What is known about a half's lanes of 64 bits: they are numbers of 32 bits without or with a sign, or both.
    enum Range : std::uint8_t { kAny = 0, kUnsigned32 = 1, kSigned32 = 2, kBoth = 3 };

    std::array<Register, 16> registers{};
    std::uint16_t empty = 0xffff;                    ///< empty registers, one bit each
    std::array<std::uint8_t, kHalves> in{};          ///< the register that holds each half, or kNowhere
    std::array<std::uint16_t, kHalves> memory{};     ///< the memory that holds each half: 0 is the frame
    std::array<std::uint16_t, kHalves / 2> homes{};  ///< memory where the halves of a register may be stored, too
    std::array<std::uint8_t, kHalves> range{};
    std::uint64_t live = 0;  ///< halves that may be read
    std::array<Mask, 8> masks{};
    std::array<std::uint32_t, 16> general{};  ///< the value whose bits a general register has; 0: none known
    bool reachable = false;

    void hold(std::uint32_t number, const Register& what) noexcept {
        registers[number] = what;
        empty &= static_cast<std::uint16_t>(~(1u << number));
    }
    void clear(std::uint32_t number) noexcept {
        registers[number] = {};
        empty |= static_cast<std::uint16_t>(1u << number);
    }
    void clearLanes() noexcept {
        for (std::uint32_t n = 0; n < registers.size(); ++n)
            if (registers[n].what == Holds::lanes) clear(n);
    }
    bool isDirty(std::uint32_t half) const noexcept { return in[half] != kNowhere && registers[in[half]].dirty; }
    /// The memory to which a half is stored: its home, or the frame.
    std::uint16_t placeOf(std::uint32_t half) const noexcept {
        const std::uint16_t home = homes[half / 2];
        return home == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(home + half % 2);
    }
    /// The memory that holds it once newer values have been stored.
    std::uint16_t storedIn(std::uint32_t half) const noexcept { return isDirty(half) ? placeOf(half) : memory[half]; }
    bool isLive(std::uint32_t half) const noexcept { return (live >> half & 1) != 0; }
    bool operator==(const HostState&) const noexcept = default;
};

}  // namespace zetl::emulator::translate::avx2
