#include <level_zero/zes_api.h>

#include <algorithm>
#include <string_view>

#include "ddi/api.h"
#include "driver/lifetime.h"
#include "emulator/driver/shared_parts.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

TEST(Boundary, PassesOnAllowedCodes) {
    lifetime::initialise();
    EXPECT_EQ(boundary("f", [] { return ZE_RESULT_ERROR_INVALID_ARGUMENT; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(boundary<ZE_RESULT_NOT_READY>("f", [] { return ZE_RESULT_NOT_READY; }), ZE_RESULT_NOT_READY);
}

TEST(Boundary, DoesNotPassOnOthers) {
    lifetime::initialise();
    EXPECT_EQ(boundary("f", [] { return ZE_RESULT_NOT_READY; }), ZE_RESULT_ERROR_UNKNOWN);
}

TEST(Boundary, TurnsExceptionsIntoCodes) {
    lifetime::initialise();
    EXPECT_EQ(boundary("f", []() -> Status { throw std::bad_alloc(); }), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(boundary("f", []() -> Status { throw 1; }), ZE_RESULT_ERROR_UNKNOWN);
}

TEST_F(DriverTest, HandlesComeBeforePointers) {
    EXPECT_EQ(CALL(zeDeviceGetProperties)(nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(CALL(zeDeviceGetProperties)(device, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST_F(DriverTest, ForeignHandlesAreRefusedWithAReason) {
    ze_device_properties_t properties{};
    const auto foreign = reinterpret_cast<ze_device_handle_t>(context);
    EXPECT_EQ(CALL(zeDeviceGetProperties)(foreign, &properties), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    const char* text = nullptr;
    ASSERT_OK(CALL(zeDriverGetLastErrorDescription)(driver, &text));
    EXPECT_NE(std::string(text).find("not a live device"), std::string::npos) << text;
}

TEST_F(DriverTest, UntypedPropertiesAreFilledAndTheirChainIsNotFollowed) {
    ze_device_properties_t properties{};
    properties.pNext = reinterpret_cast<void*>(std::uintptr_t{0x10});
    EXPECT_OK(CALL(zeDeviceGetProperties)(device, &properties));
    EXPECT_EQ(properties.vendorId, 0x8086u);
    EXPECT_EQ(properties.pNext, reinterpret_cast<void*>(std::uintptr_t{0x10}));
}

TEST_F(DriverTest, ChainsEndWhereNothingIsMapped) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ze_device_ip_version_ext_t version{ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT, nullptr, 0};
    for (const std::uintptr_t bad : {0x10ul, 0x11ul, ~0ul, 0x7000'0000'0000'0000ul}) {
        properties.pNext = &version;
        version.pNext = reinterpret_cast<void*>(bad);
        version.ipVersion = 0;
        EXPECT_OK(CALL(zeDeviceGetProperties)(device, &properties)) << std::hex << bad;
        EXPECT_NE(version.ipVersion, 0u) << "what comes before is filled";
    }
    version.pNext = &version;
    EXPECT_OK(CALL(zeDeviceGetProperties)(device, &properties)) << "a circle";
}

/// Any entry point, given as many equal words as the longest takes, on the ABI's word that nobody minds the rest.
ze_result_t callWith(void* entry, void* first) {
    using Any = ze_result_t(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);
    return reinterpret_cast<Any*>(entry)(first, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                         nullptr, nullptr, nullptr, nullptr);
}

/// Functions whose arguments may all be zero, or that do not answer with a code.
bool takesNothing(std::string_view name) {
    constexpr std::string_view kNames[] = {"zeInit", "zesInit", "zeDriverGetDefaultContext"};
    return name.starts_with("zer") || std::ranges::find(kNames, name) != std::end(kNames);
}

TEST_F(DriverTest, EveryFunctionRefusesNullAndForeignHandles) {
    ASSERT_OK(CALL(zesInit)(0)) << "sysman refuses everything before";
    int foreign[64] = {};
    int served = 0;
    for (const auto& row : ddi::kFunctionRows) {
        void* const entry = servedFunction(row.name);
        if (!entry || takesNothing(row.name)) continue;
        ++served;
        const auto null = callWith(entry, nullptr);
        EXPECT_TRUE(null == ZE_RESULT_ERROR_INVALID_NULL_HANDLE || null == ZE_RESULT_ERROR_INVALID_NULL_POINTER)
            << row.name << " -> " << codeName(null);
        // Functions without a handle take it for a count.
        const auto other = callWith(entry, foreign);
        const bool counts = null == ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        EXPECT_TRUE(counts || other == ZE_RESULT_ERROR_INVALID_NULL_HANDLE) << row.name << " -> " << codeName(other);
    }
    EXPECT_GT(served, 150);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
