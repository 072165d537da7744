// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/linear_lanes.h"

#include <algorithm>
#include <limits>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
namespace layout = isa::layout;

namespace {

// Those that no step of a group's code uses while Values::areGeneralsLent().
const Gp kPool[] = {rbp, r13, r14, r15, rsi, rdi, r8, r9, r10};

Gp sized(const Gp& reg, std::uint32_t bytes) { return bytes == 8 ? Gp(reg.r64()) : Gp(reg.r32()); }
std::int64_t cut(std::int64_t value, std::uint32_t bytes) {
    return bytes == 8 ? value : static_cast<std::int32_t>(value);
}
/// Modulo 2^64: what a program has for constants may be anything.
std::int64_t plus(std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
}
std::int64_t times(std::int64_t x, std::uint32_t y) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * y);
}
bool fits(std::int64_t value) { return value == static_cast<std::int32_t>(value); }
/// Whether an element of one shares a byte with an element of the other.
bool overlaps(const Extent& a, const Extent& b) {
    if (!a.meets(b)) return false;
    bool any = false;
    for (std::uint32_t i = 0; i < a.count && !any; ++i)
        for (std::uint32_t k = 0; k < b.count && !any; ++k) {
            const std::uint32_t x = a.place + i * a.spacing;
            const std::uint32_t y = b.place + k * b.spacing;
            any = x < y + b.bytes && y < x + a.bytes;
        }
    return any;
}

}  // namespace

LinearLanes::LinearLanes(Assembler& to, const Gp& state, const std::bitset<layout::kBytes>& changed,
                         const asmjit::Label& otherwise)
    : a_(to), state_(state), changed_(changed), otherwise_(otherwise) {
    static_assert(std::size(kPool) == kRegisters);
    owners_.fill(Linear::kNone);
}

// ---- numbers and their registers ----

std::uint32_t LinearLanes::number(const Origin& origin) {
    const auto [known, fresh] = numbers_.try_emplace(origin, static_cast<std::uint32_t>(scalars_.size()));
    if (fresh) scalars_.push_back({.origin = origin, .reg = {}});
    scalars_[known->second].used = time_;
    return known->second;
}
bool LinearLanes::isNeeded(std::uint32_t number) const {
    if (number == Linear::kNone) return false;
    if (scalars_[number].used == time_ || std::ranges::find(alsoNeeded_, number) != alsoNeeded_.end()) return true;
    return std::ranges::any_of(held_, [&](const Held& h) { return h.lanes.scalar == number; });
}
std::optional<Gp> LinearLanes::takeRegister(std::uint32_t number) {
    for (std::size_t i = 0; i < kRegisters; ++i) {
        if (isNeeded(owners_[i])) continue;
        if (owners_[i] != Linear::kNone) scalars_[owners_[i]].reg.reset();
        owners_[i] = number;
        scalars_[number].reg = kPool[i];
        return kPool[i];
    }
    return {};
}
std::optional<Gp> LinearLanes::registerOf(std::uint32_t number) {
    Scalar& s = scalars_[number];
    s.used = time_;
    if (s.reg || s.origin.kind != Kind::home) return s.reg;
    auto reg = takeRegister(number);
    if (!reg) return {};
    const auto place = static_cast<std::int32_t>(s.origin.value);
    switch (s.origin.bytes) {
        case 1:
        case 2:
            a_.movzx(reg->r32(), ptr(state_, place, s.origin.bytes));
            break;
        case 4:
            a_.mov(reg->r32(), ptr(state_, place, 4));
            break;
        default:
            a_.mov(*reg, ptr(state_, place, 8));
    }
    return reg;
}

std::optional<Linear> LinearLanes::fresh(Gp& reg, std::uint32_t bits) {
    const std::uint32_t n = number({Kind::given, static_cast<std::uint32_t>(scalars_.size()), 0, 0, 0, 0});
    const auto taken = takeRegister(n);
    if (!taken) return {};
    reg = *taken;
    scalars_[n].bits = bits;
    return Linear{.scalar = n, .exact = true};
}

/// A number that is computed unless it is in a register already. `emit` is given that register.
template <class F>
std::optional<Linear> LinearLanes::made(const Origin& origin, F&& emit) {
    const std::uint32_t n = number(origin);
    if (!scalars_[n].reg) {
        const auto reg = takeRegister(n);
        if (!reg) return {};
        emit(*reg);
        scalars_[n].bits = origin.bytes == 8 ? 64 : 32;
        scalars_[n].highest = ~0ull;
    }
    return Linear{.scalar = n};
}

std::optional<std::uint32_t> LinearLanes::plain(const Linear& x, std::uint32_t bytes) {
    if (x.scalar == Linear::kNone) {
        const auto constant = made({Kind::constant, 0, 0, 0, x.offset, bytes},
                                   [&](const Gp& to) { a_.mov(sized(to, bytes), Imm(x.offset)); });
        return constant ? std::optional(constant->scalar) : std::nullopt;
    }
    if (x.offset == 0) return x.scalar;
    if (!fits(x.offset)) return {};
    const auto from = registerOf(x.scalar);
    if (!from) return {};
    const auto sum = made({Kind::sum, 0, x.scalar, Linear::kNone, x.offset, bytes}, [&](const Gp& to) {
        a_.lea(sized(to, bytes), ptr(*from, static_cast<std::int32_t>(x.offset)));
    });
    return sum ? std::optional(sum->scalar) : std::nullopt;
}

// ---- arithmetic ----

std::optional<Linear> LinearLanes::sum(const Linear& x, const Linear& y, std::uint32_t bytes) {
    Linear result{.offset = cut(plus(x.offset, y.offset), bytes), .step = cut(plus(x.step, y.step), bytes)};
    if (x.scalar == Linear::kNone || y.scalar == Linear::kNone) {
        result.scalar = std::min(x.scalar, y.scalar);
        return result;
    }
    const auto [low, high] = std::minmax(x.scalar, y.scalar);
    const auto first = registerOf(low);
    const auto second = first ? registerOf(high) : std::nullopt;
    if (!second) return {};
    const auto total = made({Kind::sum, 0, low, high, 0, bytes},
                            [&](const Gp& to) { a_.lea(sized(to, bytes), ptr(*first, *second)); });
    if (!total) return {};
    result.scalar = total->scalar;
    return result;
}

std::optional<Linear> LinearLanes::product(const Linear& x, const Linear& y, std::uint32_t bytes) {
    const auto isConstant = [](const Linear& l) { return l.scalar == Linear::kNone && l.step == 0; };
    if (!isConstant(y)) {
        if (isConstant(x)) return product(y, x, bytes);
        if (x.step != 0 || y.step != 0) return {};
        return combined(Inst::kIdImul, x, y, bytes);
    }
    const std::int64_t by = y.offset;
    if (!fits(by) || !fits(x.offset) || !fits(x.step)) return {};
    Linear result{.offset = cut(x.offset * by, bytes), .step = cut(x.step * by, bytes)};
    if (x.scalar == Linear::kNone || by == 0) return result;
    const auto from = registerOf(x.scalar);
    if (!from) return {};
    const auto times = made({Kind::product, 0, x.scalar, 0, by, bytes},
                            [&](const Gp& to) { a_.imul(sized(to, bytes), sized(*from, bytes), Imm(by)); });
    if (!times) return {};
    result.scalar = times->scalar;
    return result;
}

std::optional<Linear> LinearLanes::shifted(InstId id, const Linear& x, std::uint32_t by, std::uint32_t bytes) {
    constexpr std::uint32_t kMostOfLinear = 30;
    if (id == Inst::kIdShl && by <= kMostOfLinear) return product(x, {.offset = std::int64_t{1} << by}, bytes);
    if (x.step != 0) return {};
    const auto n = plain(x, bytes);
    const auto from = n ? registerOf(*n) : std::nullopt;
    if (!from) return {};
    return made({Kind::operation, id, *n, Linear::kNone, by, bytes}, [&](const Gp& to) {
        a_.mov(sized(to, bytes), sized(*from, bytes));
        a_.emit(id, sized(to, bytes), Imm(by));
    });
}

/// Of numbers, not of lanes that differ.
std::optional<Linear> LinearLanes::combined(InstId id, const Linear& x, const Linear& y, std::uint32_t bytes) {
    if (x.step != 0 || y.step != 0) return {};
    if (x.scalar == Linear::kNone) return y.scalar == Linear::kNone ? std::nullopt : combined(id, y, x, bytes);
    const auto n = plain(x, bytes);
    const auto first = n ? registerOf(*n) : std::nullopt;
    if (!first) return {};
    const bool immediate = y.scalar == Linear::kNone && fits(y.offset) && id != Inst::kIdImul;
    const auto k = immediate ? std::optional(Linear::kNone) : plain(y, bytes);
    const auto second = k && !immediate ? registerOf(*k) : std::nullopt;
    if (!k || (!immediate && !second)) return {};
    return made({Kind::operation, id, *n, *k, immediate ? y.offset : 0, bytes}, [&](const Gp& to) {
        a_.mov(sized(to, bytes), sized(*first, bytes));
        immediate ? a_.emit(id, sized(to, bytes), Imm(y.offset)) : a_.emit(id, sized(to, bytes), sized(*second, bytes));
    });
}

std::optional<Linear> LinearLanes::extended(const Linear& x, const Extent& from, std::uint32_t bytes, bool isSigned) {
    if (from.bytes >= bytes) {
        Linear same = x;
        same.exact = same.exact && from.bytes == bytes;
        return same;
    }
    const std::uint32_t bits = from.bytes * 8;
    if (x.step == 0) {
        const auto n = plain(x, from.bytes == 8 ? 8 : 4);
        const auto reg = n ? registerOf(*n) : std::nullopt;
        if (!reg) return {};
        if (!isSigned && scalars_[*n].bits <= bits) return Linear{.scalar = *n, .exact = true};
        const auto wide = made({Kind::extension, from.bytes, *n, isSigned, 0, 8}, [&](const Gp& to) {
            if (from.bytes == 4)
                isSigned ? a_.movsxd(to, reg->r32()) : a_.mov(to.r32(), reg->r32());
            else if (from.bytes == 2)
                isSigned ? a_.movsx(to, reg->r16()) : a_.movzx(to.r32(), reg->r16());
            else
                isSigned ? a_.movsx(to, reg->r8()) : a_.movzx(to.r32(), reg->r8());
        });
        if (!wide) return {};
        if (!isSigned) scalars_[wide->scalar].bits = bits;
        return Linear{.scalar = wide->scalar, .exact = true};
    }
    // The lanes must not wrap, nor become negative.
    const std::int64_t last = plus(x.offset, times(x.step, from.count - 1));
    const std::int64_t top = (std::int64_t{1} << (bits - isSigned)) - 1;
    if (x.scalar == Linear::kNone || x.offset < 0 || x.step < 0 || last < x.offset || last > top) return {};
    const auto reg = registerOf(x.scalar);
    if (!reg || scalars_[x.scalar].bits > bits) return {};
    if (!x.exact || isSigned) {
        const auto highest = static_cast<std::uint64_t>(top - last);
        if (scalars_[x.scalar].highest > highest) {
            a_.cmp(reg->r32(), Imm(static_cast<std::int32_t>(highest)));
            a_.ja(otherwise_);
            scalars_[x.scalar].highest = highest;
        }
    }
    Linear result = x;
    result.exact = true;
    return result;
}

bool LinearLanes::load(const Gp& to, const Linear& x, std::uint32_t lane, std::uint32_t bytes) {
    const std::int64_t offset = cut(plus(x.offset, times(x.step, lane)), bytes);
    if (x.scalar == Linear::kNone) {
        a_.mov(sized(to, bytes), Imm(offset));
        return true;
    }
    const auto from = registerOf(x.scalar);
    if (!from || !fits(offset)) return false;
    offset == 0 ? a_.mov(sized(to, bytes), sized(*from, bytes))
                : a_.lea(sized(to, bytes), ptr(*from, static_cast<std::int32_t>(offset)));
    return true;
}

// ---- what is held ----

bool LinearLanes::canHold(const Extent& e) noexcept {
    constexpr std::uint32_t kChunk = 16;
    if (e.count == 1) return true;
    const bool close = e.spacing == e.bytes && (e.bytes == 4 || e.bytes == 8);
    const bool apart = (e.bytes == 4 || e.bytes == 2) && e.spacing == 2 * e.bytes;
    return e.count % kChunk == 0 && e.place % layout::kRegisterBytes == 0 && (close || apart);
}
void LinearLanes::hold(const Extent& e, const Linear& lanes, bool home) { held_.push_back({e, lanes, home}); }
std::vector<LinearLanes::Held> LinearLanes::overlapping(const Extent& e) const {
    std::vector<Held> list;
    for (const Held& h : held_)
        if (overlaps(h.extent, e)) list.push_back(h);
    return list;
}
void LinearLanes::forget(const Extent& e) {
    std::erase_if(held_, [&](const Held& h) { return overlaps(h.extent, e); });
}
void LinearLanes::keepOnly(const isa::StateSlots& needed) {
    std::erase_if(held_, [&](const Held& h) {
        bool any = false;
        for (std::uint32_t slot = h.extent.place / layout::kRegisterBytes;
             slot * layout::kRegisterBytes < h.extent.end(); ++slot)
            any = any || needed.contains(slot * layout::kRegisterBytes);
        return !any;
    });
}

bool LinearLanes::isAtHome(const Extent& e) const {
    if (e.count != 1 || e.place >= layout::kNull) return false;
    bool same = true;
    e.eachByte([&](std::uint32_t at) { same = same && !changed_[at]; });
    return same;
}
bool LinearLanes::isHeld(const Extent& e) const {
    return std::ranges::any_of(held_, [&](const Held& h) { return overlaps(h.extent, e); });
}

/// Elements of one or of several that are held, if they are linear together.
std::optional<Linear> LinearLanes::findHeld(const Extent& e) {
    std::optional<Linear> all;
    for (std::uint32_t i = 0; i < e.count;) {
        const std::uint32_t at = e.place + i * e.spacing;
        const auto holds = [&](const Held& h) {
            const Extent& x = h.extent;
            const bool low = e.count == 1 && x.bytes >= e.bytes;
            if (!(x.bytes == e.bytes || low) || at < x.place || at >= x.end()) return false;
            return x.count == 1 ? at == x.place
                                : (at - x.place) % x.spacing == 0 && (e.count == 1 || x.spacing == e.spacing);
        };
        const auto found = std::ranges::find_if(held_, holds);
        if (found == held_.end()) return {};
        const Extent& x = found->extent;
        const std::uint32_t skipped = x.count == 1 ? 0 : (at - x.place) / x.spacing;
        Linear part = found->lanes;
        part.offset = plus(part.offset, times(part.step, skipped));
        part.exact = part.exact && x.bytes == e.bytes;
        const std::uint32_t count = std::min(x.count - skipped, e.count - i);
        if (e.count > 1 && (x.count == 1 || x.spacing != e.spacing)) return {};
        if (!all) {
            all = part;
        } else {
            if (part.scalar != all->scalar || part.step != all->step ||
                part.offset != plus(all->offset, times(all->step, i)))
                return {};
            all->exact = all->exact && part.exact;
        }
        i += count;
    }
    if (e.count == 1) all->step = 0;
    if (all->scalar != Linear::kNone) scalars_[all->scalar].used = time_;
    return all;
}

std::optional<Linear> LinearLanes::find(const Extent& e) {
    if (const auto held = findHeld(e)) return held;
    if (isHeld(e) || !isAtHome(e)) return {};
    const std::uint32_t n = number({Kind::home, 0, 0, 0, e.place, e.bytes});
    scalars_[n].bits = e.bytes * 8;
    return Linear{.scalar = n, .exact = true};
}

}  // namespace zetl::emulator::translate
