// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Steps of one instruction that together cost less than one after the other. Lowering says which they are (isa::Whole);
// whether their registers are such that it pays is decided here.
#include "emulator/translate/lanes/fused.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "emulator/translate/plan/products.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::DataType;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kSlotSize = RegisterCache::kSlotBytes;
constexpr std::uint32_t kLanesOfSlot = 16;  // of 32 bits
constexpr int kHalfOfLane = 32;             // of 64 bits

/// Constant lanes of 64 bits as dwords of that sign, if they all are.
std::optional<Numbers> dwordsAt(std::uint64_t address, bool isSigned) {
    std::array<std::int64_t, kLanesOfSlot> lanes;
    std::memcpy(lanes.data(), reinterpret_cast<const void*>(address), sizeof lanes);
    Numbers dwords{};
    for (std::uint32_t i = 0; i < kLanesOfSlot; ++i) {
        if (isSigned ? lanes[i] != static_cast<std::int32_t>(lanes[i])
                     : lanes[i] != static_cast<std::uint32_t>(lanes[i]))
            return {};
        dwords[i] = static_cast<std::uint32_t>(lanes[i]);
    }
    return dwords;
}

constexpr std::size_t kMostSteps = 7;  // that a meaning can count

bool isSlots(std::uint64_t place) { return place < layout::kBytes && place % kSlotSize == 0; }
}  // namespace

/// The number of steps that have been emitted, of the rest of a line; none if they have no special form.
std::uint32_t Fused::emit(std::span<const Step> rest) {
    const auto& body = code_.body[host_.body];
    const Meaning* const first = body.meaningOf(rest.front());
    if (first == nullptr || first->whole == Whole::none) return 0;
    const std::uint32_t count = first->steps;
    if (isa::endsLine(first->whole) && count != rest.size()) return 0;
    const std::span<const Step> steps = rest.first(count);
    std::array<Meaning, kMostSteps> meanings;
    std::ranges::transform(steps, meanings.begin(), [this](const Step& m) { return *host_.meaningOf(m); });
    return emitWhole(steps, std::span(meanings).first(count)) ? count : 0;
}

bool Fused::emitWhole(Steps steps, Meanings what) {
    switch (what.front().whole) {
        case Whole::negative:
            return loadNegative(steps, what);
        case Whole::move:
            return convertToHome(steps, what);
        case Whole::narrowMove:
            return moveNarrow(steps, what);
        case Whole::moveBytes:
            return moveBytes(steps, what);
        case Whole::flagLanes:
            return spreadFlags(steps, what);
        case Whole::compareToLanes:
            return compareToLanes(steps, what);
        case Whole::compareNegative:
            return compareWithNegative(steps, what);
        case Whole::product:
            return multiplyByWords(steps, what);
        case Whole::longProduct:
            return multiplyDwords(steps, what);
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

/// Lanes are the fetched values times minus one. Of reals, they are so where the rest of the line reads them.
bool Fused::loadNegative(Steps steps, Meanings what) {
    const Step& m = steps[0];
    if (!isSlots(m.src[0])) return false;
    if (isa::isReal(what[0].lanes)) {
        const std::uint32_t bytes = isa::byteSize(what[0].lanes);
        const std::uint32_t vectors = m.chunks * 16u * bytes / kSlotSize;
        if (!conversions_.mayShare(m, vectors * kSlotSize, static_cast<std::uint32_t>(steps.size()))) return false;
        const auto from = static_cast<std::uint32_t>(m.src[0]);
        values_.share(
            {.where = m.dst, .vectors = vectors, .place = from, .bytes = kSlotSize, .all = false, .negative = bytes});
        return true;
    }
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

/// A flag's bits as dwords or words, all ones or zero.
bool Fused::spreadFlags(Steps steps, Meanings what) {
    const Step& m = steps[1];
    if (!isSlots(m.dst)) return false;
    if (what[1].masked) masks_.setLanes(m.mask);
    comparisons_.spreadTo(steps[0]);
    storeSpread(m, what[1], k3);
    return true;
}

/// Bits as such dwords or words.
void Fused::storeSpread(const Step& m, const Meaning& what, const KReg& bits) {
    if (isa::byteSize(what.type) == 2) return storeSpreadWords(m, what, bits);
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

/// Those of 32 words lie in one register.
void Fused::storeSpreadWords(const Step& m, const Meaning& what, const KReg& bits) {
    cache_.release();
    a_.vpmovm2w(what.masked ? zmm0 : cache_.replace(m.dst), bits);
    if (!what.masked) return;
    const Zmm held = cache_.update(m.dst);
    a_.k(k1).vmovdqu16(held, zmm0);
}

/// A comparison in lanes of 32 bits to a flag and to lanes, by the same lanes: those need not wait for the flag.
bool Fused::compareToLanes(Steps steps, Meanings what) {
    const Step& first = steps[0];
    const Step& m = steps[2];
    const bool sameLanes =
        masks_.isSame(m.mask, first.mask) || (!what[2].masked && masks_.constantLanes(first.mask) == first.mask.lanes);
    if (!isSlots(m.dst) || !sameLanes || !comparisons_.compare(first, what[0])) return false;
    if (what[2].masked) masks_.setLanes(m.mask);
    storeSpread(m, what[2], masks_.flagMask(first.mask));
    return true;
}

/// Bytes and words as 32 lanes of a register, without a detour over two registers of dwords.
bool Fused::moveNarrow(Steps steps, Meanings what) {
    const Step& m = steps[1];
    const auto place = static_cast<std::uint32_t>(steps[0].src[0]);
    const std::uint32_t element = isa::byteSize(what[0].type);
    const bool isWhole = element * what[0].stride == 2;
    const std::uint32_t inSlot = place % kSlotSize;
    const bool fits = isWhole ? inSlot + element <= 2 : inSlot % (kSlotSize / 2) == 0;
    if (steps[0].src[0] >= layout::kNull || !fits || !isSlots(m.dst)) return false;
    const Zmm slot = cache_.read(place - inSlot);
    const bool toWords = isa::byteSize(what[1].type) == 2;
    toWords ? spreadToWords(what[0], place, slot) : packToBytes(what[0], place, slot);
    if (what[1].masked) masks_.setLanes(m.mask);
    if (!toWords) {
        stores_.storeLowHalf(m, what[1], zmm0);
    } else if (what[1].masked) {
        const Zmm held = cache_.update(m.dst);
        a_.k(k1).vmovdqu16(held, zmm0);
    } else {
        a_.vmovdqa64(cache_.replace(m.dst), zmm0);
    }
    return true;
}

/// To zmm0, each extended to a word.
void Fused::spreadToWords(const Meaning& what, std::uint32_t place, const Zmm& slot) {
    const asmjit::Imm byte(8);
    const bool isSigned = isa::isSigned(what.type);
    if (isa::byteSize(what.type) == 2) {
        a_.vmovdqa64(zmm0, slot);
    } else if (what.stride == 1) {
        a_.emit(isSigned ? Inst::kIdVpmovsxbw : Inst::kIdVpmovzxbw, zmm0, halfOf(place, slot));
    } else if (place % 2 == 0 && !isSigned) {
        Numbers low;
        low.fill(0x00ff00ff);
        a_.vpandd(zmm0, slot, numbers_.of(low));
    } else {
        if (place % 2 == 0) a_.vpsllw(zmm0, slot, byte);
        a_.emit(isSigned ? Inst::kIdVpsraw : Inst::kIdVpsrlw, zmm0, place % 2 == 0 ? zmm0 : slot, byte);
    }
}

/// To the low half of zmm0.
void Fused::packToBytes(const Meaning& what, std::uint32_t place, const Zmm& slot) {
    if (isa::byteSize(what.type) == 1 && what.stride == 1) {
        a_.vmovdqu(ymm0, halfOf(place, slot));
        return;
    }
    if (place % 2 != 0) a_.vpsrlw(zmm4, slot, asmjit::Imm(8));
    a_.vpmovwb(ymm0, place % 2 != 0 ? zmm4 : slot);
}

Ymm Fused::halfOf(std::uint32_t place, const Zmm& slot) {
    if (place % kSlotSize == 0) return slot.ymm();
    a_.vextracti64x4(ymm5, slot, 1);
    return ymm5;
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

/// The second factor of long products: a register's dwords, or constants.
std::optional<Fused::Factor> Fused::secondFactor(const Step& m, const Meaning& what, DataType type) {
    if (what.family == isa::Family::compute) {
        const auto dwords = dwordsAt(m.src[1], type == DataType::d);
        if (!dwords) return {};
        Numbers between{};
        for (std::uint32_t i = 0; i < between.size(); ++i) between[i] = (*dwords)[i | 1];
        return Factor{numbers_.of(*dwords), numbers_.of(between)};
    }
    if (what.type != type || !isSlots(m.src[0])) return {};
    const Zmm held = cache_.read(m.src[0]);
    a_.vpsrlq(zmm5, held, kHalfOfLane);
    return Factor{held, zmm5};
}

/// Both halves of products of dwords: those of every second lane, then those between them, each in 64 bits.
bool Fused::multiplyDwords(Steps steps, Meanings what) {
    const Step& low = steps[steps.size() - 2];
    const Step& high = steps.back();
    if (!isSlots(steps[0].src[0]) || !isSlots(low.dst) || !isSlots(high.dst)) return false;
    cache_.release();
    const auto y = secondFactor(steps[1], what[1], what[0].type);
    if (!y) return false;
    const Zmm x = cache_.read(steps[0].src[0]);
    const InstId multiply = what[0].type == DataType::d ? Inst::kIdVpmuldq : Inst::kIdVpmuludq;
    a_.vpsrlq(zmm4, x, kHalfOfLane);
    a_.emit(multiply, zmm4, zmm4, y->between);
    a_.emit(multiply, zmm0, x, y->everySecond);
    const auto lanesFrom = [&](std::uint32_t first) {
        Numbers kept{};
        for (std::uint32_t i = first; i < kept.size(); i += 2) kept[i] = ~0u;
        return numbers_.of(kept);
    };
    a_.vpsllq(zmm5, zmm4, kHalfOfLane);
    a_.vmovdqa64(zmm3, zmm0);
    a_.vpternlogd(zmm3, zmm5, lanesFrom(0), kKeepWith);
    a_.vpsrlq(zmm0, zmm0, kHalfOfLane);
    a_.vpternlogd(zmm4, zmm0, lanesFrom(1), kKeepWith);
    const Meaning& stored = what.back();
    if (stored.masked) masks_.setLanes(high.mask);
    values_.writeVector(low.dst, 0, zmm3, stored, stored.masked);
    values_.writeVector(high.dst, 0, zmm4, stored, stored.masked);
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
