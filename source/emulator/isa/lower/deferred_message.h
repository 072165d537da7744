// Messages whose descriptor is in a register. They are lowered while the kernel runs, when a thread first arrives with
// a new value.
//
// The steps are kept for all further threads with that value. Only few values occur at one place.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {

/// One such message in one version of a program. Thread-safe.
class DeferredMessage {
  public:
    DeferredMessage(Program::Code& code, const StepTable& table, const Instruction& in, const MessagePlace& place)
        : code_(code), table_(table), in_(in), place_(place) {}

    /// The first step for the descriptor in the thread's registers; the last one goes on at `next`. A message that
    /// cannot be executed becomes a step that faults. Null if the host is out of memory.
    const Step* stepsFor(const Thread& thread, const Step* next) noexcept;

  private:
    struct Lowered {
        std::uint64_t descriptor;
        std::uint32_t extended;
        std::vector<Step> steps;
        const Lowered* older;
    };
    const Step* find(const Message& message) const noexcept;
    const Step* lower(const Message& message, const Step* next);
    std::vector<Step> stepsOf(const Message& message, const Step* next);

    Program::Code& code_;
    const StepTable& table_;
    const Instruction& in_;
    const MessagePlace place_;
    std::atomic<const Lowered*> newest_{nullptr};
    std::deque<Lowered> all_;  // guarded by the code's mutex for deferred messages
};

const Step* deferred(Thread&, const Step*);  // src[0] = DeferredMessage
const Step* goOn(Thread&, const Step*);      // src[0] = the next step, value = what the message is charged

}  // namespace zetl::emulator::isa
