// Records the addresses that one memory message of a program's kernels sends, lane by lane, in the order in which
// threads reach it.
//
//   MEMORY_TRACE=kernel:0x1a8 LD_PRELOAD=libmemory_trace.so program
//
// Without MEMORY_TRACE, it records the first message that accesses memory with addresses of 64 bits.
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "instrumentation/tool.h"

namespace {

using namespace zetl::instrumentation;

// A record is the payload of the message, at most four registers, and one register whose first word holds the lanes
// that were on.
constexpr std::uint32_t kPayloadRegisters = 4;
constexpr std::uint32_t kRecordRegisters = 8;
constexpr std::uint32_t kRecords = 4096;
constexpr std::uint32_t kRecordBytes = kRecordRegisters * kRegisterBytes;
constexpr std::uint32_t kWords = kRecordBytes / 8;

struct Traced {
    std::string section;
    std::string text;
    std::uint32_t offset = 0;
    MessageRegisters message;
    const std::uint64_t* next = nullptr;     ///< bytes written so far
    const std::uint64_t* records = nullptr;  ///< a ring
};
Traced& traced() {
    static auto* const value = new Traced;
    return *value;
}

/// The other messages that MEMORY_TRACE could have chosen.
std::vector<std::string>& others() {
    static auto* const value = new std::vector<std::string>;
    return *value;
}

std::string nameOf(const Section& section, std::uint32_t offset) {
    char text[16];
    std::snprintf(text, sizeof text, ":%#x", offset);
    return section.name() + text;
}

bool wanted(const Section& section, std::uint32_t offset) {
    const char* const choice = std::getenv("MEMORY_TRACE");
    if (!choice) return true;
    const std::string text = choice;
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) return text == section.name();
    return text.substr(0, colon) == section.name() && std::strtoul(text.c_str() + colon + 1, nullptr, 0) == offset;
}

/// Three pairs of registers that are free at the message.
std::vector<std::uint32_t> freePairs(const Section& section, std::uint32_t offset) {
    std::vector<std::uint32_t> pairs;
    std::uint32_t previous = ~0u;
    for (const std::uint32_t r : section.freeRegisters(offset)) {
        const bool pair = previous != ~0u && r == previous + 1;
        if (pair) pairs.push_back(previous);
        previous = pair ? ~0u : r;
    }
    return pairs;
}

bool trace(Section& section, std::uint32_t offset, const MessageRegisters& message) {
    const auto pairs = freePairs(section, offset);
    if (pairs.size() < 3) return false;
    const std::uint32_t address = pairs[0];
    const std::uint32_t number = pairs[1];
    const std::uint32_t place = pairs[2];
    std::uint64_t* const memory = tool::sharedMemory(8 + kRecords * kWords);
    if (!memory) return false;
    std::uint64_t* const records = memory + 8;
    InsertedCode code;
    code.waitForMessages().load(address, reinterpret_cast<std::uint64_t>(memory)).load(number, kRecordBytes);
    code.atomicAdd(address, number, place).waitForResult();
    code.load(number, std::uint64_t{kRecords} * kRecordBytes - 1).bitAnd(place, place, number);
    code.load(address, reinterpret_cast<std::uint64_t>(records)).add(address, address, place);
    code.store(address, message.address, std::bit_ceil(message.addressCount)).waitForPayload();
    code.load(number, kPayloadRegisters * kRegisterBytes).add(address, address, number);
    code.load(number, 0).readLanes(number).store(address, number, 1).waitForPayload();
    if (!section.insertBefore(offset, code)) return false;
    traced() = {section.name(), section.text(offset), offset, message, memory, records};
    return true;
}

bool instrument(Program& program) {
    if (traced().next) return false;
    for (Section& section : program.sections())
        for (const std::uint32_t offset : section.instructions()) {
            const auto message = section.message(offset);
            if (!message || !message->accessesMemory || message->addressBytes != sizeof(std::uint64_t)) continue;
            if (message->addressCount == 0 || message->addressCount > kPayloadRegisters) continue;
            if (wanted(section, offset) && trace(section, offset, *message)) return true;
            others().push_back(nameOf(section, offset));
        }
    return false;
}

void report() {
    if (!traced().next) {
        std::printf("memory_trace: no such message, or no free registers before it; there are:\n");
        for (const std::string& other : others()) std::printf("  %s\n", other.c_str());
        return;
    }
    const std::uint64_t executed = *traced().next / kRecordBytes;
    const std::uint64_t first = executed > kRecords ? executed - kRecords : 0;
    std::printf("%s at %#x: %s\n", traced().section.c_str(), traced().offset, traced().text.c_str());
    for (std::uint64_t i = first; i < executed; ++i) {
        const std::uint64_t* const record = traced().records + i % kRecords * kWords;
        const std::uint64_t lanes = record[kPayloadRegisters * kRegisterBytes / 8];
        std::printf("%6" PRIu64 ":", i);
        for (std::uint32_t lane = 0; lane < traced().message.lanes; ++lane)
            if (lanes >> lane & 1) std::printf(" %" PRIx64, record[lane]);
        std::printf("\n");
    }
    std::printf("memory_trace: executed %" PRIu64 " times, the last %" PRIu64 " above\n", executed, executed - first);
}

}  // namespace

const tool::Actions& tool::actions() {
    static constexpr Actions kActions{instrument, report};
    return kActions;
}
