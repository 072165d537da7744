// Random kernels on PoCL and on the emulated GPU, in every build and by every way of executing: each work-item's
// results, the counters and the scratch memory must be the same bit for bit.
// Options: --help.
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

#include "hidden_calls.h"
#include "isolated_run.h"
#include "options.h"
#include "setups.h"

namespace zetl::random_kernels {
namespace {

/// PoCL takes half a second to begin, so that its modules are large; Intel's compiler takes the longer for each kernel
/// the larger the module is.
constexpr std::uint64_t kSeries = 40;
constexpr std::uint64_t kModule = 8;
/// Exit code if the compiler does not know the device.
constexpr int kSkipped = 77;

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

    /// The exit code.
    int all() {
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
        if (tally_.runs == 0 && compilerIsOlder_) return kSkipped;
        return tally_.wrong == 0 && tally_.runs > 0 ? 0 : 1;
    }

  private:
    const Options& options_;
    Workspace workspace_;
    Tally tally_;
    std::array<bool, kModule> compared_{};
    bool compilerIsOlder_ = false;  ///< than the device

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
                compare({kBuilds[i], execution, refusals}, kernels, expected);
        }
        for (std::size_t i = 0; i < kernels.size(); ++i) tally_.compared += std::exchange(compared_[i], false);
    }

    struct Way {
        const Build& build;
        const Execution& execution;
        std::shared_ptr<Refusals> refusals;
    };

    void compare(const Way& way, std::span<const RandomKernel> kernels, std::span<const Outcome> expected) {
        const Setup setup = emulated(way.build, way.execution, workspace_,
                                     {options_.options, options_.hidden, options_.device}, way.refusals);
        const std::vector<Outcome> found = run(setup, kernels);
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (found[i].kind == Outcome::Kind::refused) {
                ++tally_.refused;
                compilerIsOlder_ |= found[i].problem.find("does not build for") != std::string::npos;
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
            if (&way.execution == kExecutions && readsUnwritten(way, kernels.subspan(i, 1), found[i]))
                fmt::print("UNWRITTEN {} {}: its results depend on scratch or private memory that it has not written\n",
                           kernels[i].number, setup.name);
            if (options_.hideEach && &way.execution == kExecutions) hideEach(way, kernels.subspan(i, 1), expected[i]);
        }
    }

    /// Whether a kernel's results change with what threads find in their own memory.
    bool readsUnwritten(const Way& way, std::span<const RandomKernel> kernel, const Outcome& found) const {
        if (found.kind != Outcome::Kind::ran) return false;
        Compilation compilation{options_.options, options_.hidden, options_.device};
        compilation.fill = "170";
        const Outcome filled = run(emulated(way.build, way.execution, workspace_, compilation), kernel).front();
        return filled.kind == Outcome::Kind::ran && filled.buffers != found.buffers;
    }

    /// Which function of a kernel that differs makes it agree where that alone is hidden.
    void hideEach(const Way& way, std::span<const RandomKernel> kernel, const Outcome& expected) const {
        for (const std::string& function : hidable(kernel.front().source)) {
            const Setup setup =
                emulated(way.build, way.execution, workspace_, {options_.options, {function}, options_.device});
            if (difference(expected, run(setup, kernel).front()).empty())
                fmt::print("AGREES {} {} without {}\n", kernel.front().number, setup.name, function);
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
                    setup_ = emulated(build, execution, workspace_, {{}, {}, options.device});
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

int act(const Options& options) {
    if (options.help) return std::fputs(kUsage, stdout) >= 0 ? 0 : 1;
    if (options.show) return std::cout << prelude() << writeKernel(options.first).source ? 0 : 1;
    withHiddenCalls(prelude(), options.hidden);  // throws before anything is built
    if (!options.reducedBuild.empty()) return Reduction(options).shrink() ? 0 : 1;
    return Comparison(options).all();
}

}  // namespace
}  // namespace zetl::random_kernels

int main(int count, char** words) {
    try {
        return zetl::random_kernels::act(zetl::random_kernels::parse(count, words));
    } catch (const std::exception& problem) {
        fmt::print(stderr, "random_kernels: {}\n", problem.what());
        return 2;
    }
}
