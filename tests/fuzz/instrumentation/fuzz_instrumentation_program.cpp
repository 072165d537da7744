// Any bytes as native binary: every block counted, the binary written, and what was written read again.
#include <ze_tools_layer/instrumentation.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::instrumentation;
    constexpr std::size_t kMostBlocks = 64;
    std::string failure;
    const auto program = Program::read({data, size}, failure);
    if (!program) return 0;
    for (Section& section : program->sections()) {
        std::size_t blocks = 0;
        for (const Block& block : section.blocks()) {
            if (++blocks > kMostBlocks) break;
            if (const auto code = countingCode(section, block.begin, 0x1000)) section.insertBefore(block.begin, *code);
            (void)section.message(block.begin);
        }
        (void)section.untouched();
    }
    const auto written = program->write(failure);
    // What was read soundly is written soundly.
    if (!written.empty() && !Program::read(written, failure)) std::abort();
    return 0;
}
