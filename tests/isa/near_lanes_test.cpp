// Loads and stores of one to four dwords or qwords a lane, whose lanes lie one behind the other or near each other in
// another order: in local and global memory, at any place beside lines of 64 bytes and at the end of memory. On Xe2
// messages also move all addresses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "isa/xe/architecture.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kNearLanes = 32;
constexpr std::uint32_t kNearBytes = 4096;
constexpr std::uint32_t kLineBytes = 64;
constexpr std::uint32_t kAsBefore = 0xcdcdcdcd;
constexpr std::uint32_t kAddresses = 10;
constexpr std::uint32_t kData = 50;

/// Where each of sixteen lanes of one dword lies, in bytes beside the place that the case gives; of more, as many times
/// as far.
struct NearPattern {
    const char* name;
    std::int32_t (*place)(std::int32_t lane);
};
constexpr NearPattern kPatterns[] = {
    {"one behind the other", [](std::int32_t i) { return i * 4; }},
    {"every second", [](std::int32_t i) { return i * 8; }},
    {"pairs with gaps", [](std::int32_t i) { return (2 * i - i % 2) * 4; }},
    {"fours with gaps", [](std::int32_t i) { return (2 * i - i % 4) * 4; }},
    {"pairs behind gaps", [](std::int32_t i) { return (2 * i - i % 2 + 2) * 4; }},
    {"fours behind gaps", [](std::int32_t i) { return (2 * i - i % 4 + 4) * 4; }},
    {"pairs with gaps, moved in the second line", [](std::int32_t i) { return (2 * i - i % 2 + i / 8) * 4; }},
    {"fours with gaps, but one", [](std::int32_t i) { return (2 * i - i % 4 - (i == 12 ? 1 : 0)) * 4; }},
    {"two eights", [](std::int32_t i) { return (i % 8 + i / 8 * 16) * 4; }},
    {"pairs turned around", [](std::int32_t i) { return (i ^ 1) * 4; }},
    {"eights turned around", [](std::int32_t i) { return (i ^ 8) * 4; }},
    {"backwards", [](std::int32_t i) { return (15 - i) * 4; }},
    {"two in each", [](std::int32_t i) { return i / 2 * 4; }},
    {"all but one in one", [](std::int32_t i) { return i == 15 ? 64 : 0; }},
    {"the last further", [](std::int32_t i) { return i == 15 ? 128 : i * 8; }},
    {"one before", [](std::int32_t i) { return i == 3 ? -4 : i * 8; }},
    {"one between dwords", [](std::int32_t i) { return i == 5 ? 41 : i * 8; }},
    {"all between dwords", [](std::int32_t i) { return i * 8 + 2; }},
    {"one far away", [](std::int32_t i) { return i == 7 ? 256 : i * 4; }},
};

struct MemorySpace {
    const char* name;
    bool isGlobal;
    std::uint32_t bytes;            ///< of an element
    std::uint32_t descriptor;       ///< of a load of one component, without its reply
    std::int32_t displacement = 0;  ///< that the message adds to all addresses, in bytes; not 0: of Xe2
    std::uint32_t registers() const { return kNearLanes * bytes / isa::layout::kRegisterBytes; }  ///< of a component
    const zetl::isa::xe::Architecture& architecture() const {
        return displacement == 0 ? zetl::isa::xe::kXeHpc : zetl::isa::xe::kXe2;
    }
    std::uint32_t extended() const { return static_cast<std::uint32_t>(displacement) << 12; }
    std::string load(std::uint32_t components) const {
        return fmt::format("send.{} (32|M0) r{} r{} null:0 {:#x} {:#x}", name, kData, kAddresses, extended(),
                           descriptor | registers() * components << 20 | (components - 1) << 12);
    }
    std::string store(std::uint32_t components) const {
        return fmt::format("send.{} (32|M0) null r{} r{}:{} {:#x} {:#x}", name, kAddresses, kData,
                           registers() * components, extended(), descriptor | 4 | (components - 1) << 12);
    }
};
constexpr MemorySpace kSpaces[] = {{"slm", false, 4, 0x04000500},       {"ugm", true, 4, 0x08000580},
                                   {"ugm", true, 8, 0x08000780},        {"slm", false, 4, 0x04000500, 2112},
                                   {"ugm", true, 4, 0x08000580, -4096}, {"ugm", true, 8, 0x08000780, 72}};

class NearLanes : public testing::Test {
  protected:
    NearLanes() : area(t.allocate(kNearBytes)) { t.local.resize(kNearBytes); }

    struct Case {
        const MemorySpace& space;
        const NearPattern& pattern;
        std::uint32_t components;
        std::uint32_t start;
        std::uint32_t on;
        const Code& load;
        const Code& store;
        std::int32_t second =
            -2 * static_cast<std::int32_t>(kLineBytes);  ///< where its lanes lie beside the first half's
        const NearPattern* secondPattern = &pattern;

        std::uint32_t dwords() const { return components * space.bytes / 4; }  ///< of a lane
        bool isOn(std::uint32_t lane) const { return (on >> lane & 1) != 0; }
        std::uint32_t placeOf(std::uint32_t lane) const {
            const auto i = static_cast<std::int32_t>(lane % 16);
            const std::int32_t beside = lane < 16 ? pattern.place(i) : secondPattern->place(i) + second;
            return start + static_cast<std::uint32_t>(beside) * dwords();
        }
        /// Whether all lies in memory, and the result there does not depend on the order of components.
        bool isSense() const {
            for (std::uint32_t lane = 0; lane < kNearLanes; ++lane) {
                if (placeOf(lane) + 4 * dwords() > kNearBytes) return false;
                const NearPattern& half = lane < 16 ? pattern : *secondPattern;
                if (dwords() > 1 && half.place(static_cast<std::int32_t>(lane % 16)) % 4 != 0) return false;
            }
            return true;
        }
    };

    std::vector<std::byte>& memoryOf(const Case& c) { return c.space.isGlobal ? area : t.local; }
    void prepare(const Case& c, const Code& code) {
        t.load(code, c.on, {.architecture = &c.space.architecture(), .base = 0x10000});
        for (std::uint32_t at = 0; at < kNearBytes; ++at)
            t.local[at] = area[at] = static_cast<std::byte>(at * 7 + (at >> 8));
        std::vector<std::uint64_t> global;
        std::vector<std::uint32_t> local;
        for (std::uint32_t lane = 0; lane < kNearLanes; ++lane) {
            const std::uint32_t place = c.placeOf(lane) - static_cast<std::uint32_t>(c.space.displacement);
            local.push_back(place);
            global.push_back(LoneThread::addressOf(area) +
                             static_cast<std::uint64_t>(static_cast<std::int32_t>(place)));
        }
        c.space.isGlobal ? t.set(kAddresses, global) : t.set(kAddresses, local);
    }

    /// f(lane, component, its place in memory, its place in registers)
    template <class F>
    void eachElement(const Case& c, F&& f) {
        for (std::uint32_t k = 0; k < c.components; ++k)
            for (std::uint32_t lane = 0; lane < kNearLanes; ++lane)
                f(lane, k, memoryOf(c).data() + c.placeOf(lane) + std::size_t{c.space.bytes} * k,
                  t.thread().grf(kData + c.space.registers() * k) + std::size_t{c.space.bytes} * lane);
    }

    void checkLoad(const Case& c) {
        prepare(c, c.load);
        t.set(kData, std::vector<std::uint32_t>(std::size_t{kNearLanes} * c.dwords(), kAsBefore));
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        eachElement(c, [&](std::uint32_t lane, std::uint32_t k, std::byte* at, const std::byte* in) {
            std::uint64_t want = kAsBefore;
            std::uint64_t got = 0;
            if (c.space.bytes == 8) want |= want << 32;
            if (c.isOn(lane)) std::memcpy(&want, at, c.space.bytes);
            std::memcpy(&got, in, c.space.bytes);
            EXPECT_EQ(got, want) << lane << ", component " << k;
        });
    }
    void checkStore(const Case& c) {
        prepare(c, c.store);
        const std::vector<std::byte> before = memoryOf(c);
        eachElement(c, [&](std::uint32_t lane, std::uint32_t k, std::byte* at, std::byte* in) {
            const std::uint64_t value = 0x0101010101010101 * (lane + 1) + k;
            std::memcpy(in, &value, c.space.bytes);
            if (c.isOn(lane)) std::memcpy(at, &value, c.space.bytes);
        });
        const std::vector<std::byte> want = memoryOf(c);
        memoryOf(c) = before;
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
        EXPECT_TRUE(memoryOf(c) == want);
    }

    LoneThread t;
    std::vector<std::byte>& area;
};

TEST_F(NearLanes, MoveWhatLiesWhereTheyDo) {
    constexpr std::uint32_t kSomeLanes = 0x5a3c8001;
    for (const MemorySpace& space : kSpaces)
        for (const std::uint32_t components : {1u, 2u, 3u, 4u}) {
            const Code load = assembleProgram(space.load(components), space.architecture());
            const Code store = assembleProgram(space.store(components), space.architecture());
            const std::uint32_t run = kLineBytes * components * space.bytes / 4;  // of sixteen lanes
            const std::uint32_t last = kNearBytes - run;
            for (const NearPattern& pattern : kPatterns)
                for (const std::uint32_t start : {2048u, 2052u, 2108u, 2110u, last - 196, last, last + 4, last - run})
                    for (const std::uint32_t on : {~0u, 0xffffu, kSomeLanes, 0xffff0000u, 0x7fff0001u, 0x00a08420u}) {
                        const Case c{space, pattern, components, start, on, load, store};
                        const bool isUsual = on == ~0u || on == kSomeLanes;
                        if (!c.isSense() || (space.displacement != 0 && !isUsual)) continue;
                        SCOPED_TRACE(fmt::format("{}: {} of {} of {} bytes from {}, lanes {:#x}", space.name,
                                                 pattern.name, components, space.bytes, start, on));
                        ASSERT_NO_FATAL_FAILURE(checkLoad(c));
                        ASSERT_NO_FATAL_FAILURE(checkStore(c));
                        if (HasFailure()) return;
                    }
        }
}

TEST_F(NearLanes, HalvesGoOnOneFromTheOther) {
    constexpr auto kBehind = static_cast<std::int32_t>(kLineBytes);
    for (const MemorySpace& space : kSpaces) {
        const Code load = assembleProgram(space.load(1), space.architecture());
        const Code store = assembleProgram(space.store(1), space.architecture());
        const std::uint32_t both = 2 * kLineBytes * space.bytes / 4;
        for (const NearPattern& pattern : kPatterns)
            for (const std::int32_t second : {kBehind, kBehind + 4, kBehind - 4, 2 * kBehind, 0})
                for (const std::uint32_t start : {2048u, 2052u, kNearBytes - both}) {
                    const Case c{space, kPatterns[0], 1, start, ~0u, load, store, second, &pattern};
                    if (!c.isSense()) continue;
                    SCOPED_TRACE(fmt::format("{}: {} bytes from {}, {} from {}", space.name, space.bytes, start,
                                             pattern.name, second));
                    ASSERT_NO_FATAL_FAILURE(checkLoad(c));
                    ASSERT_NO_FATAL_FAILURE(checkStore(c));
                    if (HasFailure()) return;
                }
    }
}

TEST_F(NearLanes, TheLastOfBothHalvesBehindTheEndIsAFault) {
    for (const MemorySpace& space : kSpaces) {
        const Code load = assembleProgram(space.load(1), space.architecture());
        const Code store = assembleProgram(space.store(1), space.architecture());
        const std::uint32_t start = kNearBytes - (kNearLanes - 1) * space.bytes;
        const Case c{space, kPatterns[0], 1, start, ~0u, load, store, kLineBytes};
        for (const Code* code : {&load, &store}) {
            SCOPED_TRACE(fmt::format("{}: {}, {}", space.name, space.bytes, code == &load ? "load" : "store"));
            prepare(c, *code);
            EXPECT_EQ(t.resume(), isa::Status::faulted);
            EXPECT_EQ(t.thread().fault.lane, kNearLanes - 1);
        }
    }
}

TEST_F(NearLanes, ALaneBehindTheEndIsAFault) {
    constexpr NearPattern kEverySecond{"every second", [](std::int32_t i) { return i * 8; }};
    constexpr std::uint32_t kFirstOut = 8;
    for (const MemorySpace& space : kSpaces)
        for (const std::uint32_t components : {1u, 2u, 3u}) {
            const Code load = assembleProgram(space.load(components), space.architecture());
            const Code store = assembleProgram(space.store(components), space.architecture());
            const std::uint32_t start = kNearBytes - kLineBytes * components * space.bytes / 4;
            const Case c{space, kEverySecond, components, start, 0xffff, load, store};
            for (const Code* code : {&load, &store}) {
                SCOPED_TRACE(fmt::format("{}: {}, {}", space.name, components, code == &load ? "load" : "store"));
                prepare(c, *code);
                EXPECT_EQ(t.resume(), isa::Status::faulted);
                EXPECT_EQ(t.thread().fault.lane, kFirstOut);
            }
        }
}

/// Whose dword has the number of one nearby, if it is cut to 32 bits.
TEST_F(NearLanes, ALaneFarAwayIsAFault) {
    constexpr NearPattern kEverySecond{"every second", [](std::int32_t i) { return i * 8; }};
    constexpr std::uint32_t kLane = 5;
    const MemorySpace& global = kSpaces[1];
    const Code load = assembleProgram(global.load(1));
    const Code store = assembleProgram(global.store(1));
    const Case c{global, kEverySecond, 1, 1024, 0xffff, load, store};
    for (const Code* code : {&load, &store}) {
        prepare(c, *code);
        auto addresses = t.get<std::uint64_t>(kAddresses, kNearLanes);
        addresses[kLane] += 4ull << 32;
        t.set(kAddresses, addresses);
        EXPECT_EQ(t.resume(), isa::Status::faulted);
        EXPECT_EQ(t.thread().fault.lane, kLane);
    }
}

}  // namespace
}  // namespace zetl::test
