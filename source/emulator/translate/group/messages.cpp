// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/group/messages.h"

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::LaneAccess;
using isa::Thread;

namespace {

/// The bytes that a message moves for a lane, and in a thread.
std::uint32_t laneBytesOf(const isa::Step& m, const Meaning& what) {
    return LaneAccess::of(m).components * elementBytes(what.laneForm());
}
std::uint32_t bytesOf(const isa::Step& m, const Meaning& what) { return m.chunks * 16u * laneBytesOf(m, what); }

/// Not elements of less than a dword, for which the host has no instruction, and not structures that are stored, which
/// might overlap.
bool mayLieApart(const isa::Step& m, const Meaning& what) {
    return elementBytes(what.laneForm()) >= 4 && (!what.laneForm().write || LaneAccess::of(m).components == 1);
}

}  // namespace

/// A load or store of all lanes: one check and whole vectors if they run on, else one check of all and a gather or
/// scatter. What neither can do leaves the loop.
bool GroupMessages::access(const PlannedStep& step, const Label& refused) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    const auto access = LaneAccess::of(m);
    if (inMemoryOrder_ && access.components != 1) return false;
    const std::uint32_t laneBytes = laneBytesOf(m, what);
    const bool anyhow = mayLieApart(m, what);
    const Label apart = anyhow ? a_.newLabel() : refused;
    const Label done = a_.newLabel();
    // The same registers whichever way is taken. Behind the branch a constant would be taken for loaded on all ways.
    GroupLanes lanes{{access_.distances(laneBytes, 0), access_.distances(laneBytes, 1)}, {}, {}};
    lanes.addresses = addressesOf(m);
    lanes.data = dataOfRun(m, what);
    unlessRunning(lanes, laneBytes, apart);
    a_.mov(rcx, rax);
    findInLimit(m, what, refused);
    a_.forgetIntermediates();
    expect(bytesOf(m, what), step.leads);
    moveRun(m, what, lanes.data);
    a_.forgetTemporaries();
    a_.bind(done);
    traffic_[*access_.trafficOf(what.laneForm().space, what.laneForm().write).cell] +=
        static_cast<std::int32_t>(bytesOf(m, what));
    if (!anyhow) return true;
    host_.seldom([this, &m, &what, apart, done, lanes, refused] {
        a_.bind(apart);
        moveApart(m, what, lanes, done, refused);
        a_.forgetTemporaries();
        a_.jmp(done);
    });
    return true;
}

void GroupMessages::loadBlock(const Step& m, const Label& refused) {
    const auto access = isa::BlockAccess::of(m);
    cache_.store(access.address, sizeof(std::uint64_t));
    a_.mov(rax, state(access.address, sizeof(std::uint64_t)));
    loadBlockAtRax(m, refused);
}
void GroupMessages::loadBlockAtRax(const Step& m, const Label& refused) {
    const auto access = isa::BlockAccess::of(m);
    blocks_.load(access, access_.areaOf(access.space, false, m), refused);
    traffic_[*access_.trafficOf(access.space, false).cell] += static_cast<std::int32_t>(access.bytes);
}

/// In registers, by eight lanes.
std::vector<Zmm> GroupMessages::addressesOf(const Step& m) {
    std::vector<Zmm> addresses;
    for (std::uint32_t v = 0; v < m.chunks * 2u; ++v)
        addresses.push_back(cache_.read(LaneAccess::of(m).addresses + v * RegisterCache::kSlotBytes));
    return addresses;
}

/// Registers that a message moves, by sixteen lanes and component.
std::vector<Zmm> GroupMessages::dataOfRun(const Step& m, const Meaning& what) {
    Lanes16 l = lanesOf(m, what);
    std::vector<Zmm> data;
    for (; l.chunk < m.chunks; ++l.chunk)
        for (std::uint32_t k = 0; k < l.access.components; ++k)
            for (std::uint32_t part = 0; part < (l.bytes == 8 ? 2u : 1u); ++part)
                data.push_back(what.laneForm().write ? access_.dataOf(l, k, part) : access_.resultOf(l, k, part));
    return data;
}

Lanes16 GroupMessages::lanesOf(const Step& m, const Meaning& what) const {
    return {.access = LaneAccess::of(m),
            .area = access_.areaOf(what.laneForm().space, what.laneForm().write, m),
            .refused = {},
            .space = what.laneForm().space,
            .bytes = elementBytes(what.laneForm()),
            .whole = true};
}

void GroupMessages::findAllInLimit(const Step& m, const Meaning& what, const std::vector<Zmm>& addresses,
                                   const Label& refused) {
    constexpr std::uint8_t kGreater = 6;
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    a_.vpbroadcastq(zmm0, *access_.areaOf(what.laneForm().space, what.laneForm().write, m).begin);
    for (std::size_t v = 0; v < addresses.size(); ++v) {
        a_.vpsubq(offsets[v], addresses[v], zmm0);
        if (v != 0) a_.vpmaxuq(zmm5, v == 1 ? offsets[0] : zmm5, offsets[v]);
    }
    a_.mov(r11, limitOf(m, what));
    a_.add(r11, static_cast<std::int32_t>(bytesOf(m, what) - laneBytesOf(m, what)));
    a_.vpbroadcastq(zmm0, r11);
    a_.vpcmpuq(k3, zmm5, zmm0, kGreater);
    a_.kortestb(k3, k3);
    a_.forgetTestedMasks();
    a_.jnz(refused);
}

/// Lanes that do not all run on.
void GroupMessages::moveApart(const Step& m, const Meaning& what, const GroupLanes& lanes, const Label& done,
                              const Label& refused) {
    const std::uint32_t components = LaneAccess::of(m).components;
    findAllInLimit(m, what, lanes.addresses, refused);
    a_.mov(rcx, access_.areaOf(what.laneForm().space, what.laneForm().write, m).host);
    if (components == 1) moveEights(what, lanes, done);
    for (std::uint32_t k = 0; k < components; ++k) moveLanes(what, lanes, k, components);
}

/// Moves one component of each lane, at the offsets in zmm1 to zmm4. Lanes that share memory are written in their
/// order, as by the step.
void GroupMessages::moveLanes(const Meaning& what, const GroupLanes& lanes, std::uint32_t component,
                              std::uint32_t components) {
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    const bool wide = elementBytes(what.laneForm()) == 8;
    a_.kxnorb(k5, k5, k5);
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        const Mem memory = ptr(rcx, offsets[v], 0, static_cast<std::int32_t>(component * (wide ? 8 : 4)));
        const std::size_t vectors = wide ? 2 : 1;  // of sixteen lanes
        const Zmm& all = lanes.data[(v / 2 * components + component) * vectors + (wide ? v % 2 : 0)];
        const bool high = !wide && v % 2 != 0;
        a_.kmovb(k3, k5);
        if (what.laneForm().write) {
            if (high) a_.vextracti64x4(ymm5, all, 1);
            wide ? a_.k(k3).vpscatterqq(memory, all) : a_.k(k3).vpscatterqd(memory, high ? ymm5 : all.ymm());
        } else if (wide) {
            a_.vpxorq(all, all, all);
            a_.k(k3).vpgatherqq(all, memory);
        } else {
            const Zmm part = high ? zmm5 : zmm0;
            a_.vpxorq(part, part, part);
            a_.k(k3).vpgatherqd(part.ymm(), memory);
            if (high) a_.vinserti64x4(all, zmm0, ymm5, 1);
        }
    }
}

/// For eight lanes whose addresses follow the first one's, as in groups with rows of eight or sixteen. The offsets are
/// in zmm1 to zmm4.
void GroupMessages::moveEights(const Meaning& what, const GroupLanes& lanes, const Label& done) {
    constexpr std::uint8_t kOrDiffers = 0xf6;  // a | (b ^ c)
    const std::array offsets{zmm1, zmm2, zmm3, zmm4};
    const bool wide = elementBytes(what.laneForm()) == 8;
    const Label scattered = a_.newForwardLabel();
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        a_.vpbroadcastq(zmm0, offsets[v].xmm());
        a_.vpaddq(zmm0, zmm0, lanes.distance[0]);
        v == 0 ? a_.vpxorq(zmm5, zmm0, offsets[v]) : a_.vpternlogq(zmm5, zmm0, offsets[v], kOrDiffers);
    }
    a_.vptestmq(k3, zmm5, zmm5);
    a_.kortestb(k3, k3);
    a_.forgetTestedMasks();
    a_.jnz(scattered);
    for (std::size_t v = 0; v < lanes.addresses.size(); ++v) {
        const Zmm& all = lanes.data[wide ? v : v / 2];
        a_.vmovq(rdx, offsets[v].xmm());
        const Mem memory = ptr(rcx, rdx);
        if (wide) {
            what.laneForm().write ? a_.vmovdqu64(memory, all) : a_.vmovdqu64(all, memory);
        } else if (what.laneForm().write) {
            if (v % 2 != 0) a_.vextracti64x4(ymm5, all, 1);
            a_.vmovdqu64(memory, v % 2 != 0 ? ymm5 : all.ymm());
        } else {
            a_.vmovdqu64(v % 2 != 0 ? ymm5 : ymm0, memory);
            if (v % 2 != 0) a_.vinserti64x4(all, zmm0, ymm5, 1);
        }
    }
    a_.jmp(done);
    a_.bind(scattered);
}

/// The address in rcx becomes a host address, if all bytes that a thread moves are in the allocation.
void GroupMessages::findInLimit(const Step& m, const Meaning& what, const Label& refused) {
    const Area area = access_.areaOf(what.laneForm().space, what.laneForm().write, m);
    a_.sub(rcx, *area.begin);
    a_.cmp(rcx, limitOf(m, what));
    a_.ja(refused);
    a_.add(rcx, area.host);
}

/// Of a load whose data will be addresses, at rcx: it is expected to go on where the one of the thread before ended. If
/// it does, the host has the data as soon as it has guessed so, long before it has worked out where they are.
void GroupMessages::expect(std::uint32_t bytes, bool leads) {
    if (!leads || expected_ == Thread::kExpected) return;
    const Mem expected = field(offsetof(Thread, expected) + sizeof(std::uint64_t) * expected_++, 8);
    const Label elsewhere = host_.seldomLabel();
    const Label found = a_.newLabel();
    a_.mov(rdx, expected);
    a_.cmp(rdx, rcx);
    a_.jne(elsewhere);
    a_.bind(found);
    a_.mov(rcx, rdx);
    a_.add(rdx, bytes);
    a_.mov(expected, rdx);
    host_.seldom([this, elsewhere, found] {
        a_.bind(elsewhere);
        a_.mov(rdx, rcx);
        a_.jmp(found);
    });
}

/// Moves lanes with successive addresses from rcx on.
void GroupMessages::moveRun(const Step& m, const Meaning& what, const std::vector<Zmm>& data) {
    const Lanes16 l = lanesOf(m, what);
    const bool write = what.laneForm().write;
    if ((l.access.components == 1 || inMemoryOrder_) && l.bytes >= 4) {
        for (std::size_t v = 0; v < data.size(); ++v) {
            const Mem memory = ptr(rcx, static_cast<std::int32_t>(v * RegisterCache::kSlotBytes), 64);
            write ? a_.vmovdqu32(memory, data[v]) : a_.vmovdqu32(data[v], memory);
        }
        return;
    }
    const auto each = static_cast<std::ptrdiff_t>(data.size() / m.chunks);
    for (std::uint8_t chunk = 0; chunk < m.chunks; ++chunk) {
        const auto first = data.begin() + chunk * each;
        const std::vector<Zmm> part(first, first + each);
        if (chunk != 0) a_.add(rcx, static_cast<std::int32_t>(bytesOf(m, what) / m.chunks));
        lanes_.moveRun(l, part, write);
    }
}

/// The windows do not change while host code runs: how far into each an access may begin is worked out once.
void GroupMessages::findLimits(const GroupPlan& plan, std::int32_t place) {
    limitsAt_ = place;
    for (const auto& line : plan.always)
        for (std::size_t i = 0; i < line.steps.size(); ++i) {
            const Meaning* const what = line.meanings[i];
            if (what == nullptr || what->family != Family::laneAccess) continue;
            const Area area = access_.areaOf(what->laneForm().space, what->laneForm().write, line.steps[i]);
            const auto next = static_cast<std::int32_t>(limits_.size());
            limits_.try_emplace({area.bytes.offsetLo32(), bytesOf(line.steps[i], *what)}, next);
        }
}

void GroupMessages::storeLimits(const Label& none) {
    for (const auto& [access, number] : limits_) {
        const auto& [window, bytes] = access;
        a_.mov(rax, ptr(rbx, window, 8));
        a_.sub(rax, static_cast<std::int32_t>(bytes));
        a_.jb(none);
        a_.mov(ptr(rsp, limitsAt_ + 8 * number, 8), rax);
    }
}

Mem GroupMessages::limitOf(const Step& m, const Meaning& what) const {
    const Area area = access_.areaOf(what.laneForm().space, what.laneForm().write, m);
    const std::int32_t number = limits_.at({area.bytes.offsetLo32(), bytesOf(m, what)});
    return ptr(rsp, limitsAt_ + 8 * number, 8);
}

/// Whether the addresses of all lanes run on from the first one's, which is in rax then. Most that do not differ among
/// the first eight.
void GroupMessages::unlessRunning(const GroupLanes& lanes, std::uint32_t bytes, const Label& otherwise) {
    constexpr std::uint32_t kPerVector = 8;
    constexpr std::uint8_t kOrDiffers = 0xf6;  // a | (b ^ c)
    constexpr std::uint8_t kDiffers = 4;
    const auto& [distance, addresses, data] = lanes;
    a_.vpbroadcastq(zmm0, addresses[0].xmm());
    a_.vpsubq(zmm1, addresses[0], distance[0]);
    a_.vpcmpuq(k3, zmm1, zmm0, kDiffers);
    a_.kortestb(k3, k3);
    a_.forgetTestedMasks();
    a_.jnz(otherwise);
    a_.vmovq(rax, addresses[0].xmm());
    for (std::uint32_t v = 1; v < addresses.size(); ++v) {
        if (v == 2) {
            a_.lea(rdx, ptr(rax, static_cast<std::int32_t>(2 * kPerVector * bytes)));
            a_.vpbroadcastq(zmm0, rdx);
        }
        a_.vpsubq(zmm2, addresses[v], distance[v % 2]);
        v == 1 ? a_.vpxorq(zmm1, zmm2, zmm0) : a_.vpternlogq(zmm1, zmm2, zmm0, kOrDiffers);
    }
    a_.vptestmq(k3, zmm1, zmm1);
    a_.kortestb(k3, k3);
    a_.forgetTestedMasks();
    a_.jnz(otherwise);
}

}  // namespace zetl::emulator::translate
