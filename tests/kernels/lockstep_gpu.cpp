// The emulated GPU, each stretch of each thread executed twice: by steps on a copy of thread and memory, and then as
// ever. Whatever differs ends the process. The linker puts these functions in the place of those whose names
// CMakeLists.txt has.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"
#include "emulator/translate/translation.h"
#include "shadow_memory.h"
#include "thread_difference.h"

namespace isa = zetl::emulator::isa;
namespace translate = zetl::emulator::translate;

std::unique_ptr<isa::Program> machinesLower(std::span<const std::byte>,
                                            const isa::LowerOptions&) asm("__real_" ZETL_LOWER);
bool machinesStart(isa::Thread&, std::int64_t, bool) noexcept asm("__real_" ZETL_START);
void machinesResume(isa::Thread&, std::int64_t, isa::Windows) noexcept asm("__real_" ZETL_RESUME);
isa::Thread& machinesMeet(isa::Company&, isa::Thread&, bool) noexcept asm("__real_" ZETL_MEET);
isa::Thread& meetTwice(isa::Company&, isa::Thread&, bool) noexcept asm("__wrap_" ZETL_MEET);
std::unique_ptr<isa::Program> lowerTwice(std::span<const std::byte>,
                                         const isa::LowerOptions&) asm("__wrap_" ZETL_LOWER);
bool startTwice(isa::Thread&, std::int64_t, bool) noexcept asm("__wrap_" ZETL_START);
void resumeTwice(isa::Thread&, std::int64_t, isa::Windows) noexcept asm("__wrap_" ZETL_RESUME);
translate::Report translateHeld(isa::Program&, std::uint32_t, std::uint32_t,
                                const std::string&) asm("__wrap_" ZETL_TRANSLATE);
translate::Report translateReportingHeld(isa::Program&, std::uint32_t, std::uint32_t, std::span<const isa::Reported>,
                                         const std::string&) asm("__wrap_" ZETL_TRANSLATE_REPORTING);

namespace {

std::vector<std::byte> copyOf(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

/// One stretch at a time, of whatever thread: workers take turns.
class Comparison {
  public:
    static Comparison& get() {
        static Comparison* const one = new Comparison;
        return *one;
    }
    std::recursive_mutex mutex;  ///< of everything here
    std::map<const isa::Program*, std::unique_ptr<isa::Program>> steps;

    /// By steps, on copies. False if it cannot be compared with what the machine does.
    bool rehearse(const isa::Thread& thread, std::int64_t quantum) {
        const auto twin = steps.find(thread.program);
        if (twin == steps.end() || thread.pc == nullptr) return false;
        isa::Thread& copy = *copy_;
        copy = thread;
        shadow_.begin(*thread.environment);
        copy.environment = &shadow_;
        copy.hostMode = nullptr;
        copy.companion = {};
        copy.program = twin->second.get();
        copy.pc = zetl::test::sameStep(thread.pc, *thread.program, *copy.program);
        copy.failedAt = zetl::test::sameStep(thread.failedAt, *thread.program, *copy.program);
        local_ = copyOf(thread.local);
        scratch_ = copyOf(thread.scratch);
        payload_ = copyOf(thread.payload);
        copy.local = local_;
        copy.scratch = scratch_;
        copy.payload = payload_;
        if (thread.runs != nullptr) {
            runs_.assign(thread.runs, thread.runs + thread.program->lineCount() + 1);
            copy.runs = runs_.data();
        }
        machinesResume(copy, quantum, isa::Windows::dropped);
        return shadow_.repeatable();
    }
    void compare(const isa::Thread& thread) {
        std::string list = zetl::test::difference(*copy_, thread) + shadow_.difference();
        if (local_ != copyOf(thread.local)) list += " local memory;";
        if (scratch_ != copyOf(thread.scratch)) list += " scratch memory;";
        if (payload_ != copyOf(thread.payload)) list += " payload;";
        if (thread.runs != nullptr && !std::equal(runs_.begin(), runs_.end(), thread.runs)) list += " counts of lines;";
        ++compared_;
        if (list.empty()) return;
        fmt::print(stderr, "lockstep: a thread ended at {:#x} with{}\n", thread.ip(), list);
        std::abort();
    }

  private:
    std::unique_ptr<isa::Thread> copy_ = std::make_unique<isa::Thread>();
    zetl::kernels::ShadowMemory shadow_;
    std::vector<std::byte> local_;
    std::vector<std::byte> scratch_;
    std::vector<std::byte> payload_;
    std::vector<std::int64_t> runs_;
    std::uint64_t compared_ = 0;

    Comparison() { std::atexit(tell); }
    static void tell() { fmt::print(stderr, "lockstep: {} stretches compared\n", get().compared_); }
};

}  // namespace

std::unique_ptr<isa::Program> lowerTwice(std::span<const std::byte> code, const isa::LowerOptions& options) {
    auto program = machinesLower(code, options);
    const std::lock_guard guard(Comparison::get().mutex);
    Comparison::get().steps[program.get()] = machinesLower(code, options);
    return program;
}

/// Registers of a thread that has ended are compared, too.
translate::Report translateHeld(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, const std::string&) {
    return translate::translateAnyway(program, ip, lanes, translate::Registers::held);
}
translate::Report translateReportingHeld(isa::Program& program, std::uint32_t ip, std::uint32_t lanes,
                                         std::span<const isa::Reported> reported, const std::string&) {
    return translate::translateAnyway(program, ip, lanes, translate::Registers::held, reported);
}

bool startTwice(isa::Thread& thread, std::int64_t quantum, bool setsMode) noexcept {
    Comparison& all = Comparison::get();
    const std::lock_guard guard(all.mutex);
    const bool compared = all.rehearse(thread, quantum);
    const bool usual = machinesStart(thread, quantum, setsMode);
    if (compared) all.compare(thread);
    return usual;
}

void resumeTwice(isa::Thread& thread, std::int64_t quantum, isa::Windows windows) noexcept {
    Comparison& all = Comparison::get();
    const std::lock_guard guard(all.mutex);
    const bool compared = all.rehearse(thread, quantum);
    machinesResume(thread, quantum, windows);
    if (compared) all.compare(thread);
}

/// One stretch of this thread and of no other: barriers stop it as they do a thread without company.
isa::Thread& meetTwice(isa::Company& company, isa::Thread& thread, bool setsMode) noexcept {
    Comparison& all = Comparison::get();
    const std::lock_guard guard(all.mutex);
    const std::int64_t fuel = thread.fuel;
    const std::uint64_t executed = thread.executed;
    const std::int64_t charged = std::exchange(thread.charged, 0);
    const bool compared = all.rehearse(thread, fuel);
    isa::Meeting* const meeting = std::exchange(thread.companion.meeting, nullptr);
    machinesMeet(company, thread, setsMode);
    thread.executed += static_cast<std::uint64_t>(fuel - thread.fuel - thread.charged);
    if (compared) all.compare(thread);
    thread.executed = executed;
    thread.charged += charged;
    thread.companion.meeting = meeting;
    return thread;
}
