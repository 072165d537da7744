// Any bytes as the debug data of one kernel, between those of others: all of it is taken over, or nothing.
#include <cstdlib>

#include "emulator/module/merged_debug_data.h"

namespace {

using zetl::binary::kDebugSectionNames;
using zetl::emulator::module::MergedDebugData;

std::size_t bytesOf(const MergedDebugData& merged) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kDebugSectionNames.size(); ++i)
        sum += merged.content(static_cast<zetl::binary::DebugSection>(i)).size();
    return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    MergedDebugData merged;
    const bool first = !merged.add({data, size}, 0x10000);
    const std::size_t once = bytesOf(merged);
    const bool second = !merged.add({data, size}, 0x20000);
    if (first != second || bytesOf(merged) != 2 * once || (!first && once != 0)) std::abort();
    return 0;
}
