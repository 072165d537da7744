#include "emulator/module/build_options.h"

#include <gtest/gtest.h>

namespace zetl::emulator::module {
namespace {

/// What the compiler gets for the caller's flags.
std::string translated(std::string_view flags) { return translateBuildOptions(flags).compiler; }

TEST(BuildOptions, TranslatesLevelZeroNames) {
    EXPECT_EQ(translated("-ze-opt-disable  -g"), "-cl-opt-disable -g");
    EXPECT_EQ(translated("-ze-opt-large-register-file"), "-cl-intel-256-GRF-per-thread");
    EXPECT_EQ(translated("-ze-opt-level=2 -DX=1"), "-ze-opt-level=O2 -DX=1");
    EXPECT_EQ(translated("-ze-opt-level=0"), "-ze-opt-level=O0 -cl-opt-disable");
    EXPECT_EQ(translated("-unknown"), "-unknown");
    EXPECT_TRUE(translateBuildOptions("-ze-library-compilation").exportsFunctions);
    EXPECT_TRUE(translateBuildOptions("-g").debug);
    EXPECT_FALSE(translateBuildOptions("-gg").debug);
}

// A compiler of 2026 has none of these mistakes, and makes others with the second switch.
TEST(BuildOptions, KeepOlderCompilersFromMistakes) {
    EXPECT_EQ(translateBuildOptions("-g").forOlder,
              "-igc_opts 'EnableImplicitArgAsIntrinsic=0,VISAOptions=-noflagopt'");
    EXPECT_EQ(translateBuildOptions("-zet-profile-flags 1").forOlder, "-igc_opts 'EnableImplicitArgAsIntrinsic=0'");
}

TEST(BuildOptions, LeaveTheCallersSwitchesAlone) {
    const char* own = "-igc_opts 'DisableCompaction=1' -g";
    EXPECT_EQ(translateBuildOptions(own).compiler, own);
    EXPECT_EQ(translateBuildOptions(own).forOlder, "");
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
    EXPECT_EQ(translated(GetParam().flags), GetParam().rest);
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
