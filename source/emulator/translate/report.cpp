// Host code that tells an observer of lines, as watched steps do (isa/observe.h).
#include "emulator/translate/emitter.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

namespace {

void tellObserver(isa::LineObserver& observer, isa::Thread& thread, isa::Line line) noexcept {
    observer.beforeLine(thread, line);
}

}  // namespace

/// Of a line that has steps, and of those without any in front of it.
void Emitter::tellOf(Line line) {
    if (reported_ == nullptr || line >= code_.lines()) return;
    const auto& start = code_.body[body_].start;
    Line first = line;
    while (first > 0 && start[first - 1] == start[line]) --first;
    for (; first <= line; ++first)
        if (first < reported_->lines.size() && reported_->lines[first]) tell(first);
}

void Emitter::tell(Line line) {
    leaveBlock();
    a_.vzeroupper();
    a_.mov(rdi, reinterpret_cast<std::uint64_t>(reported_->to));
    a_.mov(rsi, rbx);
    a_.mov(edx, line);
    a_.mov(rax, reinterpret_cast<std::uint64_t>(&tellObserver));
    a_.call(rax);
    if (static_cast<isa::Version>(body_) == isa::Version::masked) loadWaiting();
}

}  // namespace zetl::emulator::translate
