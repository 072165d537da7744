// The one interface between the machine and the tools that watch it.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/isa/decode/memory_space.h"
#include "emulator/machine/fault.h"
#include "emulator/machine/thread_id.h"

namespace zetl::emulator::machine {

class Dispatch;

/// Where an event took place. Valid during the call.
struct Where {
    Dispatch& dispatch;
    std::array<uint32_t, 3> group;
    uint32_t threadInGroup;
    ThreadId thread;
    uint64_t ip;     ///< instruction address
    uint32_t lanes;  ///< active lanes
};

struct MemoryAccess {
    isa::MemorySpace space;
    Access access;
    uint32_t lane;
    uint64_t address;  ///< offset except for global
    uint32_t bytes;
};

struct MessageEvent {
    uint8_t unit;  ///< shared function id: 15 ugm, 14 slm, 3 gateway, 12 dc1, 10 dc0
    uint32_t descriptor;
    uint32_t lanes;
};

/// Which of an observer's functions are called. What nobody asks for costs nothing.
enum Interest : uint32_t {
    kDispatches = 1,
    kGroups = 2,
    kThreads = 4,
    kInstructions = 8,  ///< every instruction: slow
    kMemory = 16,       ///< every access of every lane: slow
    kMessages = 32,
    kBarriers = 64,
    kFaults = 128,
};

/// Implementations are called from the machine's workers, several at once unless they say otherwise; events of one
/// work-group come in order and from one thread at a time. They must not call the machine except to read.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual uint32_t interests() const noexcept = 0;  ///< bits of Interest; constant

    virtual void dispatchBegin(Dispatch&) {}
    virtual void dispatchEnd(Dispatch&) {}
    virtual void groupBegin(Dispatch&, const std::array<uint32_t, 3>& /*group*/) {}
    virtual void groupEnd(Dispatch&, const std::array<uint32_t, 3>& /*group*/) {}
    virtual void threadBegin(const Where&) {}
    virtual void threadEnd(const Where&) {}
    virtual void instruction(const Where&) {}  ///< before it executes
    virtual void memory(const Where&, const MemoryAccess&) {}
    virtual void message(const Where&, const MessageEvent&) {}
    virtual void barrier(const Where&) {}  ///< the thread starts to wait
    virtual void fault(const Fault&) {}
};

}  // namespace zetl::emulator::machine
