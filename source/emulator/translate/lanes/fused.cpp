// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Steps of one instruction that together cost less than one after the other. Lowering says which they are (isa::Whole);
// whether their registers are such that it pays is decided here.
#include "emulator/translate/lanes/fused.h"

#include <algorithm>

#include "emulator/translate/plan/products.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::DataType;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kSlotSize = RegisterCache::kSlotBytes;
constexpr std::uint32_t kLanesOfSlot = 16;  // of 32 bits

bool isSlots(std::uint64_t place) { return place < layout::kBytes && place % kSlotSize == 0; }
}  // namespace

/// The number of steps that have been emitted, of the rest of a line; none if they have no special form.
std::uint32_t Fused::emit(std::span<const Step> rest) {
    const auto& body = code_.body[host_.body];
    const Meaning* const first = body.meaningOf(rest.front());
    if (first == nullptr || first->whole == Whole::none) return 0;
    const std::uint32_t count = first->steps;
    if (isa::endsLine(first->whole) && count != rest.size()) return 0;
    const auto at = static_cast<std::size_t>(&rest.front() - body.steps.data());
    return emitWhole(rest.first(count), std::span(body.meanings).subspan(at, count)) ? count : 0;
}

bool Fused::emitWhole(Steps steps, Meanings what) {
    switch (what.front().whole) {
        case Whole::negative:
            return loadNegative(steps);
        case Whole::move:
            return convertToHome(steps, what);
        case Whole::moveBytes:
            return moveBytes(steps, what);
        case Whole::flagLanes:
            return spreadDwords(steps, what);
        case Whole::compareToLanes:
            return compareToDwords(steps, what);
        case Whole::compareNegative:
            return compareWithNegative(steps, what);
        case Whole::product:
            return multiplyByWords(steps, what);
        case Whole::pickWords:
            return pickWords(steps, what);
        case Whole::words:
            return words_.emit(steps, what);
        case Whole::none:
            break;
    }
    return false;
}

/// What is fetched is all that is stored: it need not go by the working space.
bool Fused::convertToHome(Steps steps, Meanings what) {
    const Step& m = steps[1];
    if (steps[0].src[0] >= layout::kNull || !isSlots(m.dst) || m.dst >= layout::kFlags) return false;
    const std::uint32_t lanes = m.chunks * 16u;
    const auto from = static_cast<std::uint32_t>(steps[0].src[0]);
    const std::uint32_t end = from + lanes * what[0].stride * isa::byteSize(what[0].type) + kSlotSize;
    const bool apart = end <= m.dst || from >= m.dst + lanes * isa::byteSize(what[0].lanes);
    if (!apart) return false;
    Step direct = steps[0];
    direct.dst = m.dst;
    return conversions_.convert(direct, what[0]);
}

/// Lanes are the fetched values times minus one.
bool Fused::loadNegative(Steps steps) {
    const Step& m = steps[0];
    if (!isSlots(m.src[0])) return false;
    a_.vpxorq(zmm4, zmm4, zmm4);
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        const Zmm held = cache_.read(m.src[0] + v * kSlotSize);
        a_.vpsubd(cache_.replace(m.dst + v * kSlotSize), zmm4, held);
    }
    return true;
}

/// x == -y of dwords, in 64 bits: their sum is zero in 32, and y is not the one number whose negative has more bits.
bool Fused::compareWithNegative(Steps steps, Meanings what) {
    constexpr std::uint16_t kNotEqual = 2;
    constexpr std::uint8_t kUnequal = 4;  // of vpcmpd
    const Step& m = steps[3];
    if (!isSlots(steps[0].src[0]) || !isSlots(steps[1].src[0])) return false;
    values_.broadcast(zmm4, 1ull << 31, 4);
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        const Zmm x = cache_.read(steps[0].src[0] + v * kSlotSize);
        const Zmm y = cache_.read(steps[1].src[0] + v * kSlotSize);
        a_.vpaddd(zmm0, x, y);
        a_.vpcmpd(k4, y, zmm4, kUnequal);
        a_.k(k4).vptestnmd(v == 0 ? k3 : k5, zmm0, zmm0);
    }
    if (m.chunks == 2) a_.kunpckwd(k3, k5, k3);
    if (what[3].row == kNotEqual) a_.knotd(k3, k3);
    masks_.mergeFlags(m, k3);
    return true;
}

/// A flag's bits as dwords, all ones or zero.
bool Fused::spreadDwords(Steps steps, Meanings what) {
    const Step& m = steps[1];
    if (!isSlots(m.dst)) return false;
    if (what[1].masked) masks_.setLanes(m.mask);
    comparisons_.spreadTo(steps[0]);
    storeSpread(m, what[1], k3);
    return true;
}

/// Bits as such dwords.
void Fused::storeSpread(const Step& m, const Meaning& what, const KReg& bits) {
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        const KReg lanes = v == 0 ? bits : k3;
        if (v != 0) a_.kshiftrd(k3, bits, kLanesOfSlot);
        const std::uint32_t place = m.dst + v * kSlotSize;
        if (!what.masked) {
            a_.vpmovm2d(cache_.replace(place), lanes);
            continue;
        }
        a_.vpmovm2d(zmm0, lanes);
        const Zmm held = cache_.update(place);
        a_.k(masks_.lanesOf(v, kLanesOfSlot)).vmovdqu32(held, zmm0);
    }
}

/// A comparison of dwords to a flag and to dwords, by the same lanes: those need not wait for the flag.
bool Fused::compareToDwords(Steps steps, Meanings what) {
    const Step& first = steps[0];
    const Step& m = steps[2];
    const bool sameLanes =
        what[2].masked ? masks_.isSame(m.mask, first.mask) : masks_.constantLanes(first.mask) == first.mask.lanes;
    if (!isSlots(m.dst) || !sameLanes || !comparisons_.compare(first, what[0])) return false;
    if (what[2].masked) masks_.setLanes(m.mask);
    storeSpread(m, what[2], masks_.flagMask(first.mask));
    return true;
}

/// Words of which the low bytes go to every second byte.
bool Fused::moveBytes(Steps steps, Meanings what) {
    const Step& from = steps[0];
    const Step& m = steps[1];
    if (!isSlots(from.src[0]) || !isSlots(m.dst)) return false;
    if (what[1].masked) masks_.setLanes(m.mask);
    stores_.storeLowBytes(m, what[1], cache_.read(from.src[0]));
    return true;
}

/// A product in lanes of 64 bits whose low halves are stored: they come from lanes of 32 bits, without the operation
/// across lanes for which others would wait.
bool Fused::multiplyByWords(Steps steps, Meanings what) {
    const Step& m = steps[3];
    const bool inSlots = isSlots(steps[0].src[0]) && isSlots(steps[1].src[0]) && isSlots(m.dst);
    if (!inSlots || m.dst == steps[0].src[0] || m.dst == steps[1].src[0]) return false;
    Meaning extended = what[2];
    extended.row = what[0].type == DataType::d ? kSignedProductRow : kUnsignedProductRow;
    for (std::size_t i = 0; i < 3; ++i) {
        cache_.release();
        if (!(i < 2 ? conversions_.convert(steps[i], what[i]) : arithmetic_.compute(steps[i], extended))) return false;
    }
    cache_.release();
    const Zmm x = cache_.read(steps[0].src[0]);
    const Zmm y = cache_.read(steps[1].src[0]);
    values_.broadcast(zmm4, 0xffff, 4);
    a_.vpandd(zmm4, zmm4, y);
    a_.vpmulld(cache_.replace(m.dst), x, zmm4);
    return true;
}

/// A selection by a flag whose words are stored: narrows them before the flag is known.
bool Fused::pickWords(Steps steps, Meanings what) {
    const Step& from = steps[0];
    const Step& m = steps[1];
    if (!isSlots(m.dst)) return false;
    const auto narrow = [&](const Zmm& to, std::uint64_t where) {
        a_.vpmovdw(to.ymm(), values_.source(where, 0, what[0], 1).as<Zmm>());
        a_.vpmovdw(ymm5, values_.source(where, 1, what[0], 1).as<Zmm>());
        a_.vinserti64x4(to, to, ymm5, 1);
    };
    narrow(zmm0, from.src[0]);
    narrow(zmm4, from.src[1]);
    const KReg selects = masks_.selectedMask(from.mask);
    if (!what[1].masked) {
        const Zmm result = cache_.replace(m.dst);
        a_.k(selects).vpblendmw(result, zmm4, zmm0);
        return true;
    }
    masks_.setLanes(m.mask);
    a_.k(selects).vpblendmw(zmm0, zmm4, zmm0);
    const Zmm held = cache_.update(m.dst);
    a_.k(k1).vmovdqu16(held, zmm0);
    return true;
}

}  // namespace zetl::emulator::translate
