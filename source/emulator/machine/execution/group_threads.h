// The threads of a work-group: their states, which of them have begun or ended, and how one begins and goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/isa/common_work.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {

struct DeviceProfile;
class CodeHeap;
class WorkGroup;
struct Worker;

/// In a turn it belongs to the group's worker; live() and find() may be called by others.
class GroupThreads {
  public:
    explicit GroupThreads(WorkGroup& group);

    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(states_.size()); }
    /// Threads that start with all lanes on: all, or all but the last.
    std::uint32_t whole() const noexcept;
    HardwareThread& operator[](std::uint32_t index) const noexcept { return *states_[index]; }
    /// Null if the thread has no state of its own.
    HardwareThread* find(std::uint32_t index) const noexcept { return states_[index].get(); }
    /// By thread; null as for find().
    std::span<const std::unique_ptr<HardwareThread>> states() const noexcept { return states_; }

    /// A group begins: none of its threads is prepared.
    void begin() noexcept;
    ThreadMask live() const noexcept { return live_.load(std::memory_order_acquire); }
    /// Only the worker writes it during a turn.
    void setLive(ThreadMask threads) noexcept { live_.store(threads, std::memory_order_release); }
    void allLive() noexcept { setLive(firstThreads(count())); }
    void hasEnded(std::uint32_t index) noexcept { setLive(live() & ~bit(index)); }

    /// Of a started group; in a round only. Their states are still empty.
    ThreadMask unprepared() const noexcept { return unprepared_; }
    bool isUnprepared(std::uint32_t index) const noexcept { return (unprepared_ & bit(index)) != 0; }
    void setUnprepared(ThreadMask threads) noexcept { unprepared_ = threads; }
    void isPrepared(std::uint32_t index) noexcept { unprepared_ &= ~bit(index); }

    /// Gives the thread a state, if it has none.
    HardwareThread& stateOf(std::uint32_t index, Worker& worker);
    void adopt(std::uint32_t index, std::unique_ptr<HardwareThread> state) noexcept;
    void release(std::uint32_t index, Worker& worker) noexcept;
    void releaseAll(Worker& worker) noexcept;

    /// Puts the state at the beginning of thread `index`.
    void prepare(HardwareThread& thread, std::uint32_t index);
    /// The part of it that one thread does not share with another of the dispatch.
    void place(HardwareThread& thread, std::uint32_t index);
    /// Makes the worker run the thread in its turn.
    void attach(HardwareThread& thread, Worker& worker, std::uint64_t codeVersion);
    /// The program in which threads of the group begin.
    const LoadedProgram& program() const;
    /// Runs the thread until it has read its arguments. Returns false if it stopped for another reason.
    bool loadArguments(HardwareThread& thread);
    /// What the thread moved so far counts as its worker's.
    static void countTraffic(HardwareThread& thread) noexcept;
    /// Of the code that threads run now.
    std::uint64_t codeVersion() const noexcept;

  private:
    void rebind(HardwareThread& thread);

    WorkGroup& group_;
    // Of the device: the way there would be waited for with each thread.
    const DeviceProfile& profile_;
    const CodeHeap& code_;
    std::vector<std::unique_ptr<HardwareThread>> states_;
    std::vector<std::uint32_t> statusRegisters_;  // by thread: sr0.0, which contains its slot
    ThreadMask unprepared_ = 0;
    std::atomic<ThreadMask> live_{0};
    isa::CommonWork common_;
};

}  // namespace zetl::emulator::machine
