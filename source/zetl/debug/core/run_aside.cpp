// Calls of functions by the debugger, of run_control.h: one thread executes the function, and is then as it was.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/failure.h"
#include "core/run_control.h"
#include "core/xe_registers.h"

namespace zetl::debugger {
namespace {

/// In the debug area, from the base of the device's code on: it is there for code that debuggers write.
constexpr std::uint64_t kCallPlace = 0x1000;
constexpr std::uint64_t kCallPatienceMs = 200;
constexpr std::uint32_t kScalarSet = 18;

/// All registers of a thread that can be written.
class KeptRegisters {
  public:
    KeptRegisters(StoppedThread& thread, const std::vector<zet_debug_regset_properties_t>& sets) {
        for (const auto& set : sets) {
            if ((set.generalFlags & ZET_DEBUG_REGSET_FLAG_WRITEABLE) == 0) continue;
            auto counts = std::vector{set.count};
            if (set.type == registers::kGeneral) counts = generalCounts(thread);
            for (const auto count : counts) {
                auto values = thread.read(set.type, 0, count);
                if (!values) continue;
                kept_.push_back({set.type, count, *std::move(values)});
                break;
            }
        }
    }
    void putBack(StoppedThread& thread) const {
        for (const auto& each : kept_)
            if (each.type != registers::kControl) write(thread, each);
        for (const auto& each : kept_)  // the address last: it belongs to the rest
            if (each.type == registers::kControl) write(thread, each);
    }

  private:
    struct Kept {
        std::uint32_t type;
        std::uint32_t count;
        Bytes values;
    };
    /// How many general registers a thread may have, the most first.
    static std::vector<std::uint32_t> generalCounts(const StoppedThread& thread) {
        const auto* const machine = thread.architecture().machine();
        if (!machine) return {};
        return {machine->registerCounts.rbegin(), machine->registerCounts.rend()};
    }
    static void write(StoppedThread& thread, const Kept& kept) {
        try {
            thread.write(kept.type, 0, kept.count, kept.values);
        } catch (const Failure&) {
            // Some sets can be written only in part; code that is called does not change those.
        }
    }

    std::vector<Kept> kept_;
};

/// The memory behind the ends of the thread's stacks, into which the function's frames go. Compilers give threads as
/// much stack as the program's own calls need, so frames of one call more may reach into other threads' stacks.
class KeptStack {
  public:
    KeptStack(Memory& memory, std::uint64_t address) : memory_(memory), address_(address) {
        constexpr std::size_t kSizes[] = {8192, 4096, 1024};
        for (const auto bytes : kSizes)
            if (!kept_) kept_ = memory.read(address, bytes);
    }
    void putBack() const {
        if (kept_) memory_.write(address_, *kept_);
    }

  private:
    Memory& memory_;
    const std::uint64_t address_;
    std::optional<Bytes> kept_;
};

void writeDword(StoppedThread& thread, std::uint32_t set, unsigned number, unsigned dword, std::uint32_t value) {
    auto bytes = thread.must(set, number, 1);
    setBits(bytes, std::uint64_t{dword} * 32, 32, value);
    thread.write(set, number, 1, bytes);
}

void moveTo(StoppedThread& thread, std::uint64_t address) {
    constexpr unsigned kAddressDword = 2;  // of cr0
    writeDword(thread, registers::kControl, 0, kAddressDword,
               static_cast<std::uint32_t>(address - thread.architecture().codeBase(thread)));
}

/// Where the stack for registers begins.
std::uint64_t spillBase(StoppedThread& thread, const CallConvention& convention) {
    constexpr unsigned kQwordDwords = 2;
    if (convention.spillQword < 0) return registers::stateBase(thread, registers::kScratchBase);
    const auto first = static_cast<unsigned>(convention.spillQword) * kQwordDwords;
    return bitsOf(thread.must(kScalarSet, 0, first + kQwordDwords), std::uint64_t{first} * 32, 64);
}

void giveArguments(StoppedThread& thread, const PreparedCall& call) {
    for (const auto& each : call.arguments) {
        auto bytes = thread.must(registers::kGeneral, each.number, 1);
        if (each.bytes.size() > bytes.size() - std::min(bytes.size(), each.offset)) fail("an argument of strange size");
        std::ranges::copy(each.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(each.offset));
        thread.write(registers::kGeneral, each.number, 1, bytes);
    }
}

}  // namespace

Bytes RunControl::call(const ThreadId& id, const PreparedCall& call) {
    if (isPast_ || recorded_.isThere())
        fail("no function is called while launches are recorded: the call would become a part of them");
    const auto& architecture = link_.architecture();
    const std::uint64_t area = architecture.codeBase(thread(id)) + kCallPlace;
    const auto code = architecture.callCode(call.width);
    // By the thread, whose device has the area: with several devices, addresses outside of modules are anybody's.
    constexpr auto kMemory = ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT;
    Bytes former(code.bytes.size());
    if (link_.readMemory(id, kMemory, area, former.size(), former.data()) != ZE_RESULT_SUCCESS ||
        link_.writeMemory(id, kMemory, area, code.bytes.size(), code.bytes.data()) != ZE_RESULT_SUCCESS)
        fail("the device has no room for the code of a call; free some of its memory");
    const auto& convention = *architecture.callConvention();
    const auto link = thread(id).must(registers::kGeneral, convention.linkRegister, 1);
    const KeptStack frames(memory_, bitsOf(link, std::uint64_t{convention.frameQword} * 64, 64));
    const KeptStack spilled(
        memory_, spillBase(thread(id), convention) + bitsOf(link, std::uint64_t{convention.stackDword} * 32, 32));
    // What is known of the thread holds again afterwards, and the inspector that asks for the call refers to it.
    auto known = std::exchange(threads_[id], std::make_unique<StoppedThread>(link_, id));
    const KeptRegisters kept(*known, link_.registerSets());
    const auto locking = std::exchange(locking_, Locking::on);
    const auto passesOver = passesOver_;
    Bytes results;
    std::string problem;
    try {
        results = executed(id, call, area, code);
    } catch (const Failure& failure) {
        problem = failure.what();
    }
    locking_ = locking;
    passesOver_ = passesOver;
    seenAlone_.reset();
    waiting_.reset();
    if (exited_) fail("the program ended in {}", call.name);
    if (threads_.contains(id)) kept.putBack(thread(id));
    frames.putBack();
    spilled.putBack();
    link_.writeMemory(id, kMemory, area, former.size(), former.data());
    threads_[id] = std::move(known);
    seenByDevice();  // what it wrote is no news
    if (!problem.empty()) fail("{}", problem);
    return results;
}

/// Breakpoints in the function do not stop it.
Bytes RunControl::executed(const ThreadId& id, const PreparedCall& call, std::uint64_t area, const CallCode& code) {
    const auto& convention = *link_.architecture().callConvention();
    const auto top = registers::general32(thread(id), convention.linkRegister, convention.stackDword);
    giveArguments(thread(id), call);
    writeDword(thread(id), registers::kGeneral, convention.linkRegister, convention.stackDword,
               top + convention.unsafeBytes);
    writeDword(thread(id), registers::kFlag, 0, 0, std::uint32_t{1} << call.lane);
    writeDword(thread(id), registers::kGeneral, convention.targetRegister, 0,
               static_cast<std::uint32_t>(call.function - link_.architecture().codeBase(thread(id))));
    moveTo(thread(id), area);
    const auto run = [&](bool onlyOne) {
        thread(id).prepare(onlyOne);
        resumeForStep(id);
        return waitFor(id, kCallPatienceMs);
    };
    if (run(true) || thread(id).address() != call.function)
        fail("{} could not be called: the thread came to {:#x}", call.name, thread(id).address());
    const std::uint32_t link[] = {registers::general32(thread(id), convention.linkRegister, convention.linkDword),
                                  registers::general32(thread(id), convention.linkRegister, convention.linkDword + 1)};
    for (;;) {
        const auto stop = run(false);
        if (exited_) return {};
        const auto now = thread(id).address();
        if (!stop && now == area + code.behind)
            return call.results == 0 ? Bytes()
                                     : thread(id).must(registers::kGeneral, convention.firstRegister, call.results);
        const auto exceptions = thread(id).exceptions();
        const bool goesOn = !stop && !exceptions.fault && !exceptions.illegal && !observer_.wantsInterrupt();
        if (goesOn) continue;
        const std::string why = stop && !stop->text.empty() ? "it waits for other threads, which are stopped"
                                : exceptions.fault          ? "a page fault"
                                : exceptions.illegal        ? "an illegal instruction"
                                                            : "it was interrupted";
        const auto where = modules_.nameOf(now);
        // A return is what gives the lanes back that the call took away.
        for (unsigned i = 0; i < std::size(link); ++i)
            writeDword(thread(id), registers::kGeneral, convention.linkRegister, convention.linkDword + i, link[i]);
        moveTo(thread(id), area + code.comeBack);
        run(false);
        fail("{} stopped at {}: {}. The thread is as it was before; what the function wrote to memory stays", call.name,
             where, why);
    }
}

}  // namespace zetl::debugger
