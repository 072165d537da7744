// One hardware thread: its registers and masks, its position, and why it stopped.
//
// Owned by the machine, used by one host thread at a time. Setting up a thread: reset(), fill r0 and sr0 through
// registers.h or grf(), set the spans, `dispatched` and `environment`, enter(), then resume() until Status says
// otherwise. Large (about 24 KB); reuse it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/isa/common_work.h"
#include "emulator/isa/company.h"
#include "emulator/isa/environment.h"
#include "emulator/isa/fault.h"
#include "emulator/isa/local_reads.h"
#include "emulator/isa/pending_additions.h"
#include "emulator/isa/polling.h"
#include "emulator/isa/state_slots.h"

namespace zetl::emulator::isa {

struct Step;

enum class Status : std::uint8_t {
    ready,       ///< may be resumed
    paused,      ///< its quantum is used up; may be resumed at once
    atBarrier,   ///< waits for `barrier`; resume when the barrier is complete
    breakpoint,  ///< stopped before a breakpoint, or after a single step; cr0.1 bit 31 is set
    done,        ///< sent its end-of-thread message
    faulted,     ///< `fault` has the reason; resuming would execute the same instruction again
};

/// Bytes that messages moved for enabled lanes, since the machine last cleared them.
struct Traffic {
    std::uint64_t globalRead = 0;
    std::uint64_t globalWritten = 0;
    std::uint64_t localRead = 0;
    std::uint64_t localWritten = 0;
    std::uint64_t scratchRead = 0;
    std::uint64_t scratchWritten = 0;
    std::uint64_t texelsRead = 0;  ///< their bytes are in globalRead, too
    std::uint64_t texelsWritten = 0;
};

inline constexpr std::uint32_t kMemoryWindows = 32;
inline constexpr std::uint32_t kParkingPlaces = 1024;

/// The state of the host's floating-point mode.
struct HostFloatMode {
    static constexpr std::uint32_t kUnknown = ~0u;
    std::uint32_t host;                ///< its register
    std::uint32_t control = kUnknown;  ///< floatControlOf() the thread that it was last set for
};

/// A bit for each thing that an observer of lines follows in a thread, registers for instance.
using Followed = std::array<std::uint64_t, 9>;

struct Thread {
    alignas(64) std::byte state[layout::kBytes];  ///< every register an operand can name: state_layout.h

    std::uint32_t active = 0;      ///< execution mask
    std::uint32_t dispatched = 0;  ///< lanes that hold a work-item (sr0.2)
    std::uint32_t callMask = 0;    ///< lanes that entered the current function; the others stay off until it returns
    std::uint32_t waiting[32];     ///< address at which a lane that is off joins again; ~0: it waits for none
    std::int64_t fuel = 0;         ///< instructions left in this quantum; counted at branches and stops
    std::int64_t charged = 0;      ///< what heavy instructions took of it beyond one each, since it began
    std::uint64_t executed = 0;    ///< instructions executed since reset(), up to date whenever resume() has returned
    std::uint32_t entered = 0;     ///< line where the straight-line code being executed began
    /// How often each line ran, as differences: executing lines a to b straight through adds 1 to runs[a] and subtracts
    /// 1 from runs[b + 1] when the run is accounted (at branches and stops). It has lineCount() + 1 entries of
    /// `program`, written by relaxed atomic stores because other threads read meanwhile; null: not counted.
    std::int64_t* runs = nullptr;
    Traffic traffic;  ///< written by message steps, read by the machine between resume() calls
    const Step* pc = nullptr;
    const Step* resumedAt = nullptr;  ///< where it goes on: passes breakpoints there once, and does not begin there
    const Step* failedAt = nullptr;   ///< with Status::faulted: the step that failed
    const Program* program = nullptr;
    Environment* environment = nullptr;
    void* owner = nullptr;  ///< the machine's own object for this thread; not used by this component
    /// The host's floating-point mode, if the caller of resume() keeps it: FloatModeGuard::current(). Null: resume()
    /// saves and restores it.
    HostFloatMode* hostMode = nullptr;
    PendingAdditions* additions = nullptr;  ///< of the host thread that runs it; null: each addition is done at once
    Polling polling;
    bool alone = true;  ///< no other thread runs at the same time, so none takes turns with it
    /// Bits of observers to which host code does not report the lines of Reported::idle. They set theirs; each
    /// beginning clears all.
    std::uint8_t idle = 0;
    /// What an observer follows at the moment, as it numbers it: Reported::uses. It counts while the bit above is set.
    Followed followed{};
    LocalReader localReader;
    /// Tick at which it entered host code, and at which that called a step, if its program is measured (HostTimes).
    std::uint64_t enteredAt = 0;
    std::uint64_t calledAt = 0;
    bool strayed = false;  ///< it ran more than the host code's usual way; set there, cleared by start()
    Companion companion;
    CommonWork* common = nullptr;  ///< of its group, where all threads start with the same but for r0.2; null: nothing
                                   ///< is taken over

    MemoryWindow readable[kMemoryWindows];  ///< last allocations read and written, by the message's own number; reset()
                                            ///< leaves them
    MemoryWindow writable[kMemoryWindows];
    std::span<std::byte> local;                 ///< the work-group's SLM
    std::span<std::byte> scratch;               ///< private arrays and spills
    std::span<std::byte> payload;               ///< what bti[255] shows: indirect data
    std::span<const std::uint64_t> stateBases;  ///< SBA register set; may be empty

    /// Host addresses where loads of group code are expected to begin, by number. The code checks whether they do.
    static constexpr std::uint32_t kExpected = 4;
    std::uint64_t expected[kExpected] = {};

    std::uint32_t signalled = 0;  ///< barriers signalled and not yet waited for, one bit per id
    std::uint8_t barrier = 0;     ///< with Status::atBarrier
    Status status = Status::ready;
    Fault fault;  ///< with Status::faulted

    /// As `waiting`, while host code runs (translate/parking.h): lanes by the place of their address in that code's own
    /// list. Outside of host code there are none here. Last, because few kernels use more than its beginning.
    std::uint32_t parked[kParkingPlaces] = {};

    std::byte* grf(std::uint32_t number) noexcept { return state + layout::kGrf + number * layout::kRegisterBytes; }
    template <class T>
    T& at(std::uint32_t place) noexcept {
        return *reinterpret_cast<T*>(state + place);
    }
    template <class T>
    const T& at(std::uint32_t place) const noexcept {
        return *reinterpret_cast<const T*>(state + place);
    }

    /// Clears registers, masks and counters; spans, environment and owner stay. Registers that are not `dirty` stay
    /// too, since nothing has written them since they were last cleared.
    void reset(const StateSlots& dirty = StateSlots::all()) noexcept;
    /// Puts the thread at `ip` of `program` with all `dispatched` lanes on. False if no instruction starts there.
    bool enter(const Program& program, std::uint32_t ip) noexcept;
    /// Goes on at the same address in `program`, which holds newer code for it; registers and masks stay. False if it
    /// is done, or no instruction starts there.
    bool rebind(const Program& program) noexcept;
    /// Goes on at `ip` of `program` with its present registers and masks, whatever program it was in: they are those of
    /// an earlier moment. False if no instruction starts there.
    bool moveTo(const Program& program, std::uint32_t ip) noexcept;
    /// Call it after a memory fault whose cause is gone: the thread goes on with the access that failed, as if it had
    /// not.
    void retry() noexcept;
    /// Call it when memory that the thread touched may have been freed since.
    void dropWindows() noexcept;
    /// The address of the instruction that would execute next, relative to the instruction base; 0 if done.
    std::uint32_t ip() const noexcept;
};

/// Local pointers may carry a tag in their high bits; these bits are the offset.
inline constexpr std::uint64_t kLocalOffsetMask = 0xffffff;

/// Instructions after which resume() returns with Status::paused. One that does the work of many counts as that many.
inline constexpr std::int64_t kQuantum = 1 << 20;

/// What happens to the thread's memory windows when it goes on. Keeping them saves the search for every allocation.
enum class Windows : std::uint8_t {
    dropped,
    kept,  ///< what they show stayed mapped since they were last dropped
};

/// Runs the thread until its status says why it stopped, at most about `quantum` instructions (straight-line code is
/// finished first). Honours what a debugger wrote while it was stopped: cr0.0 bit 15 passes over a breakpoint at the
/// first instruction, cr0.1 bit 31 stops after one instruction, cr0.2 moves the thread. Sets cr0.2 to ip() when it
/// returns. Restores the host's floating-point mode before it returns, unless the thread has a hostMode.
void resume(Thread& thread, std::int64_t quantum = kQuantum, Windows windows = Windows::dropped) noexcept;

/// The same for a thread that has entered since it was reset, that has a hostMode, and that no debugger has seen. If
/// `setsMode`, setsFloatModeFirst() is true for its entry. Returns whether only host code ran, in its usual way.
bool start(Thread& thread, std::int64_t quantum, bool setsMode) noexcept;

/// Executes single instructions as long as the next one lies in [begin, end). Returns true if the thread has left the
/// range and may go on, and false if it stopped in the range or right behind it for one of the reasons of resume(): a
/// breakpoint, a fault, or the end of a debugger's single step.
bool runWithin(Thread& thread, std::uint32_t begin, std::uint32_t end) noexcept;

}  // namespace zetl::emulator::isa
