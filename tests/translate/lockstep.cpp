#include "lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/isa/code.h"

namespace zetl::test {

namespace isa = emulator::isa;
namespace layout = isa::layout;

namespace {

/// The machine around the first run: what it tells others is told by the second.
class Silent : public isa::Environment {
  public:
    explicit Silent(isa::Environment& machine) : machine_(machine) {}
    bool findMemory(std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override {
        return machine_.findMemory(address, bytes, write, window);
    }
    void signalBarrier(isa::Thread&, const isa::BarrierSignal&) noexcept override {}
    const isa::Program* findProgram(isa::Thread& thread, std::uint32_t ip) noexcept override {
        return machine_.findProgram(thread, ip);
    }
    std::uint64_t timestamp() noexcept override { return machine_.timestamp(); }

  private:
    isa::Environment& machine_;
};

/// The step of one program that is where the other's is; the programs were lowered alike.
const isa::Step* sameStep(const isa::Step* step, const isa::Program& from, const isa::Program& to) {
    for (int b = 0; b < isa::kVersions; ++b) {
        const auto& steps = from.code().body[b].steps;
        if (step >= steps.data() && step < steps.data() + steps.size())
            return to.code().body[b].steps.data() + (step - steps.data());
    }
    return step;  // of a message that is lowered when it runs, or of another program
}

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

std::string stateDifference(const isa::Thread& steps, const isa::Thread& host) {
    std::string list;
    int left = 8;
    for (std::uint32_t at = 0; at < layout::kArchitectureEnd && left > 0; at += 4) {
        const auto a = steps.at<std::uint32_t>(at);
        const auto b = host.at<std::uint32_t>(at);
        if (a == b) continue;
        list += at < layout::kGrfBytes ? fmt::format(" r{}.{}", at / 64, at % 64 / 4) : fmt::format(" state+{:#x}", at);
        list += fmt::format(": {:#x} by steps, {:#x} translated;", a, b);
        --left;
    }
    return list;
}
template <class T>
void compare(std::string& list, const char* what, const T& steps, const T& host) {
    if (steps != host) list += fmt::format(" {}: {:#x} by steps, {:#x} translated;", what, steps, host);
}
std::string difference(const isa::Thread& s, const isa::Thread& h) {
    std::string list = stateDifference(s, h);
    compare(list, "active", s.active, h.active);
    compare(list, "call mask", s.callMask, h.callMask);
    compare(list, "fuel", s.fuel, h.fuel);
    compare(list, "executed", s.executed, h.executed);
    compare(list, "entered", s.entered, h.entered);
    compare(list, "ip", s.ip(), h.ip());
    compare(list, "status", static_cast<int>(s.status), static_cast<int>(h.status));
    compare(list, "signalled", s.signalled, h.signalled);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        compare(list, fmt::format("waiting lane {}", lane).c_str(), s.waiting[lane], h.waiting[lane]);
    constexpr std::size_t kCells = sizeof(isa::Traffic) / sizeof(std::uint64_t);
    std::uint64_t traffic[2][kCells];
    std::memcpy(traffic[0], &s.traffic, sizeof s.traffic);
    std::memcpy(traffic[1], &h.traffic, sizeof h.traffic);
    for (std::size_t k = 0; k < kCells; ++k)
        compare(list, fmt::format("traffic {}", k).c_str(), traffic[0][k], traffic[1][k]);
    if (describe(s.fault) != describe(h.fault))
        list += fmt::format(" fault: {} by steps, {} translated;", describe(s.fault), describe(h.fault));
    return list;
}
/// Registers that the run changed and that are not among those; cr0 says where it stopped, whoever ran it.
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
    isa::resume(warm, quantum, isa::Windows::kept);
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

}  // namespace zetl::test
