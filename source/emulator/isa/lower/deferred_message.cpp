#include "emulator/isa/lower/deferred_message.h"

#include <new>

#include "emulator/isa/code.h"
#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/lower/message.h"
#include "emulator/isa/register_descriptor.h"

namespace zetl::emulator::isa {
namespace {

constexpr size_t kMaxDescriptors = 256;  // at one place: a kernel that counts in its descriptor must not eat the host

/// Steps of one message on their own, outside of the program's body.
class Collector final : public MessageLowering {
  public:
    Collector(Program::Code& code, const StepTable& table, const Instruction& in, const DeferredMessage::Place& place)
        : MessageLowering(code, table, in, place.allLanesOn, place.window), line_(place.line) {}
    Step& emit(Handler run) override {
        constexpr unsigned kChunkLanes = 16;
        if (!run) refuseIllegal("operand types");
        Step& s = steps.emplace_back();
        s.run = run, s.mask = laneMaskOf(in), s.line = line_, s.extra = window;
        s.chunks = in.width > kChunkLanes ? 2 : 1;
        return s;
    }
    uint64_t constant(uint64_t value, uint32_t bytes) override {
        std::array<uint64_t, 32> lanes;
        lanes.fill(bytes == 8 ? value : value << 32 | value);
        return code.constant(lanes);
    }
    void refuse(const Refusal& r) {
        steps.clear();
        Step& s = emit(isa::refuse);
        s.kind = static_cast<uint8_t>(r.kind), s.src[0] = reinterpret_cast<uint64_t>(code.name(r.what));
    }

    std::vector<Step> steps;

  private:
    const Line line_;
};

}  // namespace

const Step* DeferredMessage::find(const Message& m) const noexcept {
    for (const Lowered* l = newest_.load(std::memory_order_acquire); l; l = l->older)
        if (l->descriptor == m.descriptor && l->extended == m.extended) return l->steps.data();
    return nullptr;
}

const Step* DeferredMessage::stepsFor(const Thread& thread, const Step* next) noexcept {
    const Message message = resolved(place_.instruction.message, thread);
    if (const Step* known = find(message)) return known;
    try {
        const std::lock_guard guard(code_.deferredMutex);
        const Step* known = find(message);
        return known ? known : lower(message, next);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

const Step* DeferredMessage::lower(const Message& message, const Step* next) {
    Instruction in = place_.instruction;
    in.message = message;
    in = modernForm(in);
    Collector collector(code_, table_, in, place_);
    try {
        if (all_.size() >= kMaxDescriptors)
            refuseMessage(std::string(messageName(message.function)) + " with too many descriptors in its register");
        lowerByFunction(collector);
        collector.emit(goOn).src[0] = reinterpret_cast<uint64_t>(next);
    } catch (const Refusal& r) {
        collector.refuse(r);
    }
    Lowered& l = all_.size() <= kMaxDescriptors ? all_.emplace_back() : all_.back();
    if (!l.steps.empty()) return l.steps.data();  // the refusal of all that are too many
    l = {message.descriptor, message.extended, std::move(collector.steps), newest_.load(std::memory_order_relaxed)};
    newest_.store(&l, std::memory_order_release);
    return l.steps.data();
}

const Step* deferred(Thread& t, const Step* m) {
    if (const Step* first = reinterpret_cast<DeferredMessage*>(m->src[0])->stepsFor(t, m + 1)) return first;
    Fault f;
    f.kind = FaultKind::unsupportedMessage,
    f.what = "a message of which the host has no memory to decode the descriptor";
    return fail(t, m, f);
}
const Step* goOn(Thread&, const Step* m) { return reinterpret_cast<const Step*>(m->src[0]); }

}  // namespace zetl::emulator::isa
