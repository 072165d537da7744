// Any bytes as a module's image, and as the compiler's record of one kernel: free registers as tokens, which lie inside
// of the register file and do not overlap.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "binary/gtpin_info.h"
#include "pin/free_registers.h"

namespace {

constexpr std::uint32_t kRegisterFileBytes = 256 * 64;

void requireOrder(const zetl::pin::RegisterReport& report) {
    std::uint32_t end = 0;
    for (const zetl::instrumentation::ByteRange range : report.free) {
        if (range.start < end || range.count == 0 || range.count > kRegisterFileBytes) std::abort();
        end = range.start + range.count;
        if (end > kRegisterFileBytes) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const char* kernel : {"add", "scope", "call"}) {
        const auto report = zetl::pin::registersOf({data, size}, kernel);
        requireOrder(report);
        if (zetl::pin::tokensOf(report).empty() != report.free.empty()) std::abort();
    }
    (void)zetl::binary::readGtpinInfo({data, size});
    return 0;
}
