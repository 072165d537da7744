#include "emulator/driver/boundary.h"

#include "emulator/driver/lifetime.h"
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

}  // namespace
}  // namespace zetl::emulator::driver::test
