// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/additions.h"

#include "emulator/isa/pending_additions.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using isa::Thread;

namespace {

/// For code that has none of its registers in the host's.
void flushAdditions(Thread& t) { t.additions->flush(); }

}  // namespace

/// Before memory is touched in another way.
void Additions::unlessPending(const Label& otherwise) {
    if (!mayPend_) return;
    const Label none = a_.newLabel();
    a_.mov(rdx, field(offsetof(Thread, additions), 8));
    a_.test(rdx, rdx);
    a_.jz(none);
    a_.cmp(ptr(rdx, offsetof(isa::PendingAdditions, pending), 4), 0);
    a_.jne(otherwise);
    a_.bind(none);
}

/// Called before code that may observe them; keeps rax, but no other register.
void Additions::flush() {
    const Label some = a_.newLabel();
    const Label none = a_.newLabel();
    if (!mayPend_) return;
    unlessPending(some);
    a_.jmp(none);
    a_.bind(some);
    a_.vzeroupper();
    a_.push(rax);
    a_.sub(rsp, 8);
    a_.mov(rdi, rbx);
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&flushAdditions));
    a_.call(rax);
    a_.add(rsp, 8);
    a_.pop(rax);
    a_.bind(none);
}

}  // namespace zetl::emulator::translate
