// Counts how often the threads of a program reach each basic block of its kernels, and the instructions that they
// execute in total.
//
//   LD_PRELOAD=libinstruction_count.so program
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "instrumentation/tool.h"

namespace {

using namespace zetl::instrumentation;

struct Counted {
    std::string section;
    std::uint32_t begin;
    std::uint32_t end;
    std::size_t instructions;
    const std::uint64_t* counter;  ///< null: the block could not be counted
};

std::vector<Counted>& counted() {
    static auto* const list = new std::vector<Counted>;
    return *list;
}

std::size_t blocksOf(Program& program) {
    std::size_t blocks = 0;
    for (const Section& section : program.sections()) blocks += section.blocks().size();
    return blocks;
}

std::size_t instructionsIn(const std::vector<std::uint32_t>& offsets, const Block& block) {
    std::size_t count = 0;
    for (const std::uint32_t offset : offsets) count += offset >= block.begin && offset < block.end;
    return count;
}

bool instrument(Program& program) {
    std::uint64_t* counter = tool::sharedMemory(blocksOf(program));
    if (!counter) return false;
    for (Section& section : program.sections()) {
        const auto offsets = section.instructions();
        for (const Block& block : section.blocks()) {
            const auto code = countingCode(section, block.begin, reinterpret_cast<std::uint64_t>(counter));
            const bool inserted = code && section.insertBefore(block.begin, *code);
            counted().push_back({section.name(), block.begin, block.end, instructionsIn(offsets, block),
                                 inserted ? counter++ : nullptr});
        }
    }
    return true;
}

void report() {
    std::uint64_t instructions = 0;
    std::size_t uncounted = 0;
    std::printf("%-32s %10s %12s %12s\n", "kernel", "block", "instructions", "executed");
    for (const Counted& block : counted()) {
        uncounted += !block.counter;
        if (!block.counter || *block.counter == 0) continue;
        std::printf("%-32s %#10x %12zu %12" PRIu64 "\n", block.section.c_str(), block.begin, block.instructions,
                    *block.counter);
        instructions += block.instructions * *block.counter;
    }
    std::printf("instruction_count: %" PRIu64 " instructions in %zu blocks", instructions, counted().size());
    if (uncounted) std::printf(", %zu of them not counted", uncounted);
    std::printf("\n");
}

}  // namespace

const tool::Actions& tool::actions() {
    static constexpr Actions kActions{instrument, report};
    return kActions;
}
