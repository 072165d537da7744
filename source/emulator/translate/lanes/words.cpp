// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lines on words: 32 lanes in one register, where their steps compute in two registers of dwords. Only the words are
// stored, or compared with zero, and with logic and selections each word depends only on words.
#include "emulator/translate/lanes/words.h"

#include <algorithm>
#include <cstring>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::InstId;
using isa::Opcode;
namespace layout = isa::layout;

namespace {

constexpr std::uint16_t kNotZero = 2;  // the condition ne; 1 is eq

bool isSlot(std::uint64_t place) { return place < layout::kBytes && place % RegisterCache::kSlotBytes == 0; }
InstId logicOf(const Meaning& what) {
    switch (static_cast<Opcode>(what.row)) {
        case Opcode::bitAnd:
            return Inst::kIdVpandq;
        case Opcode::bitOr:
            return Inst::kIdVporq;
        case Opcode::bitXor:
            return Inst::kIdVpxorq;
        default:
            return Inst::kIdNone;
    }
}

/// The low words of 32 constants.
std::array<std::uint32_t, 16> lowWords(std::uint64_t constants) {
    std::array<std::uint32_t, 32> dwords;
    std::memcpy(dwords.data(), reinterpret_cast<const void*>(constants), sizeof dwords);
    std::array<std::uint32_t, 16> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = (dwords[2 * i] & 0xffff) | dwords[2 * i + 1] << 16;
    return words;
}

}  // namespace

/// What the line does: one or two sources are loaded, one step computes, and its result is stored, or narrowed and
/// compared. Nothing if its registers are not whole.
std::optional<Words::WordLine> Words::lineOf(std::span<const Step> steps, std::span<const Meaning> what) {
    const std::size_t loads = what[1].family == Family::convert ? 2 : 1;
    for (std::size_t i = 0; i < loads; ++i)
        if (what[i].stride != 0 && !isSlot(steps[i].src[0])) return {};
    const Step& compute = steps[loads];
    WordLine line;
    line.compute = &compute;
    line.end = &steps.back();
    for (std::size_t k = 0; k < line.source.size(); ++k)
        line.source[k] = sourceOf(compute.src[k], steps.first(loads), what);
    line.picks = what[loads].family == Family::pick;
    if (!line.picks) line.logic = logicOf(what[loads]);
    line.compares = what.back().family == Family::compare;
    line.masked = what.back().masked;
    line.row = what.back().row;
    if (!line.compares && !isSlot(line.end->dst)) return {};
    return line;
}

/// What an operand is: constants, or what one of these steps loads.
Words::WordSource Words::sourceOf(std::uint64_t where, std::span<const Step> loads, std::span<const Meaning> what) {
    if (where >= layout::kBytes) return {.constants = where};
    const std::size_t n = loads.back().dst == where ? loads.size() - 1 : 0;
    return {.place = static_cast<std::uint32_t>(loads[n].src[0]), .same = what[n].stride == 0};
}

/// Whether all lanes of a source are zero, as constants.
bool Words::isZero(const WordSource& source) {
    if (source.constants < layout::kBytes) return false;
    std::array<std::uint32_t, 32> constants;
    std::memcpy(constants.data(), reinterpret_cast<const void*>(source.constants), sizeof constants);
    return std::ranges::all_of(constants, [](std::uint32_t x) { return x == 0; });
}

/// Words of a source, in a register that they are held in, or in this one.
Zmm Words::wordsOf(const WordSource& source, const Zmm& spare) {
    if (source.constants != 0) {
        a_.vmovdqu64(spare, numbers_.of(lowWords(source.constants)));
        return spare;
    }
    if (!source.same) return cache_.read(source.place);
    const bool held = cache_.isLane(source.place, 2);
    if (!held) cache_.store(source.place, 2);
    a_.emit(Inst::kIdVpbroadcastw, spare, held ? asmjit::Operand(RegisterCache::lane()) : state(source.place, 2));
    return spare;
}

bool Words::emit(std::span<const Step> steps, std::span<const Meaning> what) {
    const auto line = lineOf(steps, what);
    if (!line) return false;
    const bool orZero = line->picks && isZero(line->source[1]);
    const bool replaces = !line->compares && !line->masked;
    const KReg selects = line->picks ? masks_.selectedMask(line->compute->mask) : k0;
    const Zmm x = wordsOf(line->source[0], zmm0);
    const Zmm y = orZero ? zmm4 : wordsOf(line->source[1], zmm4);
    if (line->compares && line->logic == Inst::kIdVpandq) {
        compareWords(*line, x, y);
        return true;
    }
    const Zmm result = replaces ? cache_.replace(line->end->dst) : zmm0;
    if (orZero)
        a_.k(selects).z().vmovdqu16(result, x);
    else if (line->picks)
        a_.k(selects).vpblendmw(result, y, x);
    else
        a_.emit(line->logic, result, x, y);
    if (line->compares)
        compareWords(*line, result, result);
    else if (line->masked)
        storeWords(line->end->dst, line->end->mask);
    return true;
}

/// Words' common bits with zero.
void Words::compareWords(const WordLine& line, const Zmm& x, const Zmm& y) {
    const KReg bits = masks_.flagMask(line.end->mask);
    a_.emit(line.row == kNotZero ? Inst::kIdVptestmw : Inst::kIdVptestnmw, bits, x, y);
    masks_.mergeFlags(*line.end, bits);
}
/// Words in zmm0 to the lanes that are on.
void Words::storeWords(std::uint32_t place, const isa::LaneMask& mask) {
    masks_.setLanes(mask);
    const Zmm held = cache_.update(place);
    a_.k(k1).vmovdqu16(held, zmm0);
}

}  // namespace zetl::emulator::translate
