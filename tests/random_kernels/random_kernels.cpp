// Random kernels on PoCL and on the emulated GPU, in every build and by every way of executing: each work-item's
// results, the counters and the scratch memory must be the same bit for bit.
//
//   random_kernels [--first NUMBER] [--count N] [--seconds N] [--every-build | --build BUILD] [--options TEXT]
//                  [--references DIRECTORY] [--keep DIRECTORY]   compares; what PoCL has computed is in DIRECTORY, or
//                  is put there
//   random_kernels --first NUMBER --show                                           prints one kernel's source
//   random_kernels --first NUMBER --reduce BUILD EXECUTION [--keep DIRECTORY]      leaves out statements and
//   expressions that make no difference
//
// Exit code 1 if a kernel differs or faults.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string_view>
#include <utility>

#include "isolated_run.h"

namespace zetl::random_kernels {
namespace {

constexpr const char* kFloatOptions = "-cl-fp32-correctly-rounded-divide-sqrt -cl-std=CL1.2";

struct Build {
    const char* name;
    const char* options;
};
constexpr Build kBuilds[] = {
    {"default", ""},
    {"simd16", "-DSIMD=16"},
    {"simd32", "-DSIMD=32"},
    {"unoptimised", "-cl-opt-disable"},
    {"registers256", "-cl-intel-256-GRF-per-thread"},
    {"simd16-registers256", "-DSIMD=16 -cl-intel-256-GRF-per-thread"},
    {"simd32-registers256", "-DSIMD=32 -cl-intel-256-GRF-per-thread"},
};

struct Execution {
    const char* name;
    const char* translate;
    const char* vectors;
};
constexpr Execution kExecutions[] = {
    {"translated", "1", ""}, {"avx512", "0", "avx512"}, {"avx2", "0", "avx2"}, {"sse4", "0", "sse4"}};

/// PoCL takes half a second to begin, so that its modules are large; Intel's compiler takes the longer for each kernel
/// the larger the module is.
constexpr std::uint64_t kSeries = 40;
constexpr std::uint64_t kModule = 8;

struct Options {
    std::uint64_t first = 1;
    std::uint64_t count = 20;
    std::chrono::seconds time = std::chrono::hours(24 * 365);
    std::string keep;
    std::string references;  ///< a directory of PoCL's results
    std::string options;     ///< of the compiler, besides
    std::string build;       ///< the only one, instead of its turn
    bool everyBuild = false;
    bool show = false;
    std::string reducedBuild;
    std::string reducedExecution;
};

/// A directory of this run: caches, which nobody needs afterwards.
class Workspace {
  public:
    Workspace() {
        std::string name = (std::filesystem::temp_directory_path() / "random_kernels.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for caches");
        path_ = name;
    }
    ~Workspace() { clear(); }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    std::string directory(const char* name) const {
        std::filesystem::create_directories(path_ / name);
        return (path_ / name).string();
    }
    void clear() const {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

  private:
    std::filesystem::path path_;
};

/// Without optimization PoCL needs a third of the time, and its errors are fewer.
Setup reference(const Workspace& workspace) {
    return {"PoCL",
            [](const std::string& source) {
                return kernels::buildForPocl(source, fmt::format("{} -cl-opt-disable", kFloatOptions));
            },
            {{"OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd"}, {"POCL_CACHE_DIR", workspace.directory("pocl")}}};
}

Setup emulated(const Build& build, const Execution& execution, const Workspace& workspace,
               const std::shared_ptr<Refusals>& refusals = std::make_shared<Refusals>(),
               std::string_view furtherOptions = {}) {
    return {fmt::format("{}/{}", build.name, execution.name),
            [options = fmt::format("{} {} {}", kFloatOptions, build.options, furtherOptions)](
                const std::string& source) { return kernels::buildForLevelZero(source, options, false); },
            {{"ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU},
             {"ZETL_EMULATED_DEVICE", "small"},
             {"ZETL_EMULATOR_TRANSLATE", execution.translate},
             {"ZETL_EMULATOR_VECTORS", execution.vectors},
             {"ZETL_BUILD_CACHE", workspace.directory("builds")}},
            refusals};
}

std::uint64_t element(const kernels::Bytes& bytes, std::ptrdiff_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[static_cast<std::size_t>(at) * 8], sizeof value);
    return value;
}

/// Where two runs of a kernel part; empty if they do not.
std::string difference(const Outcome& expected, const Outcome& found) {
    if (found.kind != Outcome::Kind::ran) return found.problem;
    for (std::size_t i = 0; i < expected.buffers.size(); ++i) {
        const kernels::Bytes& a = expected.buffers[i];
        const kernels::Bytes& b = found.buffers[i];
        if (a == b) continue;
        std::size_t wrong = 0;
        for (std::size_t at = 0; at < a.size(); at += 8) wrong += !std::equal(&a[at], &a[at] + 8, &b[at]);
        const auto first = (std::ranges::mismatch(a, b).in1 - a.begin()) / 8;
        return fmt::format("{} of {} elements of buffer {} differ, the first is {}: {:#x}, not {:#x}", wrong,
                           a.size() / 8, i, first, element(b, first), element(a, first));
    }
    return {};
}

void keep(const std::string& directory, const RandomKernel& kernel) {
    if (directory.empty()) return;
    std::filesystem::create_directories(directory);
    std::ofstream(fmt::format("{}/{}.cl", directory, kernel.number)) << kernel.source;
}

struct Tally {
    std::uint64_t kernels = 0;
    std::uint64_t compared = 0;  ///< in one execution or more
    std::uint64_t withoutReference = 0;
    std::uint64_t runs = 0;
    std::uint64_t inScratch = 0;  ///< of the runs, those of kernels with spilled registers or private arrays in memory
    std::uint64_t refused = 0;
    std::uint64_t wrong = 0;
    std::uint64_t wrongInScratch = 0;
};

class Comparison {
  public:
    explicit Comparison(const Options& options) : options_(options) {}

    bool all() {
        const auto end = std::chrono::steady_clock::now() + options_.time;
        for (std::uint64_t done = 0; done < options_.count && std::chrono::steady_clock::now() < end; done += kSeries) {
            series(options_.first + done, std::min(kSeries, options_.count - done));
            fmt::print(
                "{} kernels: {} compared in {} runs ({} of them with scratch), {} differ ({} of them with scratch), "
                "{} not built, {} without reference\n",
                tally_.kernels, tally_.compared, tally_.runs, tally_.inScratch, tally_.wrong, tally_.wrongInScratch,
                tally_.refused, tally_.withoutReference);
            std::fflush(stdout);
        }
        return tally_.wrong == 0 && tally_.runs > 0;
    }

  private:
    const Options& options_;
    Workspace workspace_;
    Tally tally_;
    std::array<bool, kModule> compared_{};

    void series(std::uint64_t first, std::uint64_t count) {
        std::vector<RandomKernel> kernels;
        for (std::uint64_t i = 0; i < count; ++i) kernels.push_back(writeKernel(first + i));
        tally_.kernels += count;
        const std::vector<Outcome> expected = references(kernels);
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (expected[i].kind == Outcome::Kind::ran) continue;
            ++tally_.withoutReference;
            fmt::print("NO REFERENCE {}: {}\n", kernels[i].number, shortened(expected[i].problem));
        }
        for (std::uint64_t at = 0; at < count; at += kModule) {
            const auto size = std::min(kModule, count - at);
            module(std::span(kernels).subspan(at, size), std::span(expected).subspan(at, size));
        }
        workspace_.clear();
    }

    std::vector<Outcome> references(std::span<const RandomKernel> kernels) const {
        const auto path = [&](const RandomKernel& k) { return fmt::format("{}/{}", options_.references, k.number); };
        std::vector<Outcome> found;
        if (!options_.references.empty())
            for (const RandomKernel& kernel : kernels)
                if (auto outcome = stored(path(kernel))) found.push_back(*std::move(outcome));
        if (found.size() == kernels.size()) return found;
        found = run(reference(workspace_), kernels);
        if (options_.references.empty()) return found;
        std::filesystem::create_directories(options_.references);
        for (std::size_t i = 0; i < kernels.size(); ++i) store(path(kernels[i]), found[i]);
        return found;
    }

    bool builds(std::size_t build, std::size_t turn) const {
        return options_.everyBuild || (options_.build.empty() ? build == turn : options_.build == kBuilds[build].name);
    }

    /// One build of each module, executed in every way.
    void module(std::span<const RandomKernel> kernels, std::span<const Outcome> expected) {
        const std::size_t turn = kernels.front().number / kModule % std::size(kBuilds);
        for (std::size_t i = 0; i < std::size(kBuilds); ++i) {
            if (!builds(i, turn)) continue;
            const auto refusals = std::make_shared<Refusals>();
            for (const Execution& execution : kExecutions)
                compare(emulated(kBuilds[i], execution, workspace_, refusals, options_.options), kernels, expected);
        }
        for (std::size_t i = 0; i < kernels.size(); ++i) tally_.compared += std::exchange(compared_[i], false);
    }

    void compare(const Setup& setup, std::span<const RandomKernel> kernels, std::span<const Outcome> expected) {
        const std::vector<Outcome> found = run(setup, kernels);
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (found[i].kind == Outcome::Kind::refused) {
                ++tally_.refused;
                fmt::print("NOT BUILT {} {}: {}\n", kernels[i].number, setup.name, shortened(found[i].problem));
                continue;
            }
            if (expected[i].kind != Outcome::Kind::ran) continue;
            ++tally_.runs;
            compared_[i] = true;
            const bool inScratch = found[i].spilledBytes != 0;
            tally_.inScratch += inScratch;
            const std::string what = difference(expected[i], found[i]);
            if (what.empty()) continue;
            ++tally_.wrong;
            tally_.wrongInScratch += inScratch;
            fmt::print("DIFFERS {} {}{}: {}\n", kernels[i].number, setup.name, inScratch ? " with scratch" : "", what);
            keep(options_.keep, kernels[i]);
        }
    }

    static std::string shortened(std::string text) {
        std::ranges::replace(text, '\n', ' ');
        return text.substr(0, 200);
    }
};

/// Leaves out statements as long as one setup keeps the problem that it has.
class Reduction {
  public:
    explicit Reduction(const Options& options) : number_(options.first), keep_(options.keep) {
        for (const Build& build : kBuilds)
            for (const Execution& execution : kExecutions)
                if (build.name == options.reducedBuild && execution.name == options.reducedExecution)
                    setup_ = emulated(build, execution, workspace_);
        if (!setup_) throw std::runtime_error("no such build or execution");
    }

    bool shrink() {
        problem_ = problemOf({});
        if (problem_ == Problem::none) return false;
        const RandomKernel whole = writeKernel(number_);
        shrink(&Parts::statements, whole.statements);
        shrink(&Parts::expressions, whole.expressions);
        problemOf(omitted_);
        std::cout << "// " << words_ << '\n' << writeKernel(number_, omitted_).source;
        return true;
    }

  private:
    enum class Problem : std::uint8_t { none, notBuilt, fails, differs };
    std::uint64_t number_;
    std::string keep_;  ///< a directory for what a reduction that is ended has reached
    Workspace workspace_;
    std::optional<Setup> setup_;
    Problem problem_ = Problem::none;
    std::string words_;  ///< of the program that was tried last: where it differs
    Parts omitted_;

    void shrink(std::set<int> Parts::*kind, int count) {
        for (int piece = count; piece > 0; piece /= 2)
            for (int from = 0; from < count; from += piece) tryWithout(kind, from, std::min(from + piece, count));
    }
    void tryWithout(std::set<int> Parts::*kind, int from, int to) {
        Parts more = omitted_;
        for (int i = from; i < to; ++i) (more.*kind).insert(i);
        const bool same = writeKernel(number_, more).source == writeKernel(number_, omitted_).source;
        if (!same && problemOf(more) != problem_) return;
        omitted_ = std::move(more);
        if (!same) keep(keep_, writeKernel(number_, omitted_));
    }
    Problem problemOf(const Parts& omitted) {
        const std::vector<RandomKernel> kernels{writeKernel(number_, omitted)};
        const Outcome found = run(*setup_, kernels).front();
        if (found.kind == Outcome::Kind::refused) return Problem::notBuilt;
        const Outcome expected =
            problem_ == Problem::notBuilt ? Outcome{} : run(reference(workspace_), kernels).front();
        workspace_.clear();
        if (expected.kind != Outcome::Kind::ran) return Problem::none;
        words_ = difference(expected, found);
        if (words_.empty()) return Problem::none;
        return found.kind == Outcome::Kind::failed ? Problem::fails : Problem::differs;
    }
};

Options parse(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const auto value = [&] {
            if (++i >= count) throw std::runtime_error(fmt::format("{} wants a value", word));
            return std::string(words[i]);
        };
        if (word == "--first") {
            options.first = std::stoull(value());
        } else if (word == "--count") {
            options.count = std::stoull(value());
        } else if (word == "--seconds") {
            options.time = std::chrono::seconds(std::stoull(value()));
        } else if (word == "--keep") {
            options.keep = value();
        } else if (word == "--references") {
            options.references = value();
        } else if (word == "--options") {
            options.options = value();
        } else if (word == "--build") {
            options.build = value();
        } else if (word == "--every-build") {
            options.everyBuild = true;
        } else if (word == "--show") {
            options.show = true;
        } else if (word == "--reduce") {
            options.reducedBuild = value();
            options.reducedExecution = value();
        } else {
            throw std::runtime_error(fmt::format("unknown: {}", word));
        }
    }
    return options;
}

bool act(const Options& options) {
    if (options.show) return !!(std::cout << prelude() << writeKernel(options.first).source);
    if (!options.reducedBuild.empty()) return Reduction(options).shrink();
    return Comparison(options).all();
}

}  // namespace
}  // namespace zetl::random_kernels

int main(int count, char** words) {
    try {
        return zetl::random_kernels::act(zetl::random_kernels::parse(count, words)) ? 0 : 1;
    } catch (const std::exception& problem) {
        fmt::print(stderr, "random_kernels: {}\n", problem.what());
        return 2;
    }
}
