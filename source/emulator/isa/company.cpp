#include "emulator/isa/company.h"

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/going_on.h"
#include "emulator/isa/stop.h"

namespace zetl::emulator::isa {

void Company::begin(GroupBarrier& first, std::int64_t quantum) noexcept {
    meeting_ = {&first, nullptr};
    any_ = nullptr;
    quantum_ = quantum;
}

void Company::join(Thread& t, std::uint32_t& signalledIn) noexcept {
    Thread& next = any_ == nullptr ? t : *any_;
    Thread& before = any_ == nullptr ? t : *any_->companion.before;
    t.companion = {&meeting_, &next, &before, &signalledIn, nullptr};
    next.companion.before = &t;
    before.companion.next = &t;
    if (any_ == nullptr) any_ = &t;
    t.fuel = quantum_;
    t.charged = 0;
}

Thread& Company::run(Thread& first, bool setsMode) noexcept {
    meeting_.running = &first;
    first.companion.goesOnAt = nullptr;
    if (!relocate(first)) return first;
    passOver(first);
    const bool waited = first.status == Status::atBarrier;
    first.status = Status::ready;
    if (!setsMode) setFloatMode(first);
    if (stepOnly(first, waited)) return first;
    for (const Step* m = first.pc->handler()(first, first.pc); m != nullptr;) {
        meeting_.running->strayed = true;
        m = m->handler()(*meeting_.running, m);
    }
    Thread& last = *meeting_.running;
    last.at<std::uint32_t>(kControl2) = last.ip();
    return last;
}

// All leave at once, so nothing is taken out of the ring.
std::uint64_t Company::end() noexcept {
    std::uint64_t all = 0;
    for (Thread* t = any_; t != nullptr;) {
        const std::int64_t work = quantum_ - t->fuel;
        t->executed += static_cast<std::uint64_t>(work - t->charged);
        all += static_cast<std::uint64_t>(work);
        Thread* const next = t->companion.next;
        t->companion = {};
        t = next == any_ ? nullptr : next;
    }
    any_ = nullptr;
    return all;
}

}  // namespace zetl::emulator::isa
