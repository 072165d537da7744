#include "fuzz/driver_api/sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
    zetl::test::runDriverSequence({bytes, count});
    return 0;
}
