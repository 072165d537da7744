// Loads of one byte or word a lane, whose lanes lie anywhere: up to the end of memory, in two dwords, with lanes off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lone_thread.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kNarrowLanes = 32;
constexpr std::uint32_t kNarrowBytes = 4096;
constexpr std::uint32_t kKept = 0xcdcdcdcd;

struct NarrowLoad {
    const char* space;
    std::uint32_t bytes;
    std::uint32_t descriptor;  ///< of 32 lanes
    bool isGlobal() const { return descriptor & 0x80; }
};
constexpr NarrowLoad kLoads[] = {
    {"slm", 1, 0x04200900}, {"slm", 2, 0x04200b00}, {"ugm", 1, 0x08200980}, {"ugm", 2, 0x08200b80}};

/// Where each lane lies; a multiple of what an element takes may be added.
struct NarrowPattern {
    const char* name;
    std::uint32_t (*place)(std::uint32_t lane, std::uint32_t bytes);
};
constexpr NarrowPattern kNarrowPatterns[] = {
    {"one behind the other", [](std::uint32_t i, std::uint32_t bytes) { return 64 + i * bytes; }},
    {"the same", [](std::uint32_t, std::uint32_t) { return 65u; }},
    {"apart", [](std::uint32_t i, std::uint32_t bytes) { return i * 18 * bytes; }},
    {"blocks of a quantized model", [](std::uint32_t i, std::uint32_t) { return 2 + i * 18; }},
    {"at odd places", [](std::uint32_t i, std::uint32_t) { return i * 37 + 1; }},
    {"backwards to the first", [](std::uint32_t i, std::uint32_t bytes) { return (31 - i) * bytes; }},
    {"to the last", [](std::uint32_t i, std::uint32_t bytes) { return kNarrowBytes - (i * i + 1) * bytes; }},
};

class NarrowLanes : public testing::Test {
  protected:
    NarrowLanes() : area(t.allocate(kNarrowBytes)) { t.local.resize(kNarrowBytes); }

    std::uint32_t valueAt(std::uint32_t place, std::uint32_t bytes) const {
        std::uint32_t value = 0;
        std::memcpy(&value, area.data() + place, bytes);
        return value;
    }
    /// `off`: the place of lanes that are off.
    isa::Status run(const NarrowLoad& load, const NarrowPattern& pattern, std::uint32_t lanes, const char* predicate,
                    std::uint32_t off) {
        t.load(assembleProgram(
                   fmt::format("{}send.{} (32|M0) r50 r10 null:0 0x0 {:#x}", predicate, load.space, load.descriptor)),
               lanes);
        t.setFlag(0, 0x3c5a7e81);
        for (std::uint32_t at = 0; at < kNarrowBytes; ++at)
            t.local[at] = area[at] = static_cast<std::byte>(at * 7 + (at >> 8));
        const std::uint32_t on = *predicate == 0 ? lanes : lanes & 0x3c5a7e81;
        std::vector<std::uint64_t> global;
        std::vector<std::uint32_t> local;
        for (std::uint32_t i = 0; i < kNarrowLanes; ++i) {
            local.push_back((on >> i & 1) != 0 ? pattern.place(i, load.bytes) : off);
            global.push_back(LoneThread::addressOf(area) + local.back());
        }
        load.isGlobal() ? t.set(10, global) : t.set(10, local);
        t.set(50, std::vector<std::uint32_t>(kNarrowLanes, kKept));
        return t.resume();
    }

    LoneThread t;
    std::vector<std::byte>& area;
};

TEST_F(NarrowLanes, HaveTheirBytesAndTheOthersKeepTheirs) {
    for (const NarrowLoad& load : kLoads)
        for (const NarrowPattern& pattern : kNarrowPatterns)
            for (const std::uint32_t lanes : {~0u, 0x8001ff10u})
                for (const char* predicate : {"", "(f0.0) "}) {
                    SCOPED_TRACE(
                        fmt::format("{} {}, {}, {:#x} {}", load.space, load.bytes, pattern.name, lanes, predicate));
                    ASSERT_EQ(run(load, pattern, lanes, predicate, 0x10000000), isa::Status::done)
                        << describe(t.thread().fault);
                    const std::uint32_t on = *predicate == 0 ? lanes : lanes & 0x3c5a7e81;
                    for (std::uint32_t i = 0; i < kNarrowLanes; ++i)
                        EXPECT_EQ(t.scalar<std::uint32_t>(50, i),
                                  (on >> i & 1) != 0 ? valueAt(pattern.place(i, load.bytes), load.bytes) : kKept)
                            << "lane " << i;
                    if (HasFailure()) return;
                }
}

TEST_F(NarrowLanes, OutsideOfMemoryFault) {
    constexpr NarrowPattern kBehind{
        "behind", [](std::uint32_t i, std::uint32_t bytes) { return i == 21 ? kNarrowBytes - bytes + 1 : i * 20; }};
    for (const NarrowLoad& load : kLoads) {
        if (!load.isGlobal()) continue;  // local memory reads as zero there
        EXPECT_EQ(run(load, kBehind, ~0u, "", 0), isa::Status::faulted) << load.bytes;
        EXPECT_EQ(run(load, kBehind, 0xffdfffff, "", 0x10000000), isa::Status::done) << load.bytes;
    }
}

}  // namespace
}  // namespace zetl::test
