#include "emulator/machine/execution/trace_recorder.h"

#include <algorithm>
#include <new>
#include <span>

#include "emulator/machine/execution/own_memory.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/model/access_lanes.h"
#include "emulator/machine/model/bank_passes.h"
#include "emulator/machine/model/line_list.h"
#include "emulator/machine/model/near_lines.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::span<const LineRun> kNoRuns;

/// Of lanes in one or two rows of neighbours in global memory. False, and nothing was added: they are not.
bool addRows(const isa::MemoryAccess& access, const OwnMemory& own, LineList& list) noexcept {
    const std::size_t lanes = lanesInARow(access);
    if (lanes == 0) return false;
    const std::size_t rows = lanes % 2 != 0 || areNeighbours(access, 0, lanes) ? 1 : 2;
    const std::size_t each = lanes / rows;
    for (std::size_t first = 0; first < lanes; first += each) {
        std::uint64_t begin = access.address[first];
        std::uint64_t last = access.address[first + each - 1];
        if (own.spaceOf(begin) != TraceSpace::global || own.spaceOf(last) != TraceSpace::global) return false;
        if (!areNeighbours(access, first, each)) return false;
    }
    for (std::size_t first = 0; first < lanes; first += each)
        list.add(access.address[first], static_cast<std::uint32_t>(each) * access.bytesPerLane);
    return true;
}

/// Of lanes anywhere in global memory. False, and nothing was added: some may be in memory of the thread or launch.
bool addGlobal(const isa::MemoryAccess& access, const OwnMemory& own, LineList& list) noexcept {
    const std::size_t lanes = lanesInARow(access);
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        least = std::min(least, access.address[lane]);
        most = std::max(most, access.address[lane]);
    }
    if (lanes == 0 || !own.isOutside(least, most)) return false;
    for (std::size_t lane = 0; lane < lanes; ++lane) list.add(access.address[lane], access.bytesPerLane);
    return true;
}

TraceSpace spaceOf(isa::MemorySpace space) noexcept {
    switch (space) {
        case isa::MemorySpace::local:
            return TraceSpace::local;
        case isa::MemorySpace::scratch:
            return TraceSpace::scratch;
        case isa::MemorySpace::payload:
            return TraceSpace::payload;
        default:
            return TraceSpace::global;
    }
}

}  // namespace

std::vector<bool> TraceRecorder::linesOf(const LoadedProgram& loaded) const {
    const Schedule& schedule = loaded.schedule(timing_);
    std::vector<bool> lines(schedule.lines.size());
    for (isa::Line line = 0; line < lines.size(); ++line)
        lines[line] = schedule.reports(line) || schedule.accesses(line);
    return lines;
}

const LoadedProgram& TraceRecorder::recording(const LoadedProgram& loaded) {
    return loaded.original().twin([&](const LoadedProgram& twin) {
        const std::vector<bool> lines = linesOf(twin);
        for (isa::Line line = 0; line < lines.size(); ++line)
            if (lines[line]) twin.program->watch(line, *this);
    });
}

void TraceRecorder::begin(isa::Thread& thread) {
    HardwareThread& context = HardwareThread::of(thread);
    const Schedule& schedule = context.loaded->schedule(timing_);
    const isa::Line line = thread.program->lineAt(thread.ip());
    if (line != isa::kNoLine && !schedule.reports(line)) context.trace->arrive(schedule, line);
}

void TraceRecorder::beforeLine(isa::Thread& thread, isa::Line line) noexcept {
    HardwareThread& context = HardwareThread::of(thread);
    ThreadTrace* const trace = context.trace;
    if (trace == nullptr || !trace->complete() || context.loaded->program.get() != thread.program) return;
    try {
        record(thread, *trace, context.loaded->schedule(timing_), line);
    } catch (const std::bad_alloc&) {
        trace->close();
    }
}

void TraceRecorder::record(isa::Thread& thread, ThreadTrace& trace, const Schedule& schedule, isa::Line line) const {
    if (schedule.reports(line)) trace.arrive(schedule, line);
    if (!schedule.accesses(line)) return;
    const auto& plan = schedule.accessPlans[line];
    if (plan && plan->shape.space == isa::MemorySpace::local) {
        if (const std::uint8_t passes = bankPasses(thread, *plan, timing_.slmBanks))
            return trace.access({.space = TraceSpace::local,
                                 .write = plan->shape.write,
                                 .atomic = plan->shape.atomic,
                                 .passes = passes,
                                 .line = line,
                                 .runs = {}},
                                kNoRuns);
    }
    if (plan)
        record(thread, trace, line, plan->access(thread));
    else if (const auto access = isa::accessOf(thread, line))
        record(thread, trace, line, *access);
}

void TraceRecorder::record(isa::Thread& thread, ThreadTrace& trace, isa::Line line,
                           const isa::MemoryAccess& access) const {
    if (access.lanes == 0) return;
    TracedAccess traced;
    traced.space = spaceOf(access.space);
    traced.line = line;
    traced.write = access.write;
    traced.atomic = access.atomic;
    if (traced.space == TraceSpace::local) {
        traced.passes = bankPasses(access, timing_.slmBanks);
        trace.access(traced, kNoRuns);
        return;
    }
    LineList list(timing_.lineBytes);
    if (traced.space == TraceSpace::scratch) {
        const NearLines near(access, timing_.lineBytes);
        if (!near.distances().empty()) return trace.access(traced, near.base(), near.distances());
    }
    if (traced.space == TraceSpace::global) {
        const HardwareThread& context = HardwareThread::of(thread);
        const OwnMemory own(WorkGroup::of(context), context.slot);
        const auto add = [&](std::uint64_t address) {
            traced.space = own.spaceOf(address);
            list.add(address, access.bytesPerLane);
        };
        if (!addRows(access, own, list) && !addGlobal(access, own, list)) eachLane(access, add);
    } else {
        eachLane(access, [&](std::uint64_t address) { list.add(address, access.bytesPerLane); });
    }
    trace.access(traced, list.runs());
}

}  // namespace zetl::emulator::machine
