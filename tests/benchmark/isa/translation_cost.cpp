// What translation costs beside lowering, for the kernels of the instruction set's tests as the compiler makes them.
// Fails if a line takes longer than the limit. A launch translates one kernel in two versions; a module is lowered
// once.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>

#include "assembler.h"
#include "emulator/isa/code.h"
#include "emulator/translate/translation.h"
#include "execution.h"
#include "kernel_runner.h"

namespace zetl::test {
namespace {

constexpr int kRepeats = 9;
constexpr std::uint32_t kLanes = 32;
constexpr double kMostMicroseconds = 5;  // a line

double processorMicroseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}
template <class Work>
double best(Work work) {
    double least = 0;
    for (int k = 0; k < kRepeats; ++k) {
        const double begin = processorMicroseconds();
        work();
        const double taken = processorMicroseconds() - begin;
        least = k == 0 ? taken : std::min(least, taken);
    }
    return least;
}

/// Of what was measured last.
struct Cost {
    std::uint32_t lines = 0;
    double lowering = 0;
    std::uint32_t translatedLines = 0;  ///< in all versions together
    double translation = 0;
} last;

/// Threads never run: to be asked for it is enough.
class Idle : public Execution {
  public:
    void prepare(std::uint32_t, std::uint32_t) override {}
    void resume(emulator::isa::Thread&, const MemoryRanges&) override {}
};

/// Where the kernel or function begins from which most lines are reached. Each begins behind what no thread goes on
/// from.
std::uint32_t largestEntry(emulator::isa::Program& program) {
    using emulator::isa::Opcode;
    std::uint32_t largest = program.base();
    last.translatedLines = 0;
    bool begins = true;
    for (emulator::isa::Line line = 0; line < program.lineCount(); ++line) {
        const auto& in = program.instruction(line);
        const bool padding = in.opcode == Opcode::illegal;
        const std::uint32_t ip = program.code().ipOf(line);
        const auto lines = begins && !padding ? emulator::translate::translateInVain(program, ip, kLanes).lines : 0;
        if (lines > last.translatedLines) {
            last.translatedLines = lines;
            largest = ip;
        }
        begins = padding || in.opcode == Opcode::ret || in.message.endOfThread;
    }
    return largest;
}

int measureAll() {
    int failures = 0;
    fmt::print(
        "| module | lines | lowering, us a line | largest kernel, lines of all versions | us a line | of lowering "
        "|\n|---|---|---|---|---|---|\n");
    for (const auto& file : std::filesystem::directory_iterator(ZETL_KERNELS)) {
        if (file.path().extension() != ".cl") continue;
        for (const char* options : {"", "-cl-opt-disable"}) {
            const KernelRunner runner(compileModule(file.path().string(), std::string("-cl-std=CL2.0 ") + options));
            const double perLine = last.translation / last.translatedLines;
            const bool slow = perLine > kMostMicroseconds;
            fmt::print("| {} {} | {} | {:.2f} | {} | {:.2f} | {:.2f} |{}\n", file.path().stem().string(), options,
                       last.lines, last.lowering / last.lines, last.translatedLines, perLine,
                       last.translation / last.lowering, slow ? " too slow" : "");
            failures += slow;
        }
    }
    return failures;
}

}  // namespace

std::unique_ptr<Execution> makeExecution(emulator::isa::Program& program,
                                         const std::function<std::unique_ptr<emulator::isa::Program>()>& again) {
    last.lines = program.lineCount();
    last.lowering = best([&] { again(); });
    const std::uint32_t entry = largestEntry(program);
    last.translation = best([&] { (void)emulator::translate::translateInVain(program, entry, kLanes); });
    return std::make_unique<Idle>();
}

}  // namespace zetl::test

int main() { return zetl::test::measureAll() == 0 ? 0 : 1; }
