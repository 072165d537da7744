// Steps that change where a thread is or which lanes are on. There is one mechanism: a lane that is off waits for an
// address, and the instruction at that address turns it on again.
#pragma once

#include "emulator/isa/step.h"

namespace zetl::emulator::isa {

// Parameters: dst = JIP line, value = UIP line, extra = address at which taken lanes wait, src[0] = address for the
// others.
const Step* jump(Thread&, const Step*);            // jmpi; src[0] = the target step
const Step* jumpToRegister(Thread&, const Step*);  // jmpi; src[0] = distance, extra = its own address
const Step* forkToRegister(Thread&,
                           const Step*);         // brd, brc; src[0], src[1] = distances to JIP and UIP, extra as above
const Step* fork(Thread&, const Step*);          // goto, brc, break, cont, halt: taken lanes wait at extra
const Step* forkBackward(Thread&, const Step*);  // goto.b: taken lanes go, the others wait
const Step* join(Thread&, const Step*);          // join, endif; extra = its own address
const Step* arrive(Thread&, const Step*);        // lanes waiting for an address that is no join; extra = the address
const Step* branchIf(Thread&, const Step*);      // lanes without the predicate wait at extra
const Step* branchElse(Thread&,
                       const Step*);  // lanes that are on wait at extra, the others start; src[0] = address behind it
const Step* loopWhile(Thread&, const Step*);  // src[0] = address behind it, value = line behind it, dst = loop start
const Step* call(Thread&, const Step*);       // kind 0 fixed line in value, 1 relative register, 2 absolute register
const Step* ret(Thread&, const Step*);
inline constexpr std::uint32_t kBarriers = 32;       // per work-group
const Step* waitBarrier(Thread&, const Step*);       // kind = barrier id
const Step* waitNamedBarrier(Thread&, const Step*);  // src[0] = place of the id, a word
const Step* signalBarrier(Thread&, const Step*);     // src[0] = payload
const Step* composeBarrier(Thread&, const Step*);    // a payload in kRaw for barrier 0; src[0] = a copy of r0
const Step* finish(Thread&, const Step*);            // end of thread

const Step* refuse(Thread&, const Step*);  // kind = FaultKind, src[0] = its name
const Step* marker(Thread&, const Step*);  // does nothing: a place for breakpoints
const Step* memoryFence(Thread&, const Step*);
const Step* applyControl(Thread&, const Step*);     // after a write to cr0
const Step* applyDoubleMode(Thread&, const Step*);  // denormals as df asks, see float_mode.h
const Step* refresh(Thread&, const Step*);   // kind = ArchitectureRegister that is computed when read; value = ip
const Step* observed(Thread&, const Step*);  // replaces a watched line's first step

}  // namespace zetl::emulator::isa
