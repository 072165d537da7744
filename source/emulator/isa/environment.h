// The services that a thread needs from the machine. The hot ones are spans in Thread; these are the cold calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zetl::emulator::isa {

class Program;
struct Thread;

/// Part of global memory that a thread may touch without asking again.
struct MemoryWindow {
    std::uint64_t begin = 0;  ///< first device address
    std::uint64_t bytes = 0;
    std::byte* host = nullptr;  ///< address of `begin` in this process
};

/// A gateway barrier message.
struct BarrierSignal {
    enum class Role : std::uint8_t { both, producer, consumer };
    std::uint8_t id = 0;
    Role role = Role::both;
    std::uint8_t producers = 0;
    std::uint8_t consumers = 0;
};

/// Implemented by the machine; one object serves many threads, called from their workers concurrently.
/// Nothing here may throw, block for long, or resume the thread.
class Environment {
  public:
    virtual ~Environment() = default;

    /// Memory that holds all of [address, address + bytes) and that the thread may access so, as large as possible;
    /// false is a page fault. The window stays valid until the thread's windows are dropped (thread.h): memory that is
    /// freed meanwhile must stay mapped until then.
    virtual bool findMemory(Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                            MemoryWindow& window) noexcept = 0;

    /// The thread signals a barrier; it goes on and later waits in Status::atBarrier.
    virtual void signalBarrier(Thread& thread, const BarrierSignal& signal) noexcept = 0;

    /// The program that holds the instruction at `ip` (relative to the instruction base), or null. Called only for
    /// branches that leave the thread's current program, before anything in the thread changes. The machine may set
    /// thread.runs to the counts of the program that it returns.
    virtual const Program* findProgram(Thread& thread, std::uint32_t ip) noexcept = 0;

    /// The device timestamp (tm0), in ticks of the device's timer.
    virtual std::uint64_t timestamp() noexcept = 0;
};

}  // namespace zetl::emulator::isa
