// Speed of the emulated GPU beside PoCL (native code on the same cores) and Oclgrind (another simulator), on the same
// kernels in one run. Prints a table; fails if results differ or if an emulated kernel is slower than the limit below.
//
// Each implementation runs in a process of its own: their compilers are builds of LLVM that do not bear each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "beside.h"
#include "calibration.h"
#include "check_cost.h"
#include "devices.h"
#include "emulated.h"
#include "emulator/isa/program.h"
#include "opencl.h"
#include "sampling.h"
#include "starts.h"
#include "windows.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr int kRepeats = 7;
constexpr int kReducedRepeats = 2;
constexpr int kStartLaunches = 50;
constexpr double kTimesOclgrind = 50;  // the least an emulated kernel must reach

/// "one-worker@b580" is on that device, with the newest compiler if it is a newer one (ZETL_COMPILER).
std::unique_ptr<Implementation> make(std::string_view name) {
    if (const auto at = name.find('@'); at != std::string_view::npos)
        return makeEmulated(name.starts_with("one-worker") ? 1 : 0, false, std::string(name.substr(at + 1)));
    if (name == "emulated") return makeEmulated(0);
    if (name == "one-worker") return makeEmulated(1);
    if (name == "collecting") return makeEmulated(1, true);
    if (name == "pocl") return makeOpenCl("/etc/OpenCL/vendors/pocl.icd");
    if (name == "oclgrind") return makeOpenCl("/usr/lib/oclgrind/liboclgrind-rt-icd.so");
    throw std::runtime_error("unknown implementation");
}

std::uint64_t checksum(const std::vector<std::uint32_t>& words) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const std::uint32_t word : words) sum = (sum ^ word) * 0x100000001b3;
    return sum;
}

void printMeasured(Implementation& subject, const Workload& workload, Size size, int repeats) {
    const Run run = workload.make(size);
    const Outcome outcome = subject.measure(workload, run, repeats);
    const bool exact = workload.result == Result::words;
    fmt::print("measured {} {} {} {} model {} {}\n", outcome.time.seconds, outcome.time.processor,
               exact ? checksum(outcome.result) : 0, exact ? 0 : mean(outcome.result, workload.result), outcome.model,
               workload.kernel);
}

/// The child's part: one line a workload, with seconds and checksums. `kernel`: only the workload of that kernel, if
/// any. What needs a device that the compiler does not know comes last, and is left out.
int measure(std::string_view implementation, Size size, int repeats, std::string_view kernel) {
    const auto subject = make(implementation);
    for (const Workload& workload : workloads()) {
        if (!kernel.empty() && kernel != workload.kernel) continue;
        try {
            printMeasured(*subject, workload, size, repeats);
        } catch (const std::exception& error) {
            if (workload.device == nullptr) throw;
            fmt::print(stderr, "emulator_speed: {} is not measured on {}: {}; set ZETL_COMPILER=newest\n",
                       workload.kernel, workload.device, error.what());
        }
    }
    return 0;
}

struct Figure {
    Time time;  ///< 0: not measured
    std::uint64_t checksum = 0;
    double mean = 0;
    bool measured() const { return time.seconds != 0; }
    double rate(const Run& run) const { return measured() ? run.units / time.seconds / 1e6 : 0; }
    double ratePerCore(const Run& run) const { return measured() ? run.units / time.processor / 1e6 : 0; }
};

/// The parent's part: a child measures all workloads.
std::vector<Figure> inChild(const std::string& program, const char* implementation, bool reduced) {
    std::vector<Figure> figures;
    const std::string command =
        fmt::format("'{}' measure {} {} 2>/dev/null", program, implementation, reduced ? "reduced" : "full");
    FILE* output = popen(command.c_str(), "r");
    if (output == nullptr) throw std::runtime_error("cannot start " + command);
    std::array<char, 256> line;
    while (std::fgets(line.data(), line.size(), output) != nullptr) {
        Figure figure;
        unsigned long long sum = 0;
        if (std::sscanf(line.data(), "measured %lf %lf %llu %lf", &figure.time.seconds, &figure.time.processor, &sum,
                        &figure.mean) != 4)
            continue;
        figure.checksum = sum;
        figures.push_back(figure);
    }
    pclose(output);
    if (figures.size() < workloads().size())
        fmt::print("({} measured {} of {} kernels)\n", implementation, figures.size(), workloads().size());
    figures.resize(workloads().size());
    return figures;
}

std::string ratio(double a, double b) { return b == 0 ? std::string("-") : fmt::format("{:.3g}", a / b); }

bool differ(const Figure& a, const Figure& b) {
    constexpr double kClose = 1e-5;
    const bool far = std::abs(a.mean - b.mean) > kClose * std::abs(a.mean);
    return a.measured() && b.measured() && (a.checksum != b.checksum || far);
}

int compare(const std::string& program) {
    const auto all = inChild(program, "emulated", false);
    const auto one = inChild(program, "one-worker", false);
    const auto pocl = inChild(program, "pocl", false);
    const auto oclgrind = inChild(program, "oclgrind", true);
    const auto small = inChild(program, "emulated", true);
    fmt::print("cores: {}, vectors: {}, unit: millions a second, best of {}\n\n", std::thread::hardware_concurrency(),
               zetl::emulator::isa::hostInstructionSet(), kRepeats);
    fmt::print(
        "| kernel | unit | one worker | all workers | scaling | PoCL | of PoCL | a core second | PoCL | of PoCL | "
        "Oclgrind | times |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    int failures = 0;
    for (std::size_t i = 0; i < workloads().size(); ++i) {
        const Workload& workload = workloads()[i];
        if (workload.device != nullptr && !all[i].measured()) {
            fmt::print("{}: not measured, as the compiler does not know {}; set ZETL_COMPILER=newest\n", workload.name,
                       workload.device);
            continue;
        }
        const Run full = workload.make(Size::full);
        const Run reduced = workload.make(Size::reduced);
        const double emulated = all[i].rate(full);
        const double other = oclgrind[i].rate(reduced);
        const bool wrong =
            !all[i].measured() || differ(all[i], pocl[i]) || differ(all[i], one[i]) || differ(small[i], oclgrind[i]);
        const bool slow = workload.device == nullptr && emulated < kTimesOclgrind * other;  // images are no host code
        const double core = all[i].ratePerCore(full);
        const double poclCore = pocl[i].ratePerCore(full);
        fmt::print("| {} | {} | {:.1f} | {:.1f} | {} | {:.1f} | {} | {:.1f} | {:.1f} | {} | {:.3f} | {} |\n",
                   workload.name, workload.unit, one[i].rate(full), emulated, ratio(emulated, one[i].rate(full)),
                   pocl[i].rate(full), ratio(emulated, pocl[i].rate(full)), core, poclCore, ratio(core, poclCore),
                   other, ratio(emulated, other));
        if (wrong) fmt::print("{}: missing or different results\n", workload.name);
        if (slow) fmt::print("{}: slower than {} times Oclgrind\n", workload.name, kTimesOclgrind);
        failures += wrong || slow;
    }
    return failures == 0 ? 0 : 1;
}

/// The words behind the command.
class Arguments {
  public:
    Arguments(int count, char** words) : words_(words, words + count) {}
    std::size_t count() const { return words_.size(); }
    std::string text(std::size_t i, const char* otherwise = "") const {
        return i < words_.size() ? words_[i] : otherwise;
    }
    int number(std::size_t i, int otherwise) const {
        return i < words_.size() ? std::atoi(words_[i].c_str()) : otherwise;
    }

  private:
    std::vector<std::string> words_;
};

struct Command {
    const char* name;
    const char* usage;
    std::size_t least;  ///< words
    std::size_t most;
    int (*run)(const Arguments& words);
};

int measureNamed(const Arguments& words) {
    const std::string name = words.text(1);
    const Size size = name == "reduced" ? Size::reduced : name == "large" ? Size::large : Size::full;
    return measure(words.text(0), size, words.number(2, size == Size::reduced ? kReducedRepeats : kRepeats),
                   words.text(3));
}

constexpr Command kCommands[] = {
    {"measure", "emulated[@DEVICE]|one-worker[@DEVICE]|collecting|pocl|oclgrind full|reduced|large [REPEATS [KERNEL]]",
     2, 4, measureNamed},
    {"checks", "[ROUNDS [KERNEL [GROUPS [DEVICE]]]]", 0, 4,
     [](const Arguments& words) {
         return compareChecks(words.number(0, kRepeats), words.text(1), words.text(2), words.text(3, "max1550"));
     }},
    {"devices", "[ROUNDS [KERNEL]]", 0, 2,
     [](const Arguments& words) { return compareDevices(words.number(0, kRepeats), words.text(1)); }},
    {"sampling", "[REPEATS [KERNEL|unseen|tuning|judging]]", 0, 2,
     [](const Arguments& words) { return compareSampling(words.number(0, kRepeats), words.text(1)); }},
    {"beside", "[ROUNDS [KERNEL]]", 0, 2,
     [](const Arguments& words) { return compareBeside(words.number(0, kRepeats), words.text(1)); }},
    {"starts", "[LAUNCHES]", 0, 1,
     [](const Arguments& words) { return measureStarts(words.number(0, kStartLaunches)); }},
    {"windows", "[KERNEL]", 0, 1, [](const Arguments& words) { return compareWindows(words.text(0)); }},
    {"calibration", "[DEVICE]", 0, 1, [](const Arguments& words) { return compareCalibration(words.text(0)); }},
};

int usage() {
    fmt::print(stderr, "usage: emulator_speed  (beside PoCL and Oclgrind)\n");
    for (const Command& command : kCommands)
        fmt::print(stderr, "       emulator_speed {} {}\n", command.name, command.usage);
    return 2;
}

int run(int argc, char** argv) {
    if (argc == 1) return compare(std::filesystem::read_symlink("/proc/self/exe").string());
    const Arguments words(argc - 2, argv + 2);
    const auto* const command = std::ranges::find(kCommands, std::string_view(argv[1]), &Command::name);
    const bool fits =
        command != std::end(kCommands) && words.count() >= command->least && words.count() <= command->most;
    return fits ? command->run(words) : usage();
}

}  // namespace
}  // namespace zetl::benchmark::emulator

int main(int argc, char** argv) {
    setenv("ZETL_EMULATOR_TRANSLATE", "1", 0);  // small launches, too: when it pays is not what is measured
    try {
        return zetl::benchmark::emulator::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "emulator_speed: {}\n", error.what());
        return 2;
    }
}
