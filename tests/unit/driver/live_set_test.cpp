#include <gtest/gtest.h>
#include <level_zero/ze_api.h>

#include <thread>

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

struct Thing : Object<Thing, ze_sampler_handle_t> {
    [[maybe_unused]] static constexpr const char* kNoun = "thing";
    int value = 0;
};

TEST(LiveSet, FindsWhatWasAdded) {
    LiveSet<Thing> set;
    const auto thing = std::make_shared<Thing>();
    const auto handle = set.add(thing);
    EXPECT_EQ(set.find(handle), thing);
    EXPECT_EQ(set.all().size(), 1u);
}

TEST(LiveSet, ForgetsWhatWasRemoved) {
    LiveSet<Thing> set;
    const auto handle = set.add(std::make_shared<Thing>());
    EXPECT_NE(set.remove(handle), nullptr);
    EXPECT_EQ(set.find(handle), nullptr);
    EXPECT_EQ(set.remove(handle), nullptr) << "only one caller gets it";
}

TEST(LiveSet, DoesNotReadThroughGarbage) {
    LiveSet<Thing> set;
    set.add(std::make_shared<Thing>());
    EXPECT_EQ(set.find(reinterpret_cast<ze_sampler_handle_t>(std::uintptr_t{0xdeadbeef})), nullptr);
}

TEST(LiveSet, AHandleBeginsWithTheTablePointers) {
    LiveSet<Thing> set;
    const auto* words = reinterpret_cast<void* const*>(set.add(std::make_shared<Thing>()));
    const HandleHead expected = tablesOfHandles();
    EXPECT_EQ(words[0], expected.core);
    EXPECT_EQ(words[1], expected.tools);
    EXPECT_EQ(words[2], expected.sysman);
    EXPECT_EQ(words[3], expected.runtime);
}

TEST(LiveSet, SurvivesThreads) {
    LiveSet<Thing> set;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 1000; ++round) {
                const auto handle = set.add(std::make_shared<Thing>());
                EXPECT_NE(set.find(handle), nullptr);
                EXPECT_NE(set.remove(handle), nullptr);
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(set.all().empty());
}

}  // namespace
}  // namespace zetl::emulator::driver
