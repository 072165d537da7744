#include "lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "thread_difference.h"

namespace zetl::test {

namespace isa = emulator::isa;
namespace layout = isa::layout;

namespace {

/// The machine around the first run: it reports nothing to others; the second run does.
class Silent : public isa::Environment {
  public:
    explicit Silent(isa::Environment& machine) : machine_(machine) {}
    bool findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override {
        return machine_.findMemory(thread, address, bytes, write, window);
    }
    void signalBarrier(isa::Thread&, const isa::BarrierSignal&) noexcept override {}
    const isa::Program* findProgram(isa::Thread& thread, std::uint32_t ip) noexcept override {
        return machine_.findProgram(thread, ip);
    }
    std::uint64_t timestamp() noexcept override { return machine_.timestamp(); }

  private:
    isa::Environment& machine_;
};

std::vector<std::byte> contentOf(const MemoryRanges& memory) {
    std::vector<std::byte> all;
    for (const auto& range : memory) all.insert(all.end(), range.begin(), range.end());
    return all;
}
void restore(const std::vector<std::byte>& content, const MemoryRanges& memory) {
    std::size_t at = 0;
    for (const auto& range : memory) {
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(at), range.size(), range.begin());
        at += range.size();
    }
}

/// Registers that the run changed and that are not among those; cr0 says where it stopped, in every run.
std::string strangeWrites(const isa::Thread& before, const isa::Thread& after, const isa::StateSlots& written) {
    std::string list;
    for (std::uint32_t at = 0; at < layout::kArchitectureEnd; at += layout::kRegisterBytes) {
        if (at == layout::kControl || written.contains(at)) continue;
        if (std::memcmp(before.state + at, after.state + at, layout::kRegisterBytes) != 0)
            list += fmt::format(" state+{:#x} is written by host code that does not say so;", at);
    }
    return list;
}
bool isWatched(const isa::Program& program) {
    for (isa::Line line = 0; line < program.lineCount(); ++line)
        if (program.code().watchOf(line) != nullptr) return true;
    return false;
}

}  // namespace

Lockstep::Lockstep(std::unique_ptr<isa::Program> steps)
    : steps_(std::move(steps)), reference_(std::make_unique<isa::Thread>()), warm_(std::make_unique<isa::Thread>()) {}
Lockstep::~Lockstep() = default;

/// As a thread that others run beside, whose mode of the host is known between them.
static void resumeInTurn(isa::Thread& thread, std::int64_t quantum, isa::Windows windows) {
    isa::FloatModeGuard mode;
    thread.hostMode = mode.current();
    isa::resume(thread, quantum, windows);
    thread.hostMode = nullptr;
}

std::string Lockstep::resume(isa::Thread& thread, std::int64_t quantum, const MemoryRanges& memory) {
    if (isWatched(*thread.program) || thread.program->base() != steps_->base()) {
        isa::resume(thread, quantum);
        return {};
    }
    isa::Thread& copy = *reference_;
    copy = thread;
    const isa::Program& program = *thread.program;
    Silent silent(*thread.environment);
    copy.environment = &silent;
    copy.program = steps_.get();
    copy.pc = sameStep(thread.pc, program, *steps_);
    copy.failedAt = sameStep(thread.failedAt, program, *steps_);
    isa::Thread& warm = *warm_;
    warm = thread;
    warm.environment = &silent;
    std::vector<std::int64_t> runs;
    std::vector<std::int64_t> warmRuns;
    if (thread.runs != nullptr) {
        runs.assign(thread.runs, thread.runs + program.lineCount() + 1);
        copy.runs = runs.data();
        warmRuns = runs;
        warm.runs = warmRuns.data();
    }
    const auto before = contentOf(memory);
    isa::resume(copy, quantum);
    const auto bySteps = contentOf(memory);
    restore(before, memory);
    std::ranges::copy(copy.readable, warm.readable);
    std::ranges::copy(copy.writable, warm.writable);
    resumeInTurn(warm, quantum, isa::Windows::kept);
    std::string list = difference(copy, warm);
    if (contentOf(memory) != bySteps) list += " memory;";
    if (warmRuns != runs) list += " counts of lines;";
    if (written_ && thread.executed == 0 && warm.status == isa::Status::done && !warm.strayed)
        list += strangeWrites(thread, warm, *written_);
    if (!list.empty()) list = " with memory known:" + list;
    restore(before, memory);
    isa::resume(thread, quantum);
    list += difference(copy, thread);
    if (contentOf(memory) != bySteps) list += " memory;";
    if (thread.runs != nullptr && !std::equal(runs.begin(), runs.end(), thread.runs)) list += " counts of lines;";
    return list;
}

std::string Lockstep::inMode(std::uint32_t control, const isa::Thread& thread, std::int64_t quantum,
                             const MemoryRanges& memory) {
    Silent silent(*thread.environment);
    const auto before = contentOf(memory);
    const auto run = [&](isa::Thread& copy, const isa::Program& program, isa::Windows windows) {
        copy.environment = &silent;
        copy.program = &program;
        copy.pc = sameStep(thread.pc, *thread.program, program);
        copy.runs = nullptr;
        copy.at<std::uint32_t>(layout::kControl) = control;
        windows == isa::Windows::kept ? resumeInTurn(copy, quantum, windows) : isa::resume(copy, quantum, windows);
    };
    *reference_ = *warm_ = thread;
    run(*reference_, *steps_, isa::Windows::dropped);
    const auto bySteps = contentOf(memory);
    restore(before, memory);
    std::ranges::copy(reference_->readable, warm_->readable);
    std::ranges::copy(reference_->writable, warm_->writable);
    run(*warm_, *thread.program, isa::Windows::kept);
    std::string list = difference(*reference_, *warm_);
    if (contentOf(memory) != bySteps) list += " memory;";
    restore(before, memory);
    return list.empty() ? list : fmt::format(" in mode {:#x}:{}", control, list);
}

std::string Lockstep::inEveryMode(const isa::Thread& thread, std::int64_t quantum, const MemoryRanges& memory) {
    constexpr std::uint32_t kSwitches[] = {isa::kKeepSingleDenormals, isa::kKeepDoubleDenormals,
                                           isa::kKeepHalfDenormals, isa::kRoundIntegers};
    if (isWatched(*thread.program) || thread.program->base() != steps_->base()) return {};
    const auto usual = thread.at<std::uint32_t>(layout::kControl);
    std::string list;
    for (std::uint32_t rounding = 0; rounding < 4; ++rounding)
        for (std::uint32_t on = 0; on < 1u << std::size(kSwitches); ++on) {
            std::uint32_t control = usual & ~(3u << isa::kRoundingShift);
            control |= rounding << isa::kRoundingShift;
            for (std::uint32_t k = 0; k < std::size(kSwitches); ++k)
                control = on >> k & 1 ? control | kSwitches[k] : control & ~kSwitches[k];
            list += inMode(control, thread, quantum, memory);
        }
    return list;
}

}  // namespace zetl::test
