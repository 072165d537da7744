// Says where zetl_ocloc lies in the build tree, for programs that compile without the emulated GPU's library, and where
// what it builds is kept for all tests.
#include <cstdlib>

namespace {

constexpr int kKeep = 0;  // what the environment already says
[[maybe_unused]] const int placed = setenv("ZETL_OCLOC", ZETL_BUILT_OCLOC, kKeep);
[[maybe_unused]] const int kept = setenv("ZETL_BUILD_CACHE", ZETL_TEST_BUILDS, kKeep);

}  // namespace
