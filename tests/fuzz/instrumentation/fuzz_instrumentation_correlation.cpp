// Any bytes as native binary or debug image: kernels, instructions, their source lines, and the way back from lines.
#include <ze_tools_layer/correlation.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::correlation;
    std::string failure;
    const auto binary = Binary::read({data, size}, failure);
    if (!binary) return 0;
    for (const Kernel& kernel : binary->kernels()) {
        std::size_t asked = 0;
        for (const Instruction& instruction : binary->instructions(kernel)) {
            if (asked++ == 32) break;
            const auto places = binary->sourceOf(kernel, instruction.offset);
            if (asked == 1 && !places.empty())
                (void)binary->offsetsOf(kernel, places.front().file, places.front().line);
        }
    }
    return 0;
}
