// A device that is no Intel GPU: threads in three levels, and all of it stops when one thread does.
#include "session_fixture.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

struct OtherVendor : SessionTest {
    explicit OtherVendor(const fake::Character& character = fake::otherVendors())
        : SessionTest(Debuggee::online, character) {}
};

struct FiveLevels : OtherVendor {
    FiveLevels()
        : OtherVendor([] {
              auto character = fake::otherVendors();
              character.levels = {{"gpc", 1}, {"tpc", 2}, {"sm", 2}, {"partition", 2}, {"warp", 2}};
              return character;
          }()) {}
};

TEST_F(OtherVendor, ThreadsAreNamedByTheLevelsThereAre) {
    attach();
    fake::occupyThreads({0, 13});
    ASSERT_EQ(debug_.interrupt(session_, kAll), ZE_RESULT_SUCCESS);
    const auto event = next();
    ASSERT_EQ(event.type, ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    EXPECT_TRUE(same(event.info.thread.thread, kAll)) << "as it was asked for";
    EXPECT_TRUE(fake::threadStopped(0) && fake::threadStopped(13));
    const ze_device_thread_t thirteenth{3, 0, 1, 0};
    std::uint8_t value[64];
    EXPECT_EQ(debug_.readRegisters(session_, thirteenth, fake::kGeneral, 0, 1, value), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.resume(session_, kAll), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::threadStopped(13));
}

TEST_F(OtherVendor, OneThreadCannotBeInterruptedAlone) {
    attach();
    fake::occupyThreads({0, 1});
    EXPECT_EQ(debug_.interrupt(session_, {0, 0, 1, 0}), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(fake::calls("halt"), 0);
}

TEST_F(FiveLevels, ThreadsWithoutANameCannotBeDebugged) {
    zet_device_debug_properties_t properties{};
    ASSERT_EQ(debug_.deviceGetDebugProperties(device_, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(properties.flags, 0u);
    const zet_debug_config_t config{static_cast<std::uint32_t>(getpid())};
    EXPECT_EQ(debug_.attach(device_, &config, &session_), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(session_, nullptr);
}

}  // namespace
}  // namespace zetl::debug
