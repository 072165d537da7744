#include "emulator/isa/lower/deferred_message.h"

#include <new>

#include "emulator/isa/code.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/register_descriptor.h"
#include "emulator/isa/work.h"
#include "isa/xe/legacy_message.h"

namespace zetl::emulator::isa {
namespace {

constexpr std::size_t kMaxDescriptors =
    256;  // at one place: a kernel that counts in its descriptor must not eat the host

}  // namespace

const Step* DeferredMessage::find(const Message& m) const noexcept {
    for (const Lowered* l = newest_.load(std::memory_order_acquire); l; l = l->older)
        if (l->descriptor == m.descriptor && l->extended == m.extended) return l->steps.data();
    return nullptr;
}

const Step* DeferredMessage::stepsFor(const Thread& thread, const Step* next) noexcept {
    const Message message = resolved(in_.message, thread);
    if (const Step* known = find(message)) return known;
    try {
        const Lock guard(code_.deferredMutex);
        const Step* known = find(message);
        return known ? known : lower(message, next);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

/// What the message becomes; a step that faults if it cannot be executed.
std::vector<Step> DeferredMessage::stepsOf(const Message& message, const Step* next) {
    Instruction in = in_;
    in.message = message;
    in = modernForm(in);
    StepList list;
    MessageLowering lowering(code_, table_, in, place_, list);
    try {
        if (all_.size() >= kMaxDescriptors)
            refuseMessage(std::string(messageName(message.function)) + " with too many descriptors in its register");
        lowerByFunction(lowering);
        Step& last = lowering.emit(goOn);
        last.src[0] = reinterpret_cast<std::uint64_t>(next);
        last.value = static_cast<std::int32_t>(chargeFor(in));
    } catch (const Refusal& r) {
        list.resize(0);
        Step& s = lowering.emit(refuse);
        s.kind = static_cast<std::uint8_t>(r.kind);
        s.src[0] = reinterpret_cast<std::uint64_t>(code_.name(r.what));
    }
    return std::move(list.steps);
}

const Step* DeferredMessage::lower(const Message& message, const Step* next) {
    std::vector<Step> steps = stepsOf(message, next);
    Lowered& l = all_.size() <= kMaxDescriptors ? all_.emplace_back() : all_.back();
    if (!l.steps.empty()) return l.steps.data();  // the refusal of all that are too many
    l = {message.descriptor, message.extended, std::move(steps), newest_.load(std::memory_order_relaxed)};
    newest_.store(&l, std::memory_order_release);
    return l.steps.data();
}

const Step* deferred(Thread& t, const Step* m) {
    if (const Step* first = reinterpret_cast<DeferredMessage*>(m->src[0])->stepsFor(t, m + 1)) return first;
    Fault f;
    f.kind = FaultKind::unsupportedMessage;
    f.what = "a message of which the host has no memory to decode the descriptor";
    return fail(t, m, f);
}
const Step* goOn(Thread& t, const Step* m) {
    const auto next = reinterpret_cast<const Step*>(m->src[0]);
    charge(t, static_cast<std::uint64_t>(m->value));
    return t.fuel < 0 && next->line != m->line ? pauseBefore(t, next) : next;
}

}  // namespace zetl::emulator::isa
