// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Host code that reports lines to observers, like watched steps (isa/observe.h).
#include "emulator/translate/flow/report.h"

#include <algorithm>
#include <iterator>

namespace zetl::emulator::translate {

using namespace asmjit::x86;

namespace {

void tellObserver(isa::LineObserver& observer, isa::Thread& thread, isa::Line line) noexcept {
    observer.beforeLine(thread, line);
}

}  // namespace

/// Of a line that has steps, and of those without any in front of it.
void Reporting::tellOf(Line line) {
    if (reported_.empty() || line >= code_.lines()) return;
    const auto& start = code_.body[host_.body].start;
    const auto other = std::find_if(std::make_reverse_iterator(start.begin() + line), start.rend(),
                                    [at = start[line]](auto begin) { return begin != at; });
    for (auto told = static_cast<Line>(start.rend() - other); told <= line; ++told)
        for (const isa::Reported& reported : reported_)
            if (reported.contains(told)) tell(reported, told);
}

/// A call for each observer: one that asked every line who watches it would cost a single observer more.
void Reporting::tell(const isa::Reported& reported, Line line) {
    if (reported.isIdle(line)) return tellUnlessIdle(reported, line);
    if (reported.isLocalRead(line))
        if (const auto read = settledReads_.readOf(line)) return tellUnlessSettled(reported, *read);
    host_.leaveBlock();
    call(*reported.to, line);
}

/// Nearly always the observer is idle, and then registers stay where they are.
void Reporting::tellUnlessIdle(const isa::Reported& reported, Line line) {
    const Label told = host_.seldomLabel();
    auto unstored = cache_.defer(0);
    a_.test(field(offsetof(isa::Thread, idle), 1), reported.idleBit);
    a_.jz(told);
    tellIfUsed(reported.usedBy(line), told);
    host_.otherwiseCall(told, std::move(unstored), [this, to = reported.to, line] { call(*to, line); });
}

/// Nearly all that threads read of local memory, they alone or all of them read.
void Reporting::tellUnlessSettled(const isa::Reported& reported, const SettledReads::Read& read) {
    const std::uint32_t place = read.access.addresses;
    if (place % RegisterCache::kSlotBytes != 0)
        cache_.store(place, read.chunks * kMessageLanes * std::uint32_t{sizeof(std::uint32_t)});
    const Label told = host_.seldomLabel();
    auto unstored = cache_.defer(read.registers());
    settledReads_.settle(read, told);
    host_.otherwiseCall(told, std::move(unstored), [this, to = reported.to, line = read.line] { call(*to, line); });
}

void Reporting::tellIfUsed(const isa::Followed& used, const Label& told) {
    constexpr std::uint32_t kHalves = 2;  // the host compares no more than 32 bits with what an instruction holds
    for (std::uint32_t half = 0; half < kHalves * used.size(); ++half) {
        const auto bits = static_cast<std::uint32_t>(used[half / kHalves] >> half % kHalves * 32);
        if (bits == 0) continue;
        a_.test(field(offsetof(isa::Thread, followed) + half * sizeof bits, sizeof bits), bits);
        a_.jnz(told);
    }
}

void Reporting::call(isa::LineObserver& observer, Line line) {
    a_.vzeroupper();
    a_.mov(rdi, reinterpret_cast<std::uint64_t>(&observer));
    a_.mov(rsi, rbx);
    a_.mov(edx, line);
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&tellObserver));
    a_.call(rax);
}

}  // namespace zetl::emulator::translate
