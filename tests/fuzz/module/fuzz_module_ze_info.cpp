// Any text as .ze_info.
#include "binary/ze_info.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)zetl::binary::readZeInfo({reinterpret_cast<const char*>(data), size});
    return 0;
}
