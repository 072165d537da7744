// Who may attach to what, and how a session ends.
#include <chrono>
#include <cstring>
#include <thread>

#include "session_fixture.h"
#include "support/wait_for.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;
using Attach = SessionTest;

TEST_F(Attach, PropertyIsIndependentOfTheEnvironment) {
    zet_device_debug_properties_t properties{};
    ASSERT_EQ(debug_.deviceGetDebugProperties(device_, &properties), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(properties.flags & ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
    ASSERT_EQ(debug_.deviceGetDebugProperties(fake::foreignDevice(), &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(properties.flags, 0u);
}

TEST_F(Attach, BadArgumentsGiveNoSession) {
    zet_debug_config_t config{static_cast<std::uint32_t>(getpid())};
    auto session = reinterpret_cast<zet_debug_session_handle_t>(0x1);
    EXPECT_EQ(debug_.attach(fake::foreignDevice(), &config, &session), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    for (const std::uint32_t pid : {0u, 4000000u, 0xffffffffu}) {
        config.pid = pid;
        EXPECT_EQ(debug_.attach(device_, &config, &session), ZE_RESULT_ERROR_INVALID_ARGUMENT) << pid;
        EXPECT_EQ(session, nullptr);
    }
}

TEST_F(Attach, SecondAttachIsNotAvailableUntilTheFirstEnds) {
    const auto first = attach();
    zet_debug_config_t config{static_cast<std::uint32_t>(getpid())};
    zet_debug_session_handle_t second = nullptr;
    EXPECT_EQ(debug_.attach(device_, &config, &second), ZE_RESULT_ERROR_NOT_AVAILABLE);
    ASSERT_EQ(debug_.detach(first), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(fake::targetOpen());
    attach();
}

TEST_F(Attach, DebuggingNotEnabledIsNotReady) {
    Debug off(devices_, Debuggee::off);
    zet_debug_config_t config{static_cast<std::uint32_t>(getpid())};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(off.attach(device_, &config, &session), ZE_RESULT_NOT_READY);
}

TEST_F(Attach, DetachWakesAReaderThatWaitsForEver) {
    attach();
    std::atomic<pid_t> waits{0};
    std::thread reader([&] {
        zet_debug_event_t event{};
        waits = gettid();
        const auto result = read(event, UINT64_MAX);
        // The reader may also come too late and find no session.
        EXPECT_TRUE(result == ZE_RESULT_ERROR_UNINITIALIZED || result == ZE_RESULT_ERROR_INVALID_ARGUMENT);
    });
    EXPECT_TRUE(test::waitFor([&] { return waits != 0 && test::isAsleep(waits); }));
    EXPECT_EQ(debug_.detach(session_), ZE_RESULT_SUCCESS);
    reader.join();
}

TEST_F(Attach, NothingHappensWithoutASession) {
    zet_debug_event_t event{};
    const auto stale = attach();
    ASSERT_EQ(debug_.detach(stale), ZE_RESULT_SUCCESS);
    EXPECT_EQ(debug_.detach(stale), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.readEvent(stale, 0, &event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(debug_.interrupt(stale, kAll), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Attach, RegisterSetsAreListedWithoutASession) {
    std::uint32_t count = 0;
    ASSERT_EQ(debug_.getRegisterSetProperties(device_, &count, nullptr), ZE_RESULT_SUCCESS);
    ASSERT_EQ(count, 3u);
    zet_debug_regset_properties_t sets[3];
    std::memset(sets, 0xee, sizeof sets);  // callers leave stype and pNext uninitialised
    ASSERT_EQ(debug_.getRegisterSetProperties(device_, &count, sets), ZE_RESULT_SUCCESS);
    EXPECT_EQ(sets[0].type, fake::kGeneral);
    EXPECT_EQ(sets[0].byteSize, 64u);
    EXPECT_EQ(sets[1].generalFlags, zet_debug_regset_flags_t{ZET_DEBUG_REGSET_FLAG_READABLE});
}

}  // namespace
}  // namespace zetl::debug
