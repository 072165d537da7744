// Any text as .ze_info.
#include "emulator/module/ze_info.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)zetl::emulator::module::readZeInfo({reinterpret_cast<const char*>(data), size});
    return 0;
}
