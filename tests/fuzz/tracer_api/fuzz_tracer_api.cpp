#include "fuzz/tracer_api/sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    zetl::test::runSequence(bytes, size);
    return 0;
}
