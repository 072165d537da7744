#include "coverage/source_counts.h"

#include <fmt/format.h>
#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>

#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "coverage/ways.h"
#include "executed/format.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

using correlation::Instruction;
using correlation::Kernel;
using correlation::Place;

const isa::xe::Architecture& architectureOf(const executed::ModuleCounts& module) {
    const auto file = binary::readElf(module.image);
    const auto* const product = file ? binary::statedProduct(*file) : nullptr;
    return product != nullptr ? *product->architecture : isa::xe::kXeHpc;
}

/// A function where it was inlined, or where it was not: its copies count one by one.
struct FunctionCopy {
    std::string function;
    std::string file;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool begun = false;
    std::uint64_t entered = 0;  ///< the executions of its first instruction
    std::uint64_t most = 0;     ///< of any of its instructions
    std::map<std::uint32_t, std::uint64_t> lines;
    /// Lines that call inlined functions, by the executions of the first instruction.
    std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> calls;

    std::uint64_t count() const { return entered > 0 ? entered : most; }
};

bool isKnown(const Place& place) { return place.line > 0 && !place.file.empty(); }

std::string chainOf(std::span<const Place> callers) {
    std::string text;
    for (const Place& each : callers) text += fmt::format("|{}:{}:{}", each.file, each.line, each.column);
    return text;
}

class KernelLines {
  public:
    void add(std::span<const Place> places, std::uint64_t executed, bool first) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!isKnown(places[i])) continue;
            FunctionCopy& copy = copyOf(places[i], chainOf(places.subspan(i + 1)));
            const auto line = static_cast<std::uint32_t>(places[i].line);
            if (!copy.begun) copy.entered = executed;
            copy.begun = true;
            copy.first = std::min(copy.first, line);
            copy.last = std::max(copy.last, line);
            copy.most = std::max(copy.most, executed);
            if (first && i + 1 == places.size()) copy.entered = std::max(copy.entered, executed);
            if (i == 0)
                copy.lines[line] = std::max(copy.lines[line], executed);
            else if (std::uint64_t& calls = copy.calls[{places[i].file, line}]; calls == 0)
                calls = executed;
        }
    }

    void addTo(Sources& sources) const {
        for (const auto& [key, copy] : copies_) {
            for (const auto& [line, count] : copy.lines) sources[copy.file].addLine(line, count);
            for (const auto& [place, count] : copy.calls)
                if (place.first != copy.file || !copy.lines.contains(place.second))
                    sources[place.first].addLine(place.second, count);
            if (!copy.function.empty())
                sources[copy.file].addFunction({demangled(copy.function), copy.first, copy.last, copy.count()});
        }
    }

  private:
    std::map<std::string, FunctionCopy> copies_;

    FunctionCopy& copyOf(const Place& place, const std::string& chain) {
        const auto [found, fresh] = copies_.try_emplace(place.function + '|' + place.file + chain);
        FunctionCopy& copy = found->second;
        if (fresh) {
            copy.function = place.function;
            copy.file = place.file;
            copy.first = static_cast<std::uint32_t>(place.line);
            copy.last = copy.first;
        }
        return copy;
    }
};

class ModuleReader {
  public:
    ModuleReader(const executed::ModuleCounts& module, const CoverageFilter& filter)
        : module_(module), filter_(filter), architecture_(architectureOf(module)) {
        std::string failure;
        binary_ = correlation::Binary::read(module.image, failure);
        if (!binary_) throw std::runtime_error(failure);
    }

    std::vector<KernelCounts> kernels() const {
        std::vector<KernelCounts> all;
        for (const Kernel& kernel : binary_->kernels()) {
            if (!filter_.kernels.match(kernel.name) && !filter_.kernels.match(demangled(kernel.name))) continue;
            KernelCounts counts = read(kernel);
            // Modules without functions have a place for them, too.
            const bool isEmpty = counts.kernel.executed == 0 && !counts.kernel.withoutLines.empty();
            if (kernel.launchable || !isEmpty) all.push_back(std::move(counts));
        }
        return all;
    }

  private:
    const executed::ModuleCounts& module_;
    const CoverageFilter& filter_;
    const isa::xe::Architecture& architecture_;
    std::unique_ptr<correlation::Binary> binary_;

    std::uint64_t executed(const Kernel& kernel, std::uint32_t offset) const {
        const std::uint64_t word = (kernel.address + offset - module_.codeBase) / executed::kCountedBytes;
        return word < module_.executed.size() ? module_.executed[word] : 0;
    }

    std::vector<Place> placesOf(const Kernel& kernel, std::uint32_t offset) const {
        auto places = binary_->sourceOf(kernel, offset);
        if (places.empty() || filter_.sources.match(places.front().file)) return places;
        std::erase_if(places, [&](const Place& each) { return !filter_.sources.match(each.file); });
        return places;
    }

    KernelCounts read(const Kernel& kernel) const {
        KernelCounts counts;
        counts.kernel.name = kernel.name;
        KernelLines lines;
        bool anyLine = false;
        const CodeWays ways = waysIn(architecture_, binary_->code(kernel), kernel.launchable,
                                     [&](std::uint32_t offset) { return executed(kernel, offset); });
        for (const Instruction& each : binary_->instructions(kernel)) {
            const std::uint64_t times = executed(kernel, each.offset);
            ++counts.kernel.instructions;
            counts.kernel.executed += times > 0 ? 1 : 0;
            // Threads may begin behind the first instructions, which load arguments.
            const bool inFirstBlock = each.offset < ways.firstBlockEnd;
            if (inFirstBlock) counts.kernel.threads = std::max(counts.kernel.threads, times);
            const auto places = placesOf(kernel, each.offset);
            anyLine = anyLine || !places.empty();
            lines.add(places, times, inFirstBlock);
        }
        if (!anyLine) counts.kernel.withoutLines = whyWithoutLines(kernel);
        lines.addTo(counts.sources);
        addBranches(kernel, ways, counts.sources);
        return counts;
    }

    bool hasLines(const Kernel& kernel) const {
        return std::ranges::any_of(binary_->instructions(kernel), [&](const Instruction& each) {
            return !binary_->sourceOf(kernel, each.offset).empty();
        });
    }

    std::string whyWithoutLines(const Kernel& kernel) const {
        if (hasLines(kernel)) return "--sources leaves out all files that it has lines of";
        return binary_->withoutLines().empty() ? "its line table has no row for it" : binary_->withoutLines();
    }

    void addBranches(const Kernel& kernel, const CodeWays& ways, Sources& sources) const {
        std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> blocks;
        for (const Decision& decision : ways.decisions) {
            const auto places = placesOf(kernel, decision.offset);
            if (places.empty() || !isKnown(places.front())) continue;
            const auto line = static_cast<std::uint32_t>(places.front().line);
            const std::uint32_t block = blocks[{places.front().file, line}]++;
            for (std::uint32_t way = 0; way < decision.taken.size(); ++way)
                sources[places.front().file].addBranch(
                    {line, block, way},
                    decision.reached ? std::optional<std::uint64_t>(decision.taken[way]) : std::nullopt);
        }
    }
};

}  // namespace

std::vector<KernelCounts> kernelsOf(const executed::ModuleCounts& module, const CoverageFilter& filter) {
    return ModuleReader(module, filter).kernels();
}

}  // namespace zetl::command
