// Any requests of an editor, from a session on.
#include <cstddef>
#include <cstdint>

#include "dialogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    zetl::test::speakToAdapter({reinterpret_cast<const char*>(data), size});
    return 0;
}
