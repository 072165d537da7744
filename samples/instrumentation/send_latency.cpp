// Measures how many cycles pass from each memory message of a program's kernels until its result has arrived.
//
//   LD_PRELOAD=libsend_latency.so program
//
// Messages without a result, at the end of a block, or without free registers behind them are left alone.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "instrumentation/tool.h"

namespace {

using namespace zetl::instrumentation;

/// The sums that the device keeps: messages, cycles.
struct Measured {
    std::string section;
    std::string text;
    std::uint32_t offset;
    const std::uint64_t* sums;
};

std::vector<Measured>& measured() {
    static auto* const list = new std::vector<Measured>;
    return *list;
}

/// The instruction behind a message, if it is in the same block.
std::optional<std::uint32_t> behind(const Section& section, const std::vector<std::uint32_t>& offsets,
                                    std::size_t index) {
    if (index + 1 >= offsets.size()) return std::nullopt;
    for (const Block& block : section.blocks())
        if (block.begin == offsets[index + 1]) return std::nullopt;
    return offsets[index + 1];
}

/// Registers that are free before and behind the message, and that the message itself does not use.
std::vector<std::uint32_t> freeAcross(const Section& section, std::uint32_t message, std::uint32_t next,
                                      const MessageRegisters& used) {
    std::vector<std::uint32_t> before = section.freeRegisters(message);
    std::vector<std::uint32_t> after = section.freeRegisters(next);
    std::vector<std::uint32_t> both;
    std::ranges::set_intersection(before, after, std::back_inserter(both));
    std::erase_if(both, [&](std::uint32_t r) { return r >= used.result && r < used.result + used.resultCount; });
    return both;
}

/// Takes the first two registers with successive numbers.
std::optional<std::uint32_t> takePair(std::vector<std::uint32_t>& registers) {
    for (std::size_t i = 0; i + 1 < registers.size(); ++i)
        if (registers[i + 1] == registers[i] + 1) {
            const std::uint32_t first = registers[i];
            registers.erase(registers.begin() + static_cast<std::ptrdiff_t>(i),
                            registers.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            return first;
        }
    return std::nullopt;
}

bool measure(Section& section, std::uint32_t message, std::uint32_t next, const MessageRegisters& used,
             std::uint64_t* sums) {
    auto registers = freeAcross(section, message, next, used);
    const auto address = takePair(registers);
    const auto cycles = takePair(registers);
    const auto start = takePair(registers);
    if (!address || !cycles || !start) return false;
    InsertedCode before;
    InsertedCode after;
    before.waitForMessages().readTime(*start);
    after.waitForMessages().readTime(*address).load(*cycles, 0).subtract32(*cycles, *address, *start);
    after.load(*address, reinterpret_cast<std::uint64_t>(sums)).increment(*address).waitForPayload();
    after.load(*address, reinterpret_cast<std::uint64_t>(sums + 1)).atomicAdd(*address, *cycles).waitForPayload();
    return section.insertBefore(message, before) && section.insertBefore(next, after);
}

bool instrument(Program& program) {
    constexpr std::size_t kSums = 2;
    std::size_t messages = 0;
    for (const Section& section : program.sections()) messages += section.instructions().size();
    std::uint64_t* sums = tool::sharedMemory(messages * kSums);
    if (!sums) return false;
    for (Section& section : program.sections()) {
        const auto offsets = section.instructions();
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const auto message = section.message(offsets[i]);
            const auto next = behind(section, offsets, i);
            if (!message || !message->accessesMemory || message->resultCount == 0 || !next) continue;
            if (!measure(section, offsets[i], *next, *message, sums)) continue;
            measured().push_back({section.name(), section.text(offsets[i]), offsets[i], sums});
            sums += kSums;
        }
    }
    return true;
}

void report() {
    std::printf("%-24s %8s %10s %10s  %s\n", "kernel", "offset", "messages", "cycles", "message");
    for (const Measured& message : measured()) {
        if (message.sums[0] == 0) continue;
        std::printf("%-24s %#8x %10" PRIu64 " %10.1f  %s\n", message.section.c_str(), message.offset, message.sums[0],
                    static_cast<double>(message.sums[1]) / static_cast<double>(message.sums[0]), message.text.c_str());
    }
    std::printf("send_latency: %zu messages measured\n", measured().size());
}

}  // namespace

const tool::Actions& tool::actions() {
    static constexpr Actions kActions{instrument, report};
    return kActions;
}
