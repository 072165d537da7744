// Lanes whose registers thirty-two words of a0 name, as Xe3P has them: host code and steps read the same ones.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "emulator/isa/float_mode.h"
#include "emulator/isa/state_layout.h"
#include "emulator/isa/thread.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/translation.h"
#include "isa/xe/architecture.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

/// mov (32|M0) r72.0<1>:d r[a0.0]<1,0>:d, and the thread's end, as 26.27 encodes them for Crescent Island.
constexpr std::array<std::uint64_t, 4> kGather{0x4805066000141161, 0x0000000000710000, 0x000000018000c433,
                                               0x000000003000000c};
constexpr std::uint32_t kGatherAt = 0x10000;
constexpr std::uint32_t kGatheredLanes = 32;
constexpr std::uint32_t kNamedRegisters = 16;  // that hold numbers
constexpr std::uint32_t kNamedAt = 20 * 64;    // their first byte

void loadGather(LoneThread& t) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(kGather.data());
    t.load(Code(bytes, bytes + sizeof kGather), ~0u, {.architecture = &zetl::isa::xe::kXe3P, .base = kGatherAt});
    std::vector<std::uint32_t> numbers(kNamedRegisters * 16);
    for (std::uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = 0x10000 + i;
    t.set(kNamedAt / 64, numbers);
    for (std::uint32_t lane = 0; lane < kGatheredLanes; ++lane)
        t.thread().at<std::uint16_t>(isa::layout::kAddress + 2 * lane) =
            static_cast<std::uint16_t>(kNamedAt + 4 * (lane * 37 % numbers.size()));
}

std::vector<std::uint32_t> gatherIn(LoneThread& t) {
    EXPECT_TRUE(t.thread().enter(t.program(), kGatherAt));
    isa::resume(t.thread(), isa::kQuantum, isa::Windows::kept);
    EXPECT_EQ(t.thread().status, isa::Status::done);
    return t.get<std::uint32_t>(72, kGatheredLanes);
}

TEST(AddressesOfXe3P, ThirtyTwoNameRegistersInHostCode) {
    if (!emulator::translate::hostObstacle().empty()) GTEST_SKIP() << "nothing is translated here";
    isa::FloatModeGuard mode;
    LoneThread bySteps;
    LoneThread byHostCode;
    for (LoneThread* t : {&bySteps, &byHostCode}) {
        loadGather(*t);
        t->thread().hostMode = mode.current();
    }
    const auto report = emulator::translate::translateAnyway(byHostCode.program(), kGatherAt, kGatheredLanes);
    EXPECT_FALSE(report.calling.at(0));
    const std::vector<std::uint32_t> expected = gatherIn(bySteps);
    EXPECT_EQ(gatherIn(byHostCode), expected);
    for (std::uint32_t lane = 0; lane < kGatheredLanes; ++lane)
        EXPECT_EQ(expected[lane], 0x10000 + lane * 37 % (kNamedRegisters * 16)) << lane;
}

}  // namespace
}  // namespace zetl::test
