#include "emulator/module/build_options.h"

#include <gtest/gtest.h>

namespace zetl::emulator::module {
namespace {

TEST(BuildOptions, TranslatesLevelZeroNames) {
    EXPECT_EQ(translateBuildOptions("-ze-opt-disable  -g").compiler, "-cl-opt-disable -g");
    EXPECT_EQ(translateBuildOptions("-ze-opt-large-register-file").compiler, "-cl-intel-256-GRF-per-thread");
    EXPECT_EQ(translateBuildOptions("-ze-opt-level=2 -DX=1").compiler, "-ze-opt-level=O2 -DX=1");
    EXPECT_EQ(translateBuildOptions("-ze-opt-level=0").compiler, "-ze-opt-level=O0 -cl-opt-disable");
    EXPECT_EQ(translateBuildOptions("-unknown").compiler, "-unknown");
    EXPECT_TRUE(translateBuildOptions("-ze-library-compilation").exportsFunctions);
    EXPECT_TRUE(translateBuildOptions("-g").debug);
    EXPECT_FALSE(translateBuildOptions("-gg").debug);
}

struct Profile {
    const char* flags;
    std::uint32_t value;
    const char* rest;
};
class ProfileFlags : public testing::TestWithParam<Profile> {};

TEST_P(ProfileFlags, AreTakenOutAndCounted) {
    const BuildOptions options = translateBuildOptions(GetParam().flags);
    EXPECT_EQ(options.profileFlags, GetParam().value);
    EXPECT_EQ(options.compiler, GetParam().rest);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, ProfileFlags,
    testing::Values(Profile{"", 0, ""}, Profile{"-zet-profile-flags", 0, ""}, Profile{"-zet-profile-flags ", 0, ""},
                    Profile{"-zet-profile-flags garbage", 0, ""}, Profile{"-zet-profile-flags 1", 1, "-ze-gtpin-rera"},
                    Profile{"-zet-profile-flags 0x2", 2, "-ze-gtpin-grf-info"},
                    Profile{"-a -zet-profile-flags 3 -b", 3, "-a -b -ze-gtpin-rera -ze-gtpin-grf-info"},
                    Profile{"-zet-profile-flags -g", 0, "-g"}, Profile{"-zet-profile-flags 10", 16, ""}));

}  // namespace
}  // namespace zetl::emulator::module
