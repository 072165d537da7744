// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Steps that together cost less than one after the other. What they leave in the working space is not read: from the
// first of them on they are the whole rest of a line.
#include "emulator/translate/lanes/fused.h"

#include <algorithm>

#include "emulator/translate/plan/products.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::DataType;
using isa::LaneType;
namespace layout = isa::layout;

namespace {

constexpr std::uint8_t kNegate = 2;  // Step::kind of modify
constexpr std::uint32_t kSlotSize = RegisterCache::kSlotBytes;
constexpr std::uint32_t kLanesOfSlot = 16;  // of 32 bits

bool isSlots(std::uint64_t place) { return place < layout::kBytes && place % kSlotSize == 0; }
/// Dwords that lie side by side become lanes.
bool takesDwords(const isa::Step& m, const Meaning& what, LaneType lanes) {
    return what.family == Family::convert && what.wide && what.stride == 1 && what.lanes == lanes &&
           isa::byteSize(what.type) == 4 && isWholeNumber(what.type) && isSlots(m.src[0]) && m.dst >= layout::kNull;
}
bool negates(const isa::Step& m, const Meaning& what, std::uint32_t place) {
    return what.family == Family::modify && what.wide && m.kind == kNegate && m.dst == place &&
           isWholeNumber(what.lanes);
}

}  // namespace

/// The number of steps, which are the rest of a line, that have been emitted; none if they have no special form.
std::uint32_t Fused::emit(std::span<const Step> steps) {
    constexpr std::size_t kMost = 4;
    std::array<const Meaning*, kMost> what{};
    for (std::size_t i = 0; i < std::min(kMost, steps.size()); ++i)
        what[i] = code_.body[host_.body].meaningOf(steps[i]);
    if (what[0] == nullptr || what[1] == nullptr) return 0;
    if (what[0]->family == Family::convert && words_.emit(steps)) return static_cast<std::uint32_t>(steps.size());
    if (steps.size() == 4 && what[2] != nullptr && what[3] != nullptr && compareWithNegative(steps, what)) return 4;
    if (steps.size() >= 4 && what[2] != nullptr && what[3] != nullptr && multiplyByWords(steps, what)) return 4;
    if (steps.size() == 3 && what[2] != nullptr && compareToDwords(steps, what)) return 3;
    if (steps.size() == 2 &&
        (spreadDwords(steps, what) || moveBytes(steps, what) || pickWords(steps, what) || convertToHome(steps, what)))
        return 2;
    return loadNegative(steps, what) ? 2 : 0;
}

/// What is fetched is all that is stored: it need not go by the working space.
bool Fused::convertToHome(std::span<const Step> steps, const MeaningList& what) {
    const Step& m = steps[1];
    const std::uint32_t laneBytes = isa::byteSize(what[0]->lanes);
    const bool fetches = what[0]->family == Family::convert && what[0]->wide && what[0]->stride != 0 &&
                         isWholeNumber(what[0]->lanes) && isWholeNumber(what[0]->type) &&
                         steps[0].src[0] < layout::kNull && steps[0].dst >= layout::kNull;
    const bool stores = what[1]->family == Family::retire && what[1]->wide && !what[1]->masked && m.stride == 1 &&
                        what[1]->lanes == what[0]->lanes && isWholeNumber(what[1]->type) &&
                        isa::byteSize(what[1]->type) == laneBytes;
    if (!fetches || !stores || m.src[0] != steps[0].dst || m.chunks != steps[0].chunks || !isSlots(m.dst)) return false;
    const std::uint32_t lanes = m.chunks * 16u;
    const auto from = static_cast<std::uint32_t>(steps[0].src[0]);
    const std::uint32_t end = from + lanes * what[0]->stride * isa::byteSize(what[0]->type) + kSlotSize;
    const bool apart = end <= m.dst || from >= m.dst + lanes * laneBytes;
    if (!apart || m.dst >= layout::kFlags) return false;
    Step direct = steps[0];
    direct.dst = m.dst;
    return conversions_.convert(direct, *what[0]);
}

/// Lanes are the fetched values times minus one.
bool Fused::loadNegative(std::span<const Step> steps, const MeaningList& what) {
    const Step& m = steps[0];
    if (!takesDwords(m, *what[0], what[0]->lanes) || isa::byteSize(what[0]->lanes) != 4 ||
        isa::isReal(what[0]->lanes) || !negates(steps[1], *what[1], m.dst) || m.dst % kSlotSize != 0)
        return false;
    a_.vpxorq(zmm4, zmm4, zmm4);
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        const Zmm held = cache_.read(m.src[0] + v * kSlotSize);
        a_.vpsubd(cache_.replace(m.dst + v * kSlotSize), zmm4, held);
    }
    return true;
}

/// x == -y of dwords, in 64 bits: their sum is zero in 32, and y is not the one number whose negative has more bits.
bool Fused::compareWithNegative(std::span<const Step> steps, const MeaningList& what) {
    constexpr std::uint16_t kEqual = 1;
    constexpr std::uint16_t kNotEqual = 2;
    constexpr std::uint8_t kUnequal = 4;  // of vpcmpd
    const Step& m = steps[3];
    const bool fits = what[3]->family == Family::compare && what[3]->wide && what[3]->lanes == LaneType::i64 &&
                      (what[3]->row == kEqual || what[3]->row == kNotEqual);
    if (!fits || what[0]->type != DataType::d || what[1]->type != DataType::d ||
        !takesDwords(steps[0], *what[0], LaneType::i64) || !takesDwords(steps[1], *what[1], LaneType::i64) ||
        !negates(steps[2], *what[2], steps[1].dst) || what[2]->lanes != LaneType::i64 || m.src[0] != steps[0].dst ||
        m.src[1] != steps[1].dst || steps[0].dst == steps[1].dst || steps[0].chunks != m.chunks ||
        steps[1].chunks != m.chunks)
        return false;
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
    if (what[3]->row == kNotEqual) a_.knotd(k3, k3);
    masks_.mergeFlags(m, k3);
    return true;
}

bool Fused::storesSpread(const Step& spread, const Meaning& what, const Step& m, const Meaning& stores) {
    return what.family == Family::spread && stores.family == Family::retire && stores.wide &&
           isa::byteSize(stores.lanes) == 8 && isWholeNumber(stores.lanes) && isWholeNumber(stores.type) &&
           isa::byteSize(stores.type) == 4 && m.stride == 1 && m.src[0] == spread.dst && isSlots(m.dst) &&
           m.chunks == spread.chunks && spread.dst >= layout::kNull;
}

/// A flag's bits as dwords, all ones or zero.
bool Fused::spreadDwords(std::span<const Step> steps, const MeaningList& what) {
    const Step& m = steps[1];
    if (!storesSpread(steps[0], *what[0], m, *what[1])) return false;
    if (what[1]->masked) masks_.setLanes(m.mask);
    comparisons_.spreadTo(steps[0]);
    storeSpread(m, *what[1], k3);
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
bool Fused::compareToDwords(std::span<const Step> steps, const MeaningList& what) {
    const Step& first = steps[0];
    const Step& m = steps[2];
    const isa::LaneMask& mask = first.mask;
    const bool compares = what[0]->family == Family::compare && what[0]->wide && isa::byteSize(what[0]->lanes) == 4 &&
                          mask.predicate == isa::Predicate::none;
    const bool sameFlag = steps[1].mask.flag == mask.flag && steps[1].mask.shift == mask.shift;
    if (!compares || !sameFlag || first.chunks != m.chunks || !storesSpread(steps[1], *what[1], m, *what[2]) ||
        (what[2]->masked ? !masks_.isSame(m.mask, mask) : masks_.constantLanes(mask) != mask.lanes))
        return false;
    if (!comparisons_.compare(first, *what[0])) return false;
    if (what[2]->masked) masks_.setLanes(m.mask);
    storeSpread(m, *what[2], masks_.flagMask(first.mask));
    return true;
}

/// Words of which the low bytes go to every second byte.
bool Fused::moveBytes(std::span<const Step> steps, const MeaningList& what) {
    const Step& from = steps[0];
    const Step& m = steps[1];
    const bool loads = what[0]->family == Family::convert && what[0]->wide && what[0]->stride == 1 &&
                       isWholeNumber(what[0]->type) && isa::byteSize(what[0]->type) == 2 && isSlots(from.src[0]) &&
                       from.dst >= layout::kNull;
    const bool stores = what[1]->family == Family::retire && what[1]->wide && m.stride == 2 && isSlots(m.dst) &&
                        isWholeNumber(what[1]->type) && isa::byteSize(what[1]->type) == 1;
    if (!loads || !stores || m.src[0] != from.dst || m.chunks != 2 || from.chunks != 2 || isa::isReal(what[1]->lanes) ||
        what[0]->lanes != what[1]->lanes)
        return false;
    if (what[1]->masked) masks_.setLanes(m.mask);
    stores_.storeLowBytes(m, *what[1], cache_.read(from.src[0]));
    return true;
}

/// A product in lanes of 64 bits whose low halves are stored: they come from lanes of 32 bits, without the operation
/// across lanes for which others would wait.
bool Fused::multiplyByWords(std::span<const Step> steps, const MeaningList& what) {
    const Step& product = steps[2];
    const Step& m = steps[3];
    const LaneType lanes = what[2]->lanes;
    const bool wide = lanes == LaneType::i64 || lanes == LaneType::u64;
    const bool words = what[1]->family == Family::convert && what[1]->wide && what[1]->type == DataType::uw &&
                       what[1]->stride == 2 && what[1]->lanes == lanes && isSlots(steps[1].src[0]);
    const bool multiplies = what[2]->family == Family::compute && what[2]->wide && !what[2]->masked &&
                            what[2]->row == static_cast<std::uint16_t>(isa::Opcode::mul) &&
                            product.src[0] == steps[0].dst && product.src[1] == steps[1].dst;
    const bool stores = what[3]->family == Family::retire && what[3]->wide && !what[3]->masked && m.stride == 1 &&
                        what[3]->lanes == lanes && isWholeNumber(what[3]->type) && isa::byteSize(what[3]->type) == 4 &&
                        m.src[0] == product.dst && isSlots(m.dst);
    if (!wide || !words || !multiplies || !stores || !takesDwords(steps[0], *what[0], lanes) || m.chunks != 1 ||
        product.dst < layout::kNull || m.dst == steps[0].src[0] || m.dst == steps[1].src[0])
        return false;
    Meaning extended = *what[2];
    extended.row = what[0]->type == DataType::d ? kSignedProductRow : kUnsignedProductRow;
    for (std::size_t i = 0; i < 3; ++i) {
        cache_.release();
        if (!(i < 2 ? conversions_.convert(steps[i], *what[i]) : arithmetic_.compute(steps[i], extended))) return false;
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
bool Fused::pickWords(std::span<const Step> steps, const MeaningList& what) {
    const Step& from = steps[0];
    const Step& m = steps[1];
    const bool picks = what[0]->family == Family::pick && what[0]->wide && !what[0]->masked &&
                       isa::byteSize(what[0]->lanes) == 4 && from.chunks == 2 && from.dst >= layout::kNull;
    const bool stores = what[1]->family == Family::retire && what[1]->wide && m.stride == 1 && m.chunks == 2 &&
                        isa::byteSize(what[1]->lanes) == 4 && isWholeNumber(what[1]->lanes) &&
                        isWholeNumber(what[1]->type) && isa::byteSize(what[1]->type) == 2;
    if (!picks || !stores || m.src[0] != from.dst || !isSlots(m.dst)) return false;
    const auto narrow = [&](const Zmm& to, std::uint64_t where) {
        a_.vpmovdw(to.ymm(), values_.source(where, 0, *what[0], 1).as<Zmm>());
        a_.vpmovdw(ymm5, values_.source(where, 1, *what[0], 1).as<Zmm>());
        a_.vinserti64x4(to, to, ymm5, 1);
    };
    narrow(zmm0, from.src[0]);
    narrow(zmm4, from.src[1]);
    const KReg selects = masks_.selectedMask(from.mask);
    if (!what[1]->masked) {
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
