// Where variables of cubins are: DWARF 2 with registers of PTX, and a kind of memory for each variable.
#include <dwarf.h>

#include <optional>

#include "core/byte_reader.h"
#include "core/cuda.h"
#include "core/debug_info.h"
#include "core/frame.h"
#include "core/lane_frames.h"
#include "core/module.h"
#include "core/sass_registers.h"

namespace zetl::debugger {
namespace {

/// DW_AT_address_class, as PTX numbers its spaces.
enum class PtxSpace : std::uint64_t {
    none = 0,
    registers = 2,
    constant = 4,
    global = 5,
    local = 6,
    parameter = 7,
    shared = 8
};

VariablePlace nowhere(std::string why) { return {.pieces = {}, .isLocal = false, .problem = std::move(why)}; }

VariablePlace inMemory(Piece::Kind kind, std::uint64_t address, bool isLocal = false) {
    return {.pieces = {Piece{kind, address, 0, 0, 0, 0}}, .isLocal = isLocal, .problem = {}};
}

/// The code that holds the address, by the mangled name of its function.
const ElfImage::Code* codeAt(const Module& module, std::uint64_t address) {
    for (const auto& each : module.elf().code())
        if (address >= each.begin && address < each.end) return &each;
    return nullptr;
}

/// What the compiler's data are asked for: a frame that has made a call goes on behind it.
std::uint64_t lookedAddress(const Frame& frame) { return frame.lanes.called ? frame.address - 1 : frame.address; }

VariablePlace inRegisters(std::uint64_t number, const Frame& frame, StoppedThread& thread, unsigned lane) {
    const auto looked = lookedAddress(frame);
    const auto* const code = codeAt(*frame.module, looked);
    const auto name = SassRegisters::nameOf(number);
    if (!code || name.empty()) return nowhere("the compiler does not say where it is");
    VariablePlace place;
    for (const auto each : frame.module->sassRegisters().at(code->name, name, looked - code->begin)) {
        place.pieces.push_back(pieceOf(*thread.architecture().laneStack(), each, frame.lanes, thread, lane));
        if (place.pieces.back().kind == Piece::Kind::gone)
            return nowhere("not available here: the functions that were called did not save its register");
    }
    if (place.pieces.empty()) place.problem = "not available here: no register holds it";
    return place;
}

/// R1 + what .debug_frame adds to it here; nothing if that is not known.
std::optional<std::uint64_t> frameAddress(const Frame& frame, StoppedThread& thread, unsigned lane) {
    const auto& stack = *thread.architecture().laneStack();
    const auto row = frame.module->frames().at(lookedAddress(frame));
    if (!row || stack.indexOf(row->baseRegister) != stack.pointer) return std::nullopt;
    const auto top = pieceOf(stack, stack.pointer, {}, thread, lane);
    const auto bytes = frame.readRegister(thread, top.number);
    if (!bytes) return std::nullopt;
    return bitsOf(*bytes, top.firstBit, stack.bits) + static_cast<std::uint64_t>(frame.lanes.stackBytes) +
           row->baseOffset;
}

/// DW_OP_fbreg, and what is added to it.
VariablePlace onTheStack(ByteReader& in, const Frame& frame, StoppedThread& thread, unsigned lane) {
    const auto base = frameAddress(frame, thread, lane);
    if (!base) return nowhere("its frame is not described");
    auto offset = static_cast<std::uint64_t>(in.sleb());
    while (!in.atEnd()) {
        const auto operation = in.u8();
        if (operation == DW_OP_plus_uconst)
            offset += in.uleb();
        else if (operation != DW_OP_nop)
            return nowhere("its location is not one of NVIDIA's compiler");
    }
    return inMemory(Piece::Kind::laneMemory, (*base + offset) & UINT32_MAX);
}

VariablePlace atAddress(std::uint64_t address, PtxSpace space) {
    switch (space) {
        case PtxSpace::parameter:
            return inMemory(Piece::Kind::parameter, address);
        case PtxSpace::shared:
            return inMemory(Piece::Kind::memory, address, true);
        case PtxSpace::local:
            return inMemory(Piece::Kind::laneMemory, address);
        case PtxSpace::none:
        case PtxSpace::global:
            return inMemory(Piece::Kind::memory, address);
        case PtxSpace::constant:
            return nowhere("it is in constant memory, which zetl does not read; copy it to a variable of the kernel");
        case PtxSpace::registers:
            break;
    }
    return nowhere("it lies in a memory that zetl does not know");
}

}  // namespace

std::optional<VariablePlace> Cuda::variablePlace(const Variable& variable, const Frame& frame, StoppedThread& thread,
                                                 unsigned lane) const try {
    if (!frame.module) return nowhere("its module is not known");
    ByteReader in(variable.location);
    switch (in.u8()) {
        case DW_OP_regx:
            return inRegisters(in.uleb(), frame, thread, lane);
        case DW_OP_fbreg:
            return onTheStack(in, frame, thread, lane);
        case DW_OP_addr:
            return atAddress(in.u64(), static_cast<PtxSpace>(variable.addressClass));
        default:
            return nowhere("its location is not one of NVIDIA's compiler");
    }
} catch (const Failure& failure) {
    return nowhere(failure.what());
}

}  // namespace zetl::debugger
