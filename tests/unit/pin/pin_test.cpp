// Build flags for profiling, and debug images.
#include "pin/pin.h"

#include <gtest/gtest.h>

#include "pin/profile_flags.h"
#include "support/fake_core.h"

namespace zetl::pin {
namespace {

namespace fake = test::fake;

TEST(ProfileFlags, HexadecimalWithOrWithoutPrefix) {
    EXPECT_EQ(profileFlags("-zet-profile-flags 1"), 1u);
    EXPECT_EQ(profileFlags("-g -zet-profile-flags 0x3 -cl-opt-disable"), 3u);
    EXPECT_EQ(profileFlags("-zet-profile-flags 1f"), 0x1fu);
}

TEST(ProfileFlags, AnythingElseIsZero) {
    for (const char* options : {"", "-g", "-zet-profile-flags", "-zet-profile-flags ", "-zet-profile-flags garbage",
                                "-zet-profile-flags -2", "-zet-profile-flags  1", "-zet-profile-flags fffffffff"})
        EXPECT_EQ(profileFlags(options), 0u) << options;
}

class PinTest : public testing::Test {
  protected:
    PinTest() { fake::addTo(devices_); }
    device::Devices devices_{fake::coreCalls()};
    Pin pin_{devices_};
};

TEST_F(PinTest, DebugInfoIsTheImage) {
    const auto module =
        fake::moduleHandle(fake::load("\x7f"
                                      "ELF image",
                                      0x10000, 64));
    std::size_t size = 0;
    ASSERT_EQ(pin_.moduleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(size, 10u);
    std::string image(size, '\0');
    auto* bytes = reinterpret_cast<std::uint8_t*>(image.data());
    ASSERT_EQ(pin_.moduleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, bytes), ZE_RESULT_SUCCESS);
    EXPECT_EQ(image,
              "\x7f"
              "ELF image");
}

TEST_F(PinTest, SmallBufferIsRefusedWithTheSize) {
    const auto module = fake::moduleHandle(fake::load("0123456789", 0x10000, 64));
    std::size_t size = 4;
    std::uint8_t bytes[10] = {};
    EXPECT_EQ(pin_.moduleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, bytes),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(size, 10u);
    EXPECT_EQ(bytes[0], 0);
}

TEST_F(PinTest, BadArgumentsHaveTheirCodes) {
    const auto module = fake::moduleHandle(fake::load("x", 0x10000, 64));
    std::size_t size = 0;
    const auto format = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;
    EXPECT_EQ(pin_.moduleGetDebugInfo(module, static_cast<zet_module_debug_info_format_t>(7), &size, nullptr),
              ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(pin_.moduleGetDebugInfo(fake::moduleHandle(3), format, &size, nullptr),
              ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST_F(PinTest, NothingIsReportedAsDoneInWhatCannotBeRead) {
    const auto kernel = fake::kernelHandle(fake::load("x", 0x10000, 64, 0, "-zet-profile-flags 3"));
    zet_profile_properties_t properties{};
    properties.numTokens = 77;
    ASSERT_EQ(pin_.kernelGetProfileInfo(kernel, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(properties.flags, 0u);
    EXPECT_EQ(properties.numTokens, 0u);
}

}  // namespace
}  // namespace zetl::pin
