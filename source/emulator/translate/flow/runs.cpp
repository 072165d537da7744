// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/flow/runs.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;

/// Counts the straight-line run that ends with the step, but does not set where the next one begins.
void Runs::count(const Step& m) {
    const Line end = m.line + 1;
    const auto cell = [](Line line) { return static_cast<std::int32_t>(line * sizeof(std::int64_t)); };
    const Label uncounted = a_.newLabel();
    if (!entered_) a_.mov(eax, field(offsetof(Thread, entered), 4));
    if (common_.contains(m.line)) common_.noteRun(entered_, end);
    a_.mov(rcx, field(offsetof(Thread, runs), 8));
    a_.test(rcx, rcx);
    a_.short_().jz(uncounted);
    a_.dec(ptr(rcx, cell(end), 8));
    entered_ ? a_.inc(ptr(rcx, cell(*entered_), 8)) : a_.inc(ptr(rcx, rax, 3, 0, 8));
    a_.bind(uncounted);
    if (entered_) {
        const std::uint32_t charge = code_.chargeOf(*entered_, end);
        if (charge != 0) a_.add(field(offsetof(Thread, charged), 8), charge);
        a_.sub(field(offsetof(Thread, fuel), 8), end - *entered_ + charge);
        return;
    }
    a_.mov(edx, end);
    a_.sub(rdx, rax);
    addCharge(end);
    a_.sub(field(offsetof(Thread, fuel), 8), rdx);
}

/// What the lines from the one in rax on are charged, to rdx.
void Runs::addCharge(Line end) {
    if (code_.charges[end] == 0) return;
    a_.mov(rcx, reinterpret_cast<std::uint64_t>(code_.charges.data()));
    a_.mov(ecx, ptr(rcx, rax, 2, 0, 4));
    a_.mov(eax, code_.charges[end]);
    a_.sub(rax, rcx);
    a_.add(field(offsetof(Thread, charged), 8), rax);
    a_.add(rdx, rax);
}

void Runs::enterAt(Line line) { a_.mov(field(offsetof(Thread, entered), 4), line); }

}  // namespace zetl::emulator::translate
