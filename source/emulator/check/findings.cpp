#include "emulator/check/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "emulator/check/spin_watch.h"
#include "isa/xe/surface_format.h"
#include "isa/xe/surface_state.h"

namespace zetl::emulator::check {
namespace {

using zetl::check::Finding;
using zetl::check::Kind;
using zetl::check::Object;
using zetl::check::Side;

const char* nameOf(machine::MemoryKind kind) noexcept {
    switch (kind) {
        case machine::MemoryKind::device:
            return "device";
        case machine::MemoryKind::host:
            return "host";
        case machine::MemoryKind::shared:
            return "shared";
        case machine::MemoryKind::imported:
            return "imported";
        case machine::MemoryKind::mapped:
            return "virtual";
        case machine::MemoryKind::global:
            return "module variables";
        case machine::MemoryKind::code:
            return "code";
        case machine::MemoryKind::internal:
            return "the driver's own";
    }
    return "unknown";
}

const char* verb(Access access) noexcept {
    constexpr std::array<const char*, 4> kVerbs{"access", "read", "write", "atomic"};
    return kVerbs[static_cast<std::size_t>(access)];
}

/// The allocation that the address belongs to, or that ends or begins nearest to it.
std::optional<machine::Allocation> nearest(const machine::Memory& memory, std::uint64_t address) {
    constexpr std::uint64_t kNear = 1 << 20;
    std::optional<machine::Allocation> best;
    std::uint64_t least = kNear;
    for (const machine::Allocation& one : memory.list()) {
        if (one.kind == machine::MemoryKind::internal || one.kind == machine::MemoryKind::code) continue;
        const std::uint64_t distance = one.contains(address) ? 0
                                       : address >= one.end  ? address - one.end + 1
                                                             : one.begin - address;
        if (distance >= least) continue;
        best = one;
        least = distance;
    }
    return best;
}

machine::Extent itemOf(const machine::Launch& launch, std::uint32_t thread, std::uint32_t lane) {
    return groupOf(std::uint64_t{thread} * launch.simd + lane, launch.groupSize);
}

void setSource(Side& side, const std::string& lines) {
    std::istringstream each(lines);
    std::getline(each, side.source);
    for (std::string line; std::getline(each, line);) side.inlinedAt.push_back(std::move(line));
}

Side sideOf(const Toucher& toucher, const Observation& seen, const machine::Launch& launch, const SourceOf& source) {
    Side side;
    side.access = toucher.access;
    side.kernel = launch.kernel;
    const std::uint64_t ip = seen.program->program->instruction(toucher.line).ip;
    side.ip = ip - launch.kernelOffset;
    const std::uint64_t instructionBase = launch.code ? launch.code->address() - launch.code->offset() : 0;
    setSource(side, source(instructionBase + ip));
    side.group = groupOf(toucher.group, gridOf(launch));
    side.thread = toucher.thread;
    if (toucher.lane >= 0) side.item = itemOf(launch, toucher.thread, static_cast<std::uint32_t>(toucher.lane));
    return side;
}

/// The side of another command; of one that is not known any more, what its mark says.
Side sideOf(const Toucher& toucher, bool wrote, const CommandRecord* command) {
    Side side;
    side.access = toucher.access;
    if (command == nullptr) {
        side.command = "an earlier command";
        return side;
    }
    side.command = command->name;
    if (command->host) side.access = wrote ? Access::write : Access::read;
    if (!side.command.empty()) return side;
    side.kernel = command->kernel;
    side.group = groupOf(toucher.group, command->groups);
    side.thread = toucher.thread;
    const machine::LoadedProgram* const loaded = command->program.load(std::memory_order_relaxed);
    if (loaded == nullptr || toucher.line >= loaded->program->lineCount()) return side;
    const std::uint64_t ip = loaded->program->instruction(toucher.line).ip;
    side.ip = ip - command->kernelOffset;
    if (command->source) side.source = command->source(ip);
    return side;
}

/// "16 bytes behind the end of 256 bytes of device memory".
std::string where(const std::optional<Object>& object) {
    if (!object) return "near no allocation";
    const auto bytes = static_cast<std::int64_t>(object->bytes);
    if (object->offset < 0)
        return fmt::format("{} bytes before {} bytes of {} memory", -object->offset, bytes, object->kind);
    if (object->offset >= bytes)
        return fmt::format("{} bytes behind the end of {} bytes of {} memory", object->offset - bytes, bytes,
                           object->kind);
    return fmt::format("at offset {} of {} bytes of {} memory", object->offset, bytes, object->kind);
}

std::string raceMessage(const Observation& seen, const std::optional<Object>& object) {
    const bool local = seen.kind == Kind::raceLocal || (seen.kind == Kind::raceSameValue && !seen.allocation);
    const std::string place = local ? fmt::format("offset {} of local memory", seen.address) : where(object);
    return fmt::format("{} after {}, {} bytes, {}, with no order between them", verb(seen.now.access),
                       verb(seen.before->access), seen.bytes, place);
}

std::string commandMessage(const Finding& finding) {
    return fmt::format("{} after {}, {} bytes, {}; no event, barrier, in-order list or wait orders the two",
                       verb(finding.sides.front().access), verb(finding.sides.back().access), finding.bytes,
                       where(finding.object));
}

std::string imageMessage(const Observation& seen) {
    const zetl::isa::xe::SurfaceState& state = seen.image->state;
    std::string at;
    for (unsigned i = 0; i < state.dimensions(); ++i) at += fmt::format("{}{}", i == 0 ? "" : ", ", seen.image->at[i]);
    if (state.array) at += fmt::format(", layer {}", seen.image->at[state.dimensions()]);
    return fmt::format("{} of the texel at ({}), outside a {}", verb(seen.now.access), at, textOf(state));
}

Object imageObject(const zetl::isa::xe::SurfaceState& state) {
    const zetl::isa::xe::SurfaceFormat* const format = zetl::isa::xe::findSurfaceFormat(state.format);
    return {"image", state.base, state.bytes(format != nullptr ? format->bytes : 0), 0, {}};
}

/// A race is the host's if one of its sides is.
Kind kindOfRace(Kind kind, bool host) noexcept { return kind == Kind::raceCommand && host ? Kind::raceHost : kind; }

std::string messageOf(const Observation& seen, const std::optional<Object>& object) {
    switch (seen.kind) {
        case Kind::raceLocal:
        case Kind::raceGlobal:
        case Kind::raceSameValue:
            return raceMessage(seen, object);
        case Kind::image:
            return imageMessage(seen);
        case Kind::divergent:
            return "a barrier is reached by some work-items of a thread only";
        case Kind::different:
            return "work-items of one group are at different barriers";
        case Kind::local:
            return fmt::format("{} of {} bytes at offset {} of local memory, of which the group has {} bytes",
                               verb(seen.now.access), seen.bytes, seen.address, object ? object->bytes : 0);
        case Kind::neighbour:
            if (object && object->begin != 0)
                return fmt::format("{} of {} bytes at 0x{:x}, {}, through a pointer to another allocation",
                                   verb(seen.now.access), seen.bytes, seen.address, where(object));
            return fmt::format("{} of {} bytes at offset {} of local memory, between the memory of two arguments",
                               verb(seen.now.access), seen.bytes, seen.address);
        case Kind::privateMemory:
            return fmt::format("{} of {} bytes at 0x{:x}, outside the private memory of its work-item",
                               verb(seen.now.access), seen.bytes, seen.address);
        case Kind::subGroup:
            return "work-items of one sub-group do not reach a sub-group function that others execute";
        case Kind::useAfterFree:
            return fmt::format("{} of {} bytes at 0x{:x}, {}, which the program has freed", verb(seen.now.access),
                               seen.bytes, seen.address, where(object));
        case Kind::spin:
            return fmt::format(
                "a loop waits for {} bytes at {} to change, and no work-item has written anything for {} s", seen.bytes,
                object ? fmt::format("0x{:x}, {}", seen.address, where(object))
                       : fmt::format("offset {} of local memory", seen.address),
                kSpinLimit.count());
        case Kind::misaligned:
            return fmt::format("{} of numbers at 0x{:x}, {}, which is no multiple of their size", verb(seen.now.access),
                               seen.address, where(object));
        case Kind::denied:
            return fmt::format("{} of {} bytes at 0x{:x}, {}, which is constant", verb(seen.now.access), seen.bytes,
                               seen.address, where(object));
        case Kind::null:
            return fmt::format("{} of {} bytes at 0x{:x}: a null pointer", verb(seen.now.access), seen.bytes,
                               seen.address);
        default:
            return fmt::format("{} of {} bytes at 0x{:x}, {}", verb(seen.now.access), seen.bytes, seen.address,
                               where(object));
    }
}

const char* hintOf(Kind kind) noexcept {
    switch (kind) {
        case Kind::raceLocal:
            return "put a barrier with CLK_LOCAL_MEM_FENCE between the two, or let each work-item use its own element";
        case Kind::raceGlobal:
            return "use atomics, give each work-item its own element, or split the kernel where one part needs what "
                   "another wrote";
        case Kind::raceCommand:
            return "append a barrier between the two commands, let the second wait for an event of the first that was "
                   "reset, or use an in-order list";
        case Kind::raceHost:
            return "wait for the command on the host before it accesses the memory, with an event, a fence, or a "
                   "function that synchronizes";
        case Kind::divergent:
        case Kind::different:
            return "move the barrier to where all work-items of the group pass, in each iteration of a loop";
        case Kind::subGroup:
            return "move the function to where all work-items of the sub-group pass, or use one whose name has "
                   "non_uniform";
        case Kind::privateMemory:
            return "compare the index with the size of the array";
        case Kind::image:
            return "compare the coordinates with the size of the image, or read through a sampler that says what is "
                   "outside";
        case Kind::spin:
            return "let a work-item that is sure to run write the value, or do not wait for it in this launch";
        case Kind::misaligned:
            return "give the pointer an address that is a multiple of its type's size, or use vload and vstore";
        case Kind::denied:
            return "write to a copy, or do not declare the memory as constant";
        case Kind::useAfterFree:
            return "free the memory when the last command that uses it has ended";
        default:
            return "";
    }
}

Kind kindOf(machine::FaultKind kind) noexcept {
    constexpr std::pair<machine::FaultKind, Kind> kKinds[] = {
        {machine::FaultKind::pageFault, Kind::global},
        {machine::FaultKind::useAfterFree, Kind::useAfterFree},
        {machine::FaultKind::accessDenied, Kind::denied},
        {machine::FaultKind::slmOverrun, Kind::local},
        {machine::FaultKind::scratchOverrun, Kind::privateMemory},
        {machine::FaultKind::misaligned, Kind::misaligned},
        {machine::FaultKind::divergentBarrier, Kind::divergent},
        {machine::FaultKind::deadlock, Kind::deadlock},
    };
    const auto* const found = std::ranges::find(kKinds, kind, &std::pair<machine::FaultKind, Kind>::first);
    return found == std::end(kKinds) ? Kind::fault : found->second;
}

Access accessOf(machine::Access access) noexcept {
    constexpr std::array<Access, 4> kAccesses{Access::read, Access::write, Access::atomic, Access::none};
    return kAccesses[static_cast<std::size_t>(access)];
}

}  // namespace

std::string reachOf(const std::optional<Object>& object, std::uint64_t address, std::uint64_t bytes) {
    const bool isInside = object && address >= object->begin && address - object->begin < object->bytes;
    const std::uint64_t left = isInside ? object->bytes - (address - object->begin) : 0;
    if (left == 0 || left >= bytes) return where(object);
    return fmt::format("{} of them behind the end of {} bytes of {} memory", bytes - left, object->bytes, object->kind);
}

bool isOfOneMessage(const Finding& finding) {
    if ((finding.kind != Kind::raceLocal && finding.kind != Kind::raceGlobal) || finding.sides.size() != 2)
        return false;
    const Side& one = finding.sides.front();
    const Side& other = finding.sides.back();
    return one.ip == other.ip && one.group == other.group && one.thread == other.thread;
}

Object objectOf(const machine::Allocation& allocation, std::uint64_t address) {
    return {nameOf(allocation.kind),
            allocation.begin,
            allocation.bytes(),
            static_cast<std::int64_t>(address - allocation.begin),
            {}};
}

Finding findingOf(const Observations::Seen& all, const machine::Launch& launch, const machine::Memory& memory,
                  const SourceOf& source, const std::shared_ptr<const CommandRecord>& before) {
    const Observation& seen = all.first;
    Finding finding;
    finding.kind = seen.kind;
    finding.address = seen.address;
    finding.bytes = seen.bytes;
    finding.count = all.count;
    finding.sides.push_back(sideOf(seen.now, seen, launch, source));
    if (seen.before)
        finding.sides.push_back(seen.beforeCommand != 0 ? sideOf(*seen.before, seen.beforeWrote, before.get())
                                                        : sideOf(*seen.before, seen, launch, source));
    finding.kind = kindOfRace(seen.kind, before && before->host);
    if (seen.allocation) finding.object = objectOf(*seen.allocation, seen.address);
    const bool mayBeLocal = seen.kind == Kind::neighbour || seen.kind == Kind::misaligned;
    if (seen.kind == Kind::local || (mayBeLocal && !seen.allocation))
        finding.object = Object{"local", 0, launch.slmBytes, static_cast<std::int64_t>(seen.address), {}};
    if (seen.image) finding.object = imageObject(seen.image->state);
    if (seen.kind == Kind::global) {
        const auto freed = memory.findFreed(seen.address);
        if (freed) finding.kind = Kind::useAfterFree;
        if (const auto near = freed ? freed : nearest(memory, seen.address))
            finding.object = objectOf(*near, seen.address);
    }
    Observation told = seen;
    told.kind = finding.kind;
    finding.message = seen.beforeCommand != 0 ? commandMessage(finding) : messageOf(told, finding.object);
    finding.hint = hintOf(finding.kind);
    // What devices do not let pass ends the launch. They let one lane of a message come last.
    finding.onlyWarns = finding.kind == Kind::misaligned || isOfOneMessage(finding);
    return finding;
}

Finding findingOf(const Observations::Seen& all, const CommandRecord& command,
                  const std::shared_ptr<const CommandRecord>& before) {
    const Observation& seen = all.first;
    Finding finding;
    finding.kind = kindOfRace(seen.kind, command.host || (before && before->host));
    finding.address = seen.address;
    finding.bytes = seen.bytes;
    finding.count = all.count;
    finding.sides.push_back(sideOf(seen.now, seen.now.access == Access::write, &command));
    if (seen.before) finding.sides.push_back(sideOf(*seen.before, seen.beforeWrote, before.get()));
    if (seen.allocation) finding.object = objectOf(*seen.allocation, seen.address);
    finding.message = commandMessage(finding);
    finding.hint = hintOf(finding.kind);
    return finding;
}

Finding findingOf(const machine::Fault& fault, const machine::Memory& memory, const SourceOf& source) {
    Finding finding;
    finding.kind = kindOf(fault.kind);
    machine::Fault withoutPlace = fault;
    withoutPlace.kernel.clear();  // the side has it
    finding.message = withoutPlace.describe();
    constexpr std::uint64_t kFirstPage = 0x1'0000;
    if (fault.kind == machine::FaultKind::pageFault && fault.address < kFirstPage) finding.kind = Kind::null;
    finding.address = fault.address;
    finding.bytes = static_cast<std::uint32_t>(fault.bytes);
    finding.hint = hintOf(finding.kind);
    Side side;
    if (fault.bytes != 0) side.access = accessOf(fault.access);
    side.kernel = fault.kernel;
    side.ip = fault.ipInKernel;
    setSource(side, source(fault.ip));
    side.group = fault.group;
    side.thread = fault.threadInGroup;
    finding.sides.push_back(std::move(side));
    const bool inMemory = finding.kind == Kind::global || finding.kind == Kind::denied;
    const auto freed = finding.kind == Kind::useAfterFree ? memory.findFreed(fault.address) : std::nullopt;
    if (const auto near = inMemory ? nearest(memory, fault.address) : freed)
        finding.object = objectOf(*near, fault.address);
    return finding;
}

}  // namespace zetl::emulator::check
