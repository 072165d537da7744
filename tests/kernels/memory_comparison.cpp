// Runs a program's kernels in two builds, the default one and -cl-opt-disable, on the same pseudo-random buffers, and
// compares all memory afterwards. It needs no expectation: the two builds share hardly an instruction, so an error of
// the emulator shows as a difference.   memory_comparison FILE.cl ...
//
// A kernel that races with itself differs rightly; it is named with --ignore=KERNEL=REASON.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "binary/native_binary.h"
#include "device_under_test.h"
#include "emulator/module/compiler.h"

namespace {

using namespace zetl::kernels;
namespace module = zetl::emulator::module;

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::uint32_t kLocalBytes = 4096;
constexpr std::uint32_t kScalar = 5;
constexpr std::uint32_t kItems = 64;
constexpr std::uint32_t kGroup = 32;

std::string contents(const char* file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Small values, so that data used as index, count or shift stays inside the buffers.
Bytes randomBuffer(std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    Bytes bytes(kBufferBytes);
    for (std::size_t at = 0; at < bytes.size(); at += 4) bytes[at] = static_cast<std::uint8_t>(generator() & 63);
    return bytes;
}

std::vector<CaseArgument> argumentsOf(const zetl::binary::KernelImage& kernel) {
    std::vector<CaseArgument> arguments;
    for (const zetl::binary::KernelArgument& argument : kernel.arguments) {
        CaseArgument value;
        if (argument.kind == zetl::binary::KernelArgument::Kind::pointer) {
            value.bytes = randomBuffer(arguments.size() + 1);
        } else if (argument.kind == zetl::binary::KernelArgument::Kind::localPointer) {
            value.kind = CaseArgument::Kind::local;
            value.localBytes = kLocalBytes;
        } else {
            value.kind = CaseArgument::Kind::scalar;
            value.bytes.resize(std::max(argument.size, 1u));
            value.bytes[0] = kScalar;
        }
        arguments.push_back(std::move(value));
    }
    return arguments;
}

CaseLaunch launchOf(const zetl::binary::KernelImage& kernel) {
    CaseLaunch launch;
    launch.kernel = kernel.name;
    const auto& required = kernel.environment.requiredGroupSize;
    if (required[0] != 0) {
        launch.local = required;
        for (int i = 0; i < 3; ++i) launch.global[i] = required[i] * (i == 0 ? 2 : 1);
        launch.dimensions = 3;
    } else {
        launch.local[0] = kGroup;
        launch.global[0] = kItems;
    }
    return launch;
}

/// The first byte at which the buffers of two runs differ, in words; empty if they agree.
std::string difference(const std::vector<CaseArgument>& a, const std::vector<CaseArgument>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].kind != CaseArgument::Kind::buffer || a[i].bytes == b[i].bytes) continue;
        const auto at = std::ranges::mismatch(a[i].bytes, b[i].bytes).in1 - a[i].bytes.begin();
        return fmt::format("argument {} differs from byte {}", i, at);
    }
    return {};
}

struct Tally {
    int same = 0;
    int different = 0;
    int ignored = 0;
    int refused = 0;
};

/// While it exists, its kernel has a minute: random data may keep a loop from ending. The program ends with the name
/// then.
class TimeLimit {
  public:
    explicit TimeLimit(const std::string& kernel) {
        message_ = fmt::format("ENDLESS    {}: not done after {} s; ignore it by name\n", kernel, kSeconds);
        signal(SIGALRM, [](int) {
            [[maybe_unused]] const auto written = write(STDOUT_FILENO, message_.data(), message_.size());
            _exit(1);
        });
        alarm(kSeconds);
    }
    ~TimeLimit() { alarm(0); }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

  private:
    static constexpr unsigned kSeconds = 60;
    static inline std::string message_;
};

void compareKernel(const zetl::binary::KernelImage& kernel, BuiltProgram& fast, BuiltProgram& plain, Tally& tally) {
    const CaseLaunch launch = launchOf(kernel);
    std::vector<CaseArgument> first = argumentsOf(kernel);
    std::vector<CaseArgument> second = first;
    const TimeLimit limit(kernel.name);
    try {
        fast.run(kernel.name, launch, first);
        plain.run(kernel.name, launch, second);
    } catch (const std::exception& problem) {
        ++tally.refused;
        fmt::print("refused    {}: {}\n", kernel.name, problem.what());
        return;
    }
    const std::string found = difference(first, second);
    ++(found.empty() ? tally.same : tally.different);
    if (!found.empty()) fmt::print("DIFFERENT  {}: {}\n", kernel.name, found);
}

void compareFile(const char* file, const std::map<std::string, std::string>& ignored, Tally& tally) {
    const std::string source = contents(file);
    const std::string options = "-cl-std=CL2.0";
    const auto* text = reinterpret_cast<const std::uint8_t*>(source.data());
    const auto built = module::compile({.language = module::CompileRequest::Language::openclC,
                                        .source = {text, source.size()},
                                        .buildFlags = options,
                                        .constants = {}});
    const auto image = built ? zetl::binary::readNative(built.binary)
                             : zetl::binary::Outcome<zetl::binary::ModulePointer>(built.outcome.error());
    if (!image) {
        ++tally.refused;
        fmt::print("refused    {}: {}\n", file, built ? image.error().message : built.log);
        return;
    }
    const auto fast = buildForLevelZero(source, options, Form::zebin);
    const auto plain = buildForLevelZero(source, options + " -cl-opt-disable", Form::zebin);
    for (const zetl::binary::KernelImage& kernel : (*image)->kernels) {
        const auto reason = ignored.find(kernel.name);
        if (reason == ignored.end()) {
            compareKernel(kernel, *fast, *plain, tally);
        } else {
            ++tally.ignored;
            fmt::print("ignored    {}: {}\n", kernel.name, reason->second);
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    setenv("ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU, 0);
    std::map<std::string, std::string> ignored;
    Tally tally;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word.starts_with("--ignore=")) {
            const std::size_t equals = word.find('=', 9);
            ignored[word.substr(9, equals - 9)] = equals == std::string::npos ? "" : word.substr(equals + 1);
        } else {
            compareFile(arguments[i], ignored, tally);
        }
    }
    fmt::print("{} kernels agree, {} differ, {} ignored, {} refused\n", tally.same, tally.different, tally.ignored,
               tally.refused);
    return tally.same > 0 && tally.different == 0 ? 0 : 1;
}
