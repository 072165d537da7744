// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lines on words: 32 lanes in one register, where their steps compute in two registers of dwords. Only the words are
// stored, or compared with zero, and with logic and selections each word depends only on words.
#include "emulator/translate/lanes/words.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::InstId;
using isa::DataType;
using isa::Opcode;
namespace layout = isa::layout;

namespace {

constexpr std::uint8_t kChunksOfWords = 2;
constexpr std::uint16_t kNotZero = 2;  // the condition ne; 1 is eq

bool isWord(DataType type) { return type == DataType::w || type == DataType::uw; }
bool isSlot(std::uint64_t place) { return place < layout::kBytes && place % RegisterCache::kSlotBytes == 0; }
bool isDwords(const isa::Step& m, const Meaning& what) {
    return what.wide && m.chunks == kChunksOfWords && isa::byteSize(what.lanes) == 4 && isWholeNumber(what.lanes);
}
/// A source's words, side by side in a slot or one for all lanes.
bool loadsWords(const isa::Step& m, const Meaning& what) {
    return what.family == Family::convert && isDwords(m, what) && isWord(what.type) && m.dst >= layout::kNull &&
           m.src[0] < layout::kBytes && (what.stride == 0 || (what.stride == 1 && isSlot(m.src[0])));
}
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

/// Lanes as a word will show them.
bool narrowsWords(const isa::Step& m, const Meaning& what, std::uint32_t place) {
    return what.family == Family::narrow && isWord(what.type) && isDwords(m, what) && m.dst == place;
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

/// What the line does, if it is one of these: one or two sources are loaded, one step computes, and its result is
/// narrowed and stored or compared.
std::optional<Words::WordLine> Words::lineOf(std::span<const Step> steps) const {
    constexpr std::size_t kMost = 5;
    if (steps.size() < 3 || steps.size() > kMost) return {};
    std::array<const Meaning*, kMost> what{};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        what[i] = code_.body[host_.body].meaningOf(steps[i]);
        if (what[i] == nullptr) return {};
    }
    std::size_t loads = 0;
    while (loads < 2 && loadsWords(steps[loads], *what[loads])) ++loads;
    if (loads == 0) return {};
    WordLine line;
    if (!readCompute(steps[loads], *what[loads], line)) return {};
    for (std::size_t k = 0; k < line.source.size(); ++k) {
        const auto source = sourceOf(line.compute->src[k], steps.first(loads), what);
        if (!source) return {};
        line.source[k] = *source;
    }
    std::size_t end = loads + 1;
    if (end == steps.size()) return {};
    const bool narrows = narrowsWords(steps[end], *what[end], line.compute->dst);
    if (narrows) ++end;
    if (end + 1 != steps.size() || !readEnd(steps[end], *what[end], narrows, line)) return {};
    return line;
}

bool Words::readCompute(const Step& m, const Meaning& what, WordLine& line) {
    line.compute = &m;
    line.picks = what.family == Family::pick;
    line.logic = what.family == Family::compute ? logicOf(what) : Inst::kIdNone;
    return (line.picks || line.logic != Inst::kIdNone) && isDwords(m, what) && !what.masked && m.dst >= layout::kNull;
}

/// What an operand is: constants, or what one of these steps loads.
std::optional<Words::WordSource> Words::sourceOf(std::uint64_t where, std::span<const Step> loads,
                                                 std::span<const Meaning* const> what) {
    if (where >= layout::kBytes) return WordSource{.constants = where};
    for (std::size_t n = loads.size(); n-- > 0;) {
        if (loads[n].dst != where) continue;
        return WordSource{
            .place = static_cast<std::uint32_t>(loads[n].src[0]), .type = what[n]->type, .same = what[n]->stride == 0};
    }
    return {};
}

bool Words::readEnd(const Step& m, const Meaning& what, bool narrows, WordLine& line) {
    line.end = &m;
    line.masked = what.masked;
    line.compares = what.family == Family::compare;
    line.row = what.row;
    if (!isDwords(m, what) || m.src[0] != line.compute->dst) return false;
    if (line.compares) return narrows && comparesWithZero(m, what);
    return what.family == Family::retire && isWord(what.type) && m.stride == 1 && isSlot(m.dst);
}

bool Words::comparesWithZero(const Step& m, const Meaning& what) {
    return what.row != 0 && what.row <= kNotZero && isZero({.constants = m.src[1]});
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

bool Words::emit(std::span<const Step> steps) {
    const auto line = lineOf(steps);
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
