#include "emulator/machine/execution/group_threads.h"

#include <cstring>

#include "emulator/machine/execution/launch_lanes.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kScratchSurface = 1;  // any but 0: there is one surface, that of the thread

constexpr std::uint32_t registersFor(std::size_t bytes) noexcept {
    return (static_cast<std::uint32_t>(bytes) + isa::layout::kRegisterBytes - 1) / isa::layout::kRegisterBytes;
}

void fillOwnMemory(std::span<std::byte> scratch, const Launch& launch, std::uint32_t slot) noexcept {
    if (!scratch.empty()) std::memset(scratch.data(), *launch.ownMemoryFill, scratch.size());
    if (launch.privateBytes == 0) return;
    std::memset(reinterpret_cast<void*>(launch.privateBase + slot * launch.privateBytes), *launch.ownMemoryFill,
                launch.privateBytes);
}

/// The registers with which a thread starts, or that tell its place.
void addGiven(isa::StateSlots& slots, const Launch& launch) noexcept {
    namespace layout = isa::layout;
    const std::uint32_t given = 1 + registersFor(launch.preloadBytes) + registersFor(launch.inlineData.size());
    slots.add(layout::kGrf, given * layout::kRegisterBytes);
    for (const std::uint32_t place : {layout::kStatus, layout::kControl, layout::kDebug}) slots.add(place, 1);
}

/// Registers of a thread that are not as reset() left them when it ends, if only its program writes any.
isa::StateSlots writtenBy(const Launch& launch) noexcept {
    isa::StateSlots written = launch.code->program()->written;
    addGiven(written, launch);
    return written;
}

}  // namespace

GroupThreads::GroupThreads(WorkGroup& group)
    : group_(group),
      profile_(group.tile().device().profile()),
      code_(group.tile().device().code()),
      states_(group.placement().slots.size()) {
    statusRegisters_.reserve(states_.size());
    for (const std::uint32_t slot : group.placement().slots) statusRegisters_.push_back(profile_.statusRegister(slot));
    live_.store(firstThreads(count()), std::memory_order_relaxed);
}

std::uint32_t GroupThreads::whole() const noexcept {
    return wholeThreads(group_.dispatch().launch(), group_.dispatch().groupItems(), count());
}

void GroupThreads::begin() noexcept {
    common_.forget();
    unprepared_ = firstThreads(count());
}

HardwareThread& GroupThreads::stateOf(std::uint32_t index, Worker& worker) {
    if (!states_[index]) states_[index] = worker.take();
    return *states_[index];
}

void GroupThreads::adopt(std::uint32_t index, std::unique_ptr<HardwareThread> state) noexcept {
    states_[index] = std::move(state);
}

void GroupThreads::release(std::uint32_t index, Worker& worker) noexcept {
    if (states_[index]) worker.give(std::move(states_[index]));
    states_[index].reset();
}

void GroupThreads::releaseAll(Worker& worker) noexcept {
    for (std::uint32_t index = 0; index < count(); ++index) release(index, worker);
}

std::uint64_t GroupThreads::codeVersion() const noexcept { return code_.version(); }

// Initial state of a thread, as code of Intel's graphics compiler expects it (its documentation/visa/4_visa_header.md,
// and visa/TranslateSendSync.cpp for what barriers take from r0.2): r0, per-thread data, inline data.
void GroupThreads::prepare(HardwareThread& thread, std::uint32_t index) {
    const ActiveDispatch& dispatch = group_.dispatch();
    const Launch& launch = dispatch.launch();
    isa::Thread& state = thread.state;
    thread.group = &group_;
    state.reset(thread.dirty);
    thread.dirty = writtenBy(launch);
    thread.onlyProgram = true;
    state.strayed = false;
    thread.attachedIn = 0;
    state.owner = &thread;
    state.environment = &group_.tile().environment();
    state.local = group_.slm();
    state.payload = dispatch.payload();
    state.stateBases = dispatch.stateBases();
    thread.codeVersion = codeVersion();
    thread.loaded = &program();
    thread.stepping = false;
    thread.loadsArguments = launch.recordFrom != 0;
    place(thread, index);
    state.dispatched = lanesOf(launch, dispatch.groupItems(), index);
    state.enter(*thread.loaded->program, launch.kernelOffset + launch.entryOffset);
}

void GroupThreads::place(HardwareThread& thread, std::uint32_t index) {
    const ActiveDispatch& dispatch = group_.dispatch();
    const Launch& launch = dispatch.launch();
    isa::Thread& state = thread.state;
    thread.index = index;
    state.idle = dispatch.idle.load(std::memory_order_relaxed);
    thread.slot = group_.placement().slots[index];
    state.scratch =
        launch.scratchBytes == 0 ? std::span<std::byte>() : dispatch.scratch().of(thread.slot, launch.scratchBytes);
    if (launch.ownMemoryFill) fillOwnMemory(state.scratch, launch, thread.slot);
    // By words: a copy of words just written would wait for them.
    auto* const r0 = reinterpret_cast<std::uint32_t*>(state.grf(0));
    const isa::ThreadStart& start = profile_.architecture().start;
    r0[start.arguments] = launch.argumentsAt;
    for (std::size_t axis = 0; axis < group_.id().size(); ++axis) r0[start.group[axis]] = group_.id()[axis];
    r0[start.number] = index | count() << start.threadsShift;
    r0[start.scratch] = kScratchSurface << start.scratchShift;
    if (launch.preloadBytes != 0) {
        std::memcpy(state.grf(1), state.payload.data() + launch.preloadAt + index * launch.preloadBytes,
                    launch.preloadBytes);
    }
    if (!launch.inlineData.empty()) {
        const std::uint32_t after = registersFor(launch.preloadBytes);
        std::memcpy(state.grf(1 + after), launch.inlineData.data(), launch.inlineData.size());
    }
    if (start.argumentsAddress != 0) {
        const auto address = reinterpret_cast<std::uint64_t>(state.payload.data() + launch.argumentsAt);
        std::memcpy(r0 + start.argumentsAddress, &address, sizeof address);
        if (launch.inlineData.size() >= sizeof address)
            std::memcpy(state.grf(1 + registersFor(launch.preloadBytes)), &address, sizeof address);
    }
    state.at<std::uint32_t>(isa::layout::kStatus) = statusRegisters_[index];
    if (start.subsliceInMessage) state.at<std::uint32_t>(isa::layout::kMessage) = profile_.messageRegister(thread.slot);
}

// Old compilers make no room for the record that functions read at the address in r0.0, where the kernel itself expects
// its arguments. The kernel reads those before anything else, so both can have what they need.
bool GroupThreads::loadArguments(HardwareThread& thread) {
    const Launch& launch = group_.dispatch().launch();
    const std::uint32_t end = launch.kernelOffset + launch.recordFrom;
    const bool goesOn = isa::runWithin(thread.state, launch.kernelOffset, end);
    const std::uint32_t ip = thread.state.ip();
    thread.loadsArguments = ip >= launch.kernelOffset && ip < end;
    if (!thread.loadsArguments) std::memcpy(thread.state.grf(0), &launch.recordAt, sizeof launch.recordAt);
    return goesOn;
}

void GroupThreads::countTraffic(HardwareThread& thread) noexcept {
    thread.tally->add(thread.state.traffic);
    thread.state.traffic = {};
}

const LoadedProgram& GroupThreads::program() const {
    const LoadedProgram& original = *group_.dispatch().launch().code->program();
    return group_.recordsInTwin() ? group_.tile().recorder().recording(original) : original;
}

/// The code may have changed, or a debugger wants the thread where breakpoints are: it records no more then.
void GroupThreads::rebind(HardwareThread& thread) {
    TileRuntime& tile = group_.tile();
    const LoadedProgram* const now = tile.device().code().programAt(thread.state.ip());
    const LoadedProgram* const runs = tile.isDebugged() ? thread.loaded : &thread.loaded->original();
    if (now == nullptr || now == runs || !thread.state.rebind(*now->program)) return;
    if (thread.loaded->isTwin() && thread.trace != nullptr) thread.trace->close();
    thread.loaded = now;
    thread.mayHoldAnything();
}

// A group may be continued by another worker than before, and a debugger may have replaced the code.
void GroupThreads::attach(HardwareThread& thread, Worker& worker, std::uint64_t codeVersion) {
    if (thread.attachedIn == worker.turn && thread.codeVersion == codeVersion) return;
    TileRuntime& tile = group_.tile();
    Tally& tally = group_.dispatch().tally(worker.index);
    thread.tally = &tally;
    if (thread.turn != worker.turn) thread.state.dropWindows();
    thread.turn = thread.attachedIn = worker.turn;
    if (codeVersion != thread.codeVersion || (thread.loaded->isTwin() && tile.isDebugged())) {
        thread.codeVersion = codeVersion;
        rebind(thread);
    }
    thread.state.hostMode = worker.hostMode;
    thread.state.additions = &worker.additions;
    thread.state.alone = tile.scheduler().workers() == 1;
    thread.state.runs = tally.runs(*thread.loaded);
    const bool startAlike = group_.dispatch().launch().preloadBytes == 0 && !tile.isDebugged();
    thread.state.common = startAlike ? &common_ : nullptr;
}

}  // namespace zetl::emulator::machine
