// Describes a fault on Intel's GPUs: from the message that the instruction sent, and the memory mapped around the
// address.
#include <algorithm>
#include <span>

#include "core/failure.h"
#include "core/fault_report.h"
#include "core/frame.h"
#include "core/inspector.h"
#include "core/memory.h"
#include "core/stopped_thread.h"
#include "core/xe.h"
#include "core/xe_registers.h"
#include "isa/xe/access_shape.h"
#include "isa/xe/architecture.h"
#include "isa/xe/decode.h"
#include "isa/xe/legacy_message.h"

namespace zetl::debugger {
namespace {

namespace encoding = isa::xe;

/// What a message with 64-bit addresses to the memory unit accesses.
struct Access {
    unsigned addressRegister = 0;
    unsigned bytes = 0;    ///< per lane, or of the block
    bool isBlock = false;  ///< one address, in lane 0
    bool isWrite = false;
};

/// Nothing for messages whose registers do not hold one address per lane or block.
std::optional<Access> accessOf(const encoding::Architecture& architecture, const Instruction& instruction) {
    const auto decoded = encoding::decode(architecture, std::as_bytes(std::span(instruction.words)), 0);
    if (!instruction.mayWrite || !decoded || decoded->message.descriptorInRegister) return std::nullopt;
    const auto shape = encoding::accessShapeOf(*decoded);
    if (!shape || shape->space != encoding::MemorySpace::global || shape->addressBytes != sizeof(std::uint64_t) ||
        shape->addressAt != 0 || shape->strided || shape->block2d)
        return std::nullopt;
    return Access{encoding::modernForm(*decoded).source[0].number, shape->bytes, shape->block, shape->write};
}

/// How far memory is mapped forwards (direction 1) or backwards (-1) from an address, in bytes, up to a limit.
std::uint64_t reach(const Memory& memory, std::uint64_t from, bool upwards, std::uint64_t most) {
    const auto mapped = [&](std::uint64_t distance) {
        return memory.read(upwards ? from + distance : from - distance, 1).has_value();
    };
    std::uint64_t good = 0;
    std::uint64_t bad = 1;
    while (bad < most && mapped(bad)) {
        good = bad;
        bad *= 2;
    }
    while (bad - good > 1) {
        const auto middle = good + (bad - good) / 2;
        (mapped(middle) ? good : bad) = middle;
    }
    return good;
}

/// The memory that a kernel argument points into.
struct Allocation {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t distanceOf(std::uint64_t address) const {
        return address < begin ? begin - address : address >= end ? address - end : 0;
    }
};

std::vector<Allocation> allocationsOf(const Inspector& inspector, const Memory& memory) {
    constexpr std::uint64_t kFar = std::uint64_t{1} << 36;
    std::vector<Allocation> all;
    for (const auto& variable : inspector.variables()) {
        const auto value = inspector.read(variable);
        if (!value.missing.empty() || !value.type || value.type->kind != Type::Kind::pointer || value.leadsToLocal)
            continue;
        const auto address = bitsOf(value.data, 0, 64);
        if (!memory.read(address, 1)) continue;
        all.push_back({variable.name, address - reach(memory, address, false, kFar),
                       address + reach(memory, address, true, kFar) + 1});
    }
    return all;
}

std::string neighbourhood(std::uint64_t address, const std::vector<Allocation>& allocations) {
    const auto nearest =
        std::ranges::min_element(allocations, {}, [&](const Allocation& each) { return each.distanceOf(address); });
    if (nearest == allocations.end()) return "";
    const bool before = address < nearest->begin;
    return fmt::format(", {} bytes {} the {} bytes at {:#x} that {} points into", nearest->distanceOf(address),
                       before ? "before" : "past the end of", nearest->end - nearest->begin, nearest->begin,
                       nearest->name);
}

}  // namespace

FaultReport Xe::reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory,
                            const Inspector& inspector) const {
    FaultReport report;
    const auto instruction = memory.instruction(frame.address);
    const auto access = instruction ? accessOf(architecture_, *instruction) : std::nullopt;
    const auto lanes = thread.activeLanes();
    if (!access) return report;
    for (unsigned lane = 0; lane < 32 && !report.isKnown; ++lane) {
        if ((lanes >> lane & 1) == 0 && !access->isBlock) continue;
        const auto number = access->addressRegister + lane * 8 / isa::xe::kRegisterBytes;
        const auto bytes = thread.read(registers::kGeneral, number, 1);
        if (!bytes) break;
        const auto address = bitsOf(*bytes, lane * 64 % 512, 64);
        if (memory.read(address, access->bytes)) {
            if (access->isBlock) break;
            continue;
        }
        report = {true, lane, address, access->isWrite, ""};
    }
    if (!report.isKnown) return report;
    report.text = fmt::format("lane {} {} {} bytes at {:#x}, which is not mapped{}", report.lane,
                              report.isWrite ? "writes" : "reads", access->bytes, report.address,
                              neighbourhood(report.address, allocationsOf(inspector, memory)));
    return report;
}

}  // namespace zetl::debugger
