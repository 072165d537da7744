// The form that a provider of device access has to keep, and what becomes of one that does not.
#include "device/conformance.h"

#include <gtest/gtest.h>

#include "device/access.h"
#include "device/null_access.h"
#include "device/status.h"
#include "support/fake_access.h"

namespace zetl::device {
namespace {

TEST(Conformance, TheNullProviderConforms) {
    EXPECT_TRUE(violations(&nullAccess()).empty());
    EXPECT_TRUE(behaviourViolations(nullAccess()).empty());
}

TEST(Conformance, TheScriptedDeviceConforms) {
    test::fake::reset();
    const auto findings = behaviourViolations(test::fake::access());
    EXPECT_TRUE(findings.empty()) << findings.front();
}

TEST(Conformance, AnotherVendorsDeviceConforms) {
    test::fake::reset();
    test::fake::become(test::fake::otherVendors());
    const auto findings = behaviourViolations(test::fake::access());
    EXPECT_TRUE(findings.empty()) << findings.front();
    test::fake::reset();
}

TEST(Conformance, MissingTableIsFound) { EXPECT_FALSE(violations(nullptr).empty()); }

TEST(Conformance, MissingMandatorySectionIsFound) {
    auto access = test::fake::access();
    access.devices = nullptr;
    EXPECT_FALSE(violations(&access).empty());
}

TEST(Conformance, NullMemberIsFoundAndNamed) {
    auto access = test::fake::access();
    auto counters = *access.counters;
    counters.evaluate = nullptr;
    access.counters = &counters;
    const auto findings = violations(&access);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].find("counters"), std::string::npos);
}

TEST(Conformance, SectionOfAnOlderSizeIsFound) {
    auto access = test::fake::access();
    auto targets = *access.targets;
    targets.size = 16;
    access.targets = &targets;
    EXPECT_EQ(violations(&access).size(), 1u);
}

TEST(Conformance, TargetsMayEndBeforeBreakpoints) {
    auto access = test::fake::access();
    auto targets = *access.targets;
    EXPECT_TRUE(offersBreakpoints(targets));
    targets.size = offsetof(zetl_target_functions_t, breakpoint);
    targets.breakpoint = nullptr;
    access.targets = &targets;
    EXPECT_TRUE(violations(&access).empty());
    EXPECT_FALSE(offersBreakpoints(targets));
}

TEST(Conformance, SourcesThatDisagreeAreFound) {
    auto access = test::fake::access();
    auto devices = *access.devices;
    devices.describe = [](zetl_device_t device, zetl_device_info_t* info) {
        const auto status = test::fake::access().devices->describe(device, info);
        if (status == ZETL_OK) info->together[ZETL_SOURCE_QUERY] = 0;
        return status;
    };
    access.devices = &devices;
    EXPECT_FALSE(behaviourViolations(access).empty());
}

TEST(Conformance, StructuresFilledBeyondTheirSizeAreFound) {
    auto access = test::fake::access();
    auto devices = *access.devices;
    devices.describe = [](zetl_device_t device, zetl_device_info_t* info) {
        info->size = sizeof *info;
        return test::fake::access().devices->describe(device, info);
    };
    access.devices = &devices;
    auto clocks = *access.clocks;
    clocks.describe = [](zetl_device_t device, std::uint32_t kind, zetl_clock_info_t* info) {
        info->size = sizeof *info;
        return test::fake::access().clocks->describe(device, kind, info);
    };
    access.clocks = &clocks;
    EXPECT_EQ(behaviourViolations(access).size(), 2u);
}

TEST(Conformance, PlanThatAcceptsAnyNameIsFound) {
    auto access = test::fake::access();
    auto counters = *access.counters;
    counters.plan = [](const char*, std::uint32_t, std::uint32_t, const char* const*, zetl_plan_info_t*, std::uint64_t,
                       void*) { return ZETL_OK; };
    access.counters = &counters;
    EXPECT_FALSE(behaviourViolations(access).empty());
}

TEST(Access, ProviderThatBreaksTheFormIsRefused) {
    auto broken = test::fake::access();
    broken.version = 0;
    EXPECT_EQ(Access::adopt(&broken).code(), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
}

TEST(Access, AbsentSectionsRefuseInsteadOfBeingNull) {
    const auto access = Access::adopt(&test::fake::access());  // has no sampling section
    ASSERT_TRUE(access);
    std::uint32_t count = 0;
    EXPECT_EQ(access->sampling().reasons("fake", 0, nullptr, &count), ZETL_UNSUPPORTED);
}

TEST(Access, DriverWithoutTheFunctionIsUnsupported) {
    const auto none = [](ze_driver_handle_t, const char*, void**) { return ZE_RESULT_ERROR_INVALID_ARGUMENT; };
    EXPECT_EQ(Access::ofDriver(nullptr, none).code(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(Access, DriverIsAskedByName) {
    const auto lookUp = [](ze_driver_handle_t, const char* name, void** address) {
        EXPECT_STREQ(name, ZETL_DEVICE_ACCESS_FUNCTION);
        zetl_get_device_access_t get = [](std::uint32_t) { return &test::fake::access(); };
        *address = reinterpret_cast<void*>(get);
        return ZE_RESULT_SUCCESS;
    };
    const auto access = Access::ofDriver(nullptr, lookUp);
    ASSERT_TRUE(access);
    EXPECT_STREQ(access->provider(), "fake");
}

TEST(Status, EveryRefusalHasItsResult) {
    EXPECT_EQ(resultOf(ZETL_OK), ZE_RESULT_SUCCESS);
    EXPECT_EQ(resultOf(ZETL_UNSUPPORTED), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(resultOf(ZETL_BUSY), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(resultOf(ZETL_NEEDS_PRIVILEGE), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    EXPECT_EQ(resultOf(ZETL_NOT_READY), ZE_RESULT_NOT_READY);
    EXPECT_EQ(resultOf(ZETL_LOST), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(resultOf(ZETL_GONE), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(resultOf(ZETL_NO_MEMORY), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(resultOf(static_cast<zetl_status_t>(99)), ZE_RESULT_ERROR_UNKNOWN);
}

}  // namespace
}  // namespace zetl::device
