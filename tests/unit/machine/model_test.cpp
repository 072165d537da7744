// The parts of the machine that need no kernel: clock, profiles, slots, barriers, ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "emulator/machine/clock.h"
#include "emulator/machine/counters.h"
#include "emulator/machine/embedded_profiles.h"
#include "emulator/machine/execution/barriers.h"
#include "emulator/machine/execution/slot_map.h"
#include "emulator/machine/memory/range_allocator.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {
namespace {

TEST(Clock, IsStrictlyMonotonicAcrossThreadsAndAgreesWithTheHost) {
    Clock clock(12'500'000);
    const std::uint64_t before = clock.hostNow();
    std::vector<std::vector<std::uint64_t>> seen(4);
    std::vector<std::thread> threads;
    for (auto& mine : seen) {
        threads.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) mine.push_back(clock.timestamp());
        });
    }
    for (auto& thread : threads) thread.join();
    std::set<std::uint64_t> all;
    for (const auto& mine : seen) {
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        all.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(all.size(), 8000u) << "no tick was given twice";
    EXPECT_GE(*all.begin(), clock.at(before));
    EXPECT_LE(*all.rbegin(), clock.peek());
    const Clock::Pair pair = clock.correlate();
    EXPECT_EQ(clock.at(pair.host), pair.device);
    EXPECT_EQ(clock.nanoseconds(12'500'000), 1'000'000'000u);
}

TEST(Profile, EveryEmbeddedProfileLoads) {
    ASSERT_FALSE(profileNames().empty());
    EXPECT_EQ(profileNames().front(), "max1550");
    for (const std::string& name : profileNames()) {
        const Profile profile = loadProfile(name);
        EXPECT_EQ(profile.id, name);
        ASSERT_FALSE(profile.devices.empty());
        EXPECT_NE(profile.devices[0].name.find("emulated"), std::string::npos) << "the name must say it";
    }
    const DeviceProfile stack = loadProfile("max1550").devices[0];
    EXPECT_EQ(stack.subslices(), 64u);
    EXPECT_EQ(stack.threads(), 4096u);
    EXPECT_EQ(stack.revision, 0x2fu);
    EXPECT_EQ(loadProfile("max1550-two-tiles").devices[0].tiles, 2u);
    EXPECT_EQ(loadProfile("two-devices").devices.size(), 2u);
    const DeviceProfile b570 = loadProfile("b570").devices[0];
    EXPECT_EQ(b570.subslices(), 18u) << "in five slices of four";
    EXPECT_EQ(b570.eus(), 144u);
    EXPECT_FALSE(b570.has({4, 2, 0, 0}));
    EXPECT_TRUE(b570.has({4, 1, 7, 7}));
    EXPECT_EQ(loadProfile("lnl").devices[0].product, &zetl::isa::xe::kLnl);
    EXPECT_EQ(loadProfile("b580").devices[0].product, &zetl::isa::xe::kBmg);
    EXPECT_EQ(loadProfile("small").devices[0].reportTimeWidth().bits, 31u);
    EXPECT_EQ(loadProfile("b580").devices[0].reportTimeWidth().bits, 56u);
}

TEST(Profile, SeveralAreOneMachine) {
    const Profile mixed = loadProfile("b580+small-two-by-two + lnl");
    ASSERT_EQ(mixed.devices.size(), 4u);
    EXPECT_EQ(mixed.devices[0].product, &zetl::isa::xe::kBmg);
    EXPECT_EQ(mixed.devices[2].tiles, 2u);
    EXPECT_EQ(mixed.devices[3].product, &zetl::isa::xe::kLnl);
    EXPECT_THROW(static_cast<void>(loadProfile("b580+")), ProfileError);
    EXPECT_THROW(static_cast<void>(loadProfile("b580+no-such-profile")), ProfileError);
    std::string many = "tiny";
    for (int i = 0; i < 16; ++i) many += "+tiny";
    EXPECT_THROW(static_cast<void>(loadProfile(many)), ProfileError) << "seventeen";
}

// The compiler's code packs sr0.0 into an index of private memory: it must be the slot, for every slot.
TEST(Profile, StatusRegistersNumberTheSlots) {
    for (const std::string& name : profileNames()) {
        const DeviceProfile device = loadProfile(name).devices[0];
        if (device.architecture().start.subsliceInMessage) continue;
        std::set<std::uint32_t> seen;
        for (std::uint32_t slot = 0; slot < device.threads(); ++slot) {
            const std::uint32_t sr = device.statusRegister(slot);
            EXPECT_TRUE(seen.insert(sr).second);
            const std::uint32_t packed = (sr & 7) | (sr >> 1 & 0x18) | (sr >> 3 & 0x3e0);
            EXPECT_EQ(packed & 7, slot % device.threadsPerEu);
            EXPECT_EQ(device.slotOf(device.threadAt(slot)), slot);
        }
    }
}

// The same on Xe2: (msg0.0 & 0xFF) << 6 | ((sr0.0 & 0x7F) >> 1 & ~7) | (sr0.0 & 7).
TEST(Profile, StatusAndMessageRegistersNumberTheSlotsOfXe2) {
    DeviceProfile device = loadProfile("b570").devices[0];
    for (std::uint32_t slot = 0; slot < device.threads(); ++slot) {
        const std::uint32_t sr = device.statusRegister(slot);
        const std::uint32_t message = device.messageRegister(slot);
        EXPECT_EQ((message & 0xff) << 6 | ((sr & 0x7f) >> 1 & ~7u) | (sr & 7), slot);
        EXPECT_EQ(device.slotOf(device.threadAt(slot)), slot);
    }
    device.product = &zetl::isa::xe::kPvc;
    EXPECT_EQ(device.messageRegister(1151), 0u);
}

/// Of an embedded profile.
std::string textOf(std::string_view name) {
    for (const EmbeddedProfile& profile : embeddedProfiles())
        if (name == profile.name) return profile.text;
    return {};
}

TEST(Profile, BadFilesAreExplained) {
    const auto path = std::filesystem::temp_directory_path() / "zetl-profile-test.yaml";
    const auto problemOf = [&](const std::string& text) {
        std::ofstream(path) << text;
        try {
            static_cast<void>(loadProfile(path.string()));
        } catch (const ProfileError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(problemOf("{").find(path.string()), std::string::npos);
    EXPECT_NE(problemOf("devices: 1\n").find("device:"), std::string::npos);
    EXPECT_NE(problemOf("devices: 99\ndevice: {}\n").find("1 to 16"), std::string::npos);
    EXPECT_NE(problemOf("devices: 1\ndevice: {name: x}\n").find("vendor_id"), std::string::npos);
    const std::string small = textOf("small");
    const std::string key = "architecture: xe-hpc";
    ASSERT_NE(small.find(key), std::string::npos);
    std::string changed = small;
    EXPECT_NE(problemOf(changed.replace(small.find(key), key.size(), "architecture: xe-hpd"))
                  .find("'xe-hpd' is unknown; known are xe-hpc"),
              std::string::npos);
    changed = small;
    EXPECT_NE(problemOf(changed.replace(small.find(key), key.size(), key + "\n  product: lnl"))
                  .find("product: 'lnl' is none of xe-hpc's, which are pvc"),
              std::string::npos);
    changed = small;
    EXPECT_NE(problemOf(changed.replace(small.find(key), key.size(), key + "\n  present_subslices: 9"))
                  .find("present_subslices: is more than there are in the slices"),
              std::string::npos);
    changed = small;
    EXPECT_NE(problemOf(changed.replace(small.find(key), key.size(), key + "\n  integrated: 2")).find("integrated"),
              std::string::npos);
    changed = small;
    EXPECT_EQ(problemOf(changed.erase(small.find(key), key.size())), "") << "the first architecture is the default";
    EXPECT_EQ(loadProfile(path.string()).devices[0].product, &zetl::isa::xe::kPvc);
    EXPECT_THROW(static_cast<void>(loadProfile("no-such-profile")), ProfileError);
    EXPECT_THROW(static_cast<void>(loadProfile("/no/such/file.yaml")), ProfileError);
    std::filesystem::remove(path);
}

TEST(SlotMap, GroupsStayOnOneSubsliceAndShareItsLocalMemory) {
    const DeviceProfile device = loadProfile("small").devices[0];
    SlotMap slots(device);
    std::set<std::uint32_t> used;
    std::uint64_t now = 0;
    for (std::uint32_t group = 0; group < device.subslices() * 2; ++group) {
        const auto placement = slots.place({32, 65536, 128}, ++now);
        ASSERT_TRUE(placement) << group;
        for (const std::uint32_t slot : placement->slots) {
            EXPECT_TRUE(used.insert(slot).second) << "slot taken twice";
            EXPECT_EQ(slot / device.threadsPerSubslice(), placement->subslice);
        }
    }
    EXPECT_FALSE(slots.place({1, 1, 128}, ++now)) << "local memory is used up";
    EXPECT_FALSE(slots.place({1, 0, 128}, ++now)) << "threads are used up";
}

TEST(SlotMap, LargeRegisterFilesTakeTwoSlots) {
    const DeviceProfile device = loadProfile("tiny").devices[0];
    SlotMap slots(device);
    EXPECT_TRUE(SlotMap::possible(device, {64, 0, 128}));
    EXPECT_FALSE(SlotMap::possible(device, {65, 0, 128}));
    EXPECT_FALSE(SlotMap::possible(device, {33, 0, 256}));
    const auto first = slots.place({32, 0, 256}, 1);
    ASSERT_TRUE(first);
    EXPECT_FALSE(slots.place({1, 0, 128}, 2));
    slots.release(*first, 10);
    EXPECT_TRUE(slots.place({64, 0, 128}, 11));
    EXPECT_EQ(slots.occupancy(21).threads, 9u * 32 + 10 * 64);
    EXPECT_EQ(slots.occupancy(21).engines, 9u * 8 + 10 * 8);
}

TEST(Barriers, OpenWhenAllProducersHaveSignalled) {
    using Signal = isa::BarrierSignal;
    Barriers barriers;
    barriers.reset(3, 2);
    const Signal all{0, Signal::Role::both, 3, 3};
    EXPECT_TRUE(barriers.signal(0, all));
    EXPECT_TRUE(barriers.signal(1, all));
    EXPECT_FALSE(barriers.open(0, 0));
    EXPECT_TRUE(barriers.signal(2, all));
    for (std::uint32_t thread = 0; thread < 3; ++thread) EXPECT_TRUE(barriers.open(thread, 0));
    EXPECT_TRUE(barriers.signal(0, all)) << "the next phase";
    EXPECT_FALSE(barriers.open(0, 0));
    EXPECT_TRUE(barriers.open(1, 0)) << "has not signalled the new phase yet";

    const Signal produce{1, Signal::Role::producer, 1, 2};
    const Signal consume{1, Signal::Role::consumer, 1, 2};
    EXPECT_TRUE(barriers.signal(1, consume));
    EXPECT_FALSE(barriers.open(1, 1));
    EXPECT_TRUE(barriers.signal(0, produce));
    EXPECT_TRUE(barriers.open(1, 1));
}

TEST(Barriers, ContradictionsAreNamed) {
    Barriers barriers;
    barriers.reset(2, 1);
    EXPECT_TRUE(barriers.signal(0, {0, isa::BarrierSignal::Role::both, 2, 2}));
    EXPECT_FALSE(barriers.signal(1, {0, isa::BarrierSignal::Role::both, 3, 3}));
    EXPECT_NE(barriers.problem().find("3 producers"), std::string::npos);
    EXPECT_FALSE(barriers.signal(1, {5, isa::BarrierSignal::Role::both, 2, 2}));
    EXPECT_NE(barriers.problem().find("barrier 5"), std::string::npos);
    EXPECT_NE(barriers.describe(0).find("1 of 2"), std::string::npos);
}

TEST(RangeAllocator, MergesWhatIsReleased) {
    RangeAllocator ranges(64, 1024);
    const auto a = ranges.allocate(100);
    const auto b = ranges.allocate(64);
    const auto c = ranges.allocate(1024 - 192);
    ASSERT_TRUE(a && b && c);
    EXPECT_EQ(*a, 64u);
    EXPECT_EQ(*b, 192u);
    EXPECT_FALSE(ranges.allocate(1));
    ranges.release(*b, 64);
    ranges.release(*a, 100);
    ranges.release(*c, 1024 - 192);
    EXPECT_EQ(ranges.allocate(1024), 64u);
}

TEST(Counters, AreDescribedInOrder) {
    const auto& descriptions = counterDescriptions();
    std::set<std::string> names;
    for (std::size_t i = 0; i < kCounters; ++i) {
        EXPECT_EQ(static_cast<std::size_t>(descriptions[i].counter), i);
        EXPECT_TRUE(names.insert(descriptions[i].name).second);
        EXPECT_EQ(descriptions[i].exact, std::string(descriptions[i].text).find("model:") == std::string::npos);
    }
}

}  // namespace
}  // namespace zetl::emulator::machine
