#include "core/cuda.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/address.h"
#include "core/failure.h"
#include "core/fault_report.h"
#include "core/inspector.h"
#include "core/lane_frames.h"
#include "isa/sass/instruction.h"

namespace zetl::debugger {
namespace {

namespace sass = isa::sass;

/// The driver's numbers of register sets.
enum CudaSet : std::uint32_t {
    kGeneral = 1,
    kPredicate,
    kUniform,
    kUniformPredicate,
    kCounter,
    kFaultCounter,
    kPlaces,
    kStep,
    kLaneMasks
};

// Registers of kPlaces have one word per lane, those of kLaneMasks one bit per lane.
constexpr std::uint32_t kGroup = 0;
constexpr std::uint32_t kItem = 3;
constexpr std::uint32_t kGroupSize = 6;
constexpr std::uint32_t kDispatched = 0;
constexpr std::uint32_t kActive = 1;

std::uint64_t counterOf(StoppedThread& thread, CudaSet set) { return bitsOf(thread.must(set, 0, 1), 0, 64); }

std::uint32_t maskOf(StoppedThread& thread, std::uint32_t which) {
    return static_cast<std::uint32_t>(bitsOf(thread.must(kLaneMasks, which, 1), 0, 32));
}

Triple tripleOf(const Bytes& places, std::uint32_t first, unsigned lane) {
    Triple result{};
    for (std::uint32_t axis = 0; axis < 3; ++axis)
        result[axis] = bitsOf(places, (std::uint64_t{first + axis} * kMostLanes + lane) * 32, 32);
    return result;
}

/// A piece's number of a register: its set, and its index in that.
constexpr unsigned kIndexBits = 16;
constexpr unsigned numberOf(CudaSet set, unsigned index) { return static_cast<unsigned>(set) << kIndexBits | index; }
constexpr std::uint32_t setOf(unsigned number) { return number >> kIndexBits; }
constexpr std::uint32_t indexOf(unsigned number) { return number & ((1u << kIndexBits) - 1); }

/// R0 to R254; R1 points to the stack.
constexpr LaneStack kLaneStack{
    .firstNumber = 0x5000000, .count = 255, .firstPiece = numberOf(kGeneral, 0), .pointer = 1, .bits = 32};

/// Of the inspected frame.
Piece generalPiece(unsigned index, const Inspector& inspector) {
    const auto piece = pieceOf(kLaneStack, index, inspector.frame().lanes, inspector.thread(), inspector.lane());
    if (piece.kind == Piece::Kind::gone)
        fail("R{} is not known in this frame: the functions that it called did not save it", index);
    return piece;
}

unsigned firstOf(std::uint32_t mask) { return mask == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(mask)); }

}  // namespace

unsigned Cuda::bytesOf(std::uint64_t) const { return sass::kInstructionBytes; }

Instruction Cuda::decode(const std::array<std::uint64_t, 2>& words) const {
    const sass::Instruction decoded{words[0], words[1]};
    return {.words = words,
            .bytes = sass::kInstructionBytes,
            .isCall = decoded.flow() == sass::Flow::calls,
            .isReturn = decoded.opcode() == sass::Opcode::leave,
            .mayWrite = true,
            .mayWait = false,  // stepping to a barrier also resumes the threads that it waits for
            .endsThread = decoded.opcode() == sass::Opcode::exit && decoded.always()};
}

std::optional<BreakpointCode> Cuda::breakpointIn(const Instruction&) const { return std::nullopt; }

std::string Cuda::textOf(const Instruction& instruction) const {
    return fmt::format("{:#018x} {:#018x}", instruction.words[0], instruction.words[1]);
}

std::span<const RegisterSetName> Cuda::setNames() const {
    static constexpr RegisterSetName kNames[] = {{""},
                                                 {"R", true, false},
                                                 {"P"},
                                                 {"UR", true, false},
                                                 {"UP"},
                                                 {"PC", false, false},
                                                 {"ERRORPC", false},
                                                 {"PLACE", true, false},
                                                 {"STEP", false, false},
                                                 {"LANES", true, false}};
    return kNames;
}

std::uint32_t Cuda::surestSet() const { return kCounter; }

Value Cuda::registerNamed(const std::string& name, const Inspector& inspector) const {
    const auto letters = std::min(name.find_first_of("0123456789"), name.size());
    const auto number = numberFrom(std::string_view(name).substr(letters));
    const auto prefix = name.substr(0, letters);
    for (const auto type : {kGeneral, kPredicate, kUniform, kUniformPredicate}) {
        if (!number || prefix != setNames()[type].name) continue;
        if (!inspector.thread().read(type, static_cast<std::uint32_t>(*number), 1)) break;
        if (type == kGeneral)
            return inspector.at(types::kWord, {{generalPiece(static_cast<unsigned>(*number), inspector)}, false});
        const bool isBit = type == kPredicate || type == kUniformPredicate;
        const std::uint64_t perLane = type == kPredicate ? 1 : 0;
        const Piece piece{.kind = Piece::Kind::registerBits,
                          .number = numberOf(type, static_cast<unsigned>(*number)),
                          .firstBit = inspector.lane() * perLane,
                          .bits = isBit ? 1u : 32u};
        return inspector.at(isBit ? types::kByte : types::kWord, {{piece}, false});
    }
    fail("there is no ${}; known are $pc, $lane, $R0 and up, $P0, $UR0, $UP0, $group_x, $local_x, $global_x and so on",
         name);
}

std::optional<Bytes> Cuda::readNumbered(StoppedThread& thread, unsigned number) const {
    return thread.read(setOf(number), indexOf(number), 1);
}

void Cuda::writeNumbered(StoppedThread& thread, unsigned number, const Bytes& value) const {
    thread.write(setOf(number), indexOf(number), 1, value);
}

const LaneStack* Cuda::laneStack() const { return &kLaneStack; }

/// Of the widest.
unsigned Cuda::numberedBits() const { return kMostLanes * 32; }

std::uint64_t Cuda::addressOf(StoppedThread& thread) const {
    const auto faulted = counterOf(thread, kFaultCounter);
    return faulted != 0 ? faulted : counterOf(thread, kCounter);
}

// Only faults can be distinguished. Any other stop is a breakpoint or a finished step.
Exceptions Cuda::exceptionsOf(StoppedThread& thread) const {
    const bool fault = counterOf(thread, kFaultCounter) != 0;
    return {.fault = fault, .breakpointOrStep = !fault};
}

std::uint32_t Cuda::activeLanes(StoppedThread& thread) const { return maskOf(thread, kActive); }
std::uint32_t Cuda::dispatchedLanes(StoppedThread& thread) const { return maskOf(thread, kDispatched); }

Triple Cuda::groupOf(StoppedThread& thread) const {
    return tripleOf(thread.must(kPlaces, kGroup, 3), 0, firstOf(dispatchedLanes(thread)));
}

WorkItems Cuda::itemsOf(StoppedThread& thread, const KernelInfo*, const Memory&) const {
    auto result = lanesOf(thread);
    const auto places = thread.must(kPlaces, kItem, 6);
    const auto sizes = tripleOf(places, kGroupSize - kItem, firstOf(dispatchedLanes(thread)));
    for (auto& item : result.items) {
        item.local = tripleOf(places, 0, item.lane);
        for (std::size_t axis = 0; axis < 3; ++axis)
            item.global[axis] = result.group[axis] * sizes[axis] + item.local[axis];
    }
    result.known = sizes[0] != 0;
    return result;
}

void Cuda::prepare(StoppedThread& thread, bool stopAgain) const {
    Bytes value(4);
    value[0] = stopAgain;
    thread.write(kStep, 0, 1, value);
}

Address Cuda::addressFrom(std::uint64_t address, StoppedThread&) const { return {Address::Space::global, address}; }

Silence Cuda::silence() const {
    return {.variables = nullptr,
            .undescribed = "a cubin describes variables if nvcc -G made it, or of PTX that describes them",
            .noCaller = "this is the kernel itself, or the cubin does not describe how its code was called"};
}

FaultReport Cuda::reportFault(const Frame& frame, StoppedThread&, const Memory&, const Inspector&) const {
    return {.text = fmt::format("the instruction at {:#x} faulted; CUDA's debugger does not report the address",
                                frame.address)};
}

}  // namespace zetl::debugger
