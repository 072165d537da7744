// Says where zetl_ocloc lies in the build tree, for programs that compile without the emulated GPU's library.
#include <cstdlib>

namespace {

constexpr int kKeep = 0;  // what the environment already says
[[maybe_unused]] const int placed = setenv("ZETL_OCLOC", ZETL_BUILT_OCLOC, kKeep);

}  // namespace
