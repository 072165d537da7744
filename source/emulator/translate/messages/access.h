// What messages by lanes and blocks share: the memory that they may reach, and where their lanes lie in it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "emulator/isa/message_step.h"
#include "emulator/translate/held/part.h"

namespace zetl::emulator::translate {

inline constexpr std::uint32_t kMessageLanes = 16;  // that are moved at a time

/// Memory that a message may reach, as described in the thread's state.
struct Area {
    std::optional<Mem> begin;  ///< its first address; 0 if empty
    Mem bytes;
    Mem host;
};
/// The thread's count of bytes that a message adds to.
struct Traffic {
    std::optional<std::size_t> cell;
};
/// Sixteen more lanes behind sixteen lanes with successive addresses, if those run on.
struct SecondHalf {
    Label done;  ///< end of both halves
    std::vector<Zmm> data;
    std::vector<Zmm> addresses;
};
/// Sixteen lanes of a message.
struct Lanes16 {
    isa::LaneAccess access;
    Area area;
    Label refused;
    isa::MemorySpace space;
    std::uint32_t bytes;  ///< bytes of an element in memory
    bool whole;           ///< all lanes are on; otherwise k1 holds those that are, and k5 those of the sixteen
    std::int32_t displacement = 0;  ///< that the message adds to all addresses
    std::uint32_t chunk = 0;
    std::optional<SecondHalf> second = {};
};

class MessageAccess : Part {
  public:
    static constexpr std::uint32_t kSteps = 65;  ///< distances between lanes below so many bytes are constants

    explicit MessageAccess(HostCode& host) : Part(host) {}

    Area areaOf(isa::MemorySpace space, bool write, const Step& m) const;
    /// What the first of two steps adds to the addresses of the second, a message by lanes; nothing if it does
    /// anything else.
    std::optional<std::int32_t> displacementOf(std::span<const Step> two) const;
    static Traffic trafficOf(isa::MemorySpace space, bool write);
    /// The address in rax becomes a host address in rcx, if all bytes are in the area.
    void findRun(const Area& area, std::uint32_t bytes, const Label& refused);
    /// Sixteen addresses without the displacement, in zmm1 and zmm2; the first one with it in rax.
    void loadAddresses(const Lanes16& l);
    /// Distances from the first address, in zmm3 and zmm4.
    void measureDistances(const Lanes16& l);
    void readDistances(const Lanes16& l, std::uint32_t step);
    /// Jumps if none of the lanes is on.
    void unlessOff(const Lanes16& l, const Label& otherwise);
    /// Jumps unless the lanes that are on lie `step` bytes apart.
    void unlessApart(const Lanes16& l, std::uint32_t step, const Label& otherwise);
    /// Addresses become offsets in the area, for a gather or scatter from rcx.
    void findLanes(const Lanes16& l);
    void moveAddresses(const Lanes16& l);
    Zmm distances(std::uint32_t step, std::uint32_t vector);
    Zmm shortDistances(std::uint32_t step);
    Zmm wordDistances();
    void addSteps(const Zmm& to, std::int64_t step, std::uint32_t laneBytes);
    /// Registers of a message.
    Zmm resultOf(const Lanes16& l, std::uint32_t component, std::uint32_t part);
    Zmm dataOf(const Lanes16& l, std::uint32_t component, std::uint32_t part);
    HostAssembler& ofRun(const Lanes16& l, std::uint32_t vector);
    /// Prefetches what lanes that go on like these will move.
    void fetchAhead(std::uint32_t bytes, bool write);
};

}  // namespace zetl::emulator::translate
