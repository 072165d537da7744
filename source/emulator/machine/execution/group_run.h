// The way in which the threads of a work-group run, chosen when the group starts.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

class GroupThreads;
class WorkGroup;
struct HardwareThread;
struct Worker;

/// Instructions of one thread and of all threads in one turn: together about a millisecond.
struct Quantum {
    std::int64_t thread;
    std::int64_t turn;
};

/// One round over the threads of a group.
struct GroupRound {
    Worker& worker;
    const Quantum quantum;
    std::int64_t left;    ///< instructions that the group may still execute in this turn
    bool ran = false;     ///< at least one thread could run
    bool failed = false;  ///< the group cannot go on as it is
};

/// Belongs to one place, whose groups follow each other, and to its worker.
class GroupRun {
  public:
    virtual ~GroupRun() = default;

    /// Each thread that can runs for its quantum. Afterwards every thread that has not ended has a state.
    virtual void round(GroupRound& round) = 0;
    /// Gives a state to every thread that has not begun.
    virtual void prepareRest(Worker& worker) = 0;
    /// The thread has ended.
    virtual void end(HardwareThread& thread, Worker& worker) = 0;

    /// Whether its groups end one after the other without waiting for any, so that several may be taken at once.
    virtual bool takesSeveral() const noexcept { return false; }
    /// The group has ended: runs groups that were taken with it. If one of them does not end, it is this place's group.
    virtual void runTaken(Worker&, std::int64_t&) {}
};

}  // namespace zetl::emulator::machine
