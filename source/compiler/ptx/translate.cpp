// SPIR-V to PTX by LLVM's tools. The command's one file is the module, its arguments are the target, as llc names it,
// and the words of command.h.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ptx/builtins.h"
#include "compiler/ptx/global_offset.h"
#include "compiler/ptx/printf.h"
#include "compiler/ptx/toolchain.h"
#include "compiler/ptx_symbols.h"
#include "compiler/tool.h"
#include "compiler/worker.h"

namespace zetl::compiler {
namespace {

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }
std::string textOf(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// Runs one tool after the other, each on the output of the one before, until one fails.
class Pipeline {
  public:
    Pipeline(Bytes input, std::uint32_t seconds) : bytes_(std::move(input)), seconds_(seconds) {}

    void run(const std::vector<std::string>& words) {
        if (!ending_.empty()) return;
        auto result = runTool(words, bytes_, seconds_);
        log_ += result.words;
        ending_ = std::move(result.ending);
        bytes_ = std::move(result.output);
    }
    template <class F>
    void change(F&& function) {
        if (ending_.empty()) bytes_ = bytesOf(function(textOf(bytes_)));
    }
    bool good() const noexcept { return ending_.empty(); }
    const Bytes& bytes() const noexcept { return bytes_; }
    std::string text() const { return textOf(bytes_); }
    std::string log() const { return ending_.empty() ? log_ : log_ + ending_ + "\n"; }

  private:
    Bytes bytes_;
    std::uint32_t seconds_;
    std::string log_;
    std::string ending_;
};

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : ",") + word;
    return all;
}

/// PTX with source lines and no other debug information: NVIDIA's compiler makes line tables of the lines, and refuses
/// LLVM's sections.
std::string withLinesAlone(std::string ptx) {
    constexpr std::string_view kDebug = ", debug\n";
    if (const auto at = ptx.find(kDebug); at < ptx.find(".address_size")) ptx.erase(at, kDebug.size() - 1);
    return ptx.substr(0, ptx.find("\t.section\t.debug_"));
}

/// What the module has for others: kernels and variables, and functions if it is to be linked.
std::vector<std::string> keptIn(std::string_view module, bool isLibrary) {
    auto names = kernelsOf(module);
    for (auto& each : exportsOf(module))
        if (isLibrary || !each.isFunction) names.push_back(std::move(each.name));
    return names;
}

Answer translate(const Toolchain& tools, const Command& command) {
    const auto asked = [&](std::string_view what) {
        return std::ranges::find(command.arguments, what) != command.arguments.end();
    };
    const bool keepsLines = asked(kKeepLines);
    const bool isLibrary = asked(kForLinking);
    const bool optimizes = !asked(kWithoutOptimization);
    const auto& module = command.files.front().bytes;
    Pipeline pipeline({module.begin(), module.end()}, command.seconds);
    pipeline.run({tools.translator, "-r", "--spirv-target-env=CL2.0", "-o", "-", kInputFile});
    pipeline.run({tools.disassembler, "-o", "-", kInputFile});
    pipeline.change(
        [&](const std::string& text) { return withBuiltins(withPrintf(withNvidiasConventions(text)), !isLibrary); });
    pipeline.change(withOffsetParameters);
    const bool takesOffset = hasOffsetParameters(pipeline.text());
    const auto kept = joined(keptIn(pipeline.text(), isLibrary));
    const auto local = localParametersOf(pipeline.text());
    const auto groups = requiredGroupsOf(pipeline.text());
    pipeline.run({tools.linker, "--only-needed", "-o", "-", kInputFile, tools.library});
    std::vector<std::string> optimize{tools.optimizer,
                                      optimizes
                                          ? "-passes=internalize,strip-dead-prototypes,default<O2>,globalopt,globaldce"
                                          : "-passes=internalize,always-inline,globaldce,strip-dead-prototypes",
                                      "-internalize-public-api-list=" + kept,
                                      "-o",
                                      "-",
                                      kInputFile};
    if (!keepsLines) optimize.emplace_back("-strip-debug");
    pipeline.run(optimize);
    // At -O0, LLVM 14 cannot cast pointers from one address space to another by way of the generic one.
    pipeline.run({tools.generator, "-march=nvptx64", "-mcpu=" + command.arguments.front(), "-dwarf-directory=0",
                  optimizes ? "-O2" : "-O1", "-o", "-", kInputFile});
    if (keepsLines) pipeline.change(withLinesAlone);
    pipeline.change(
        [&](const std::string& ptx) { return withRequiredGroups(withLocalParameters(ptx, local), groups); });
    if (takesOffset) pipeline.change(withOffsetMark);
    Answer answer;
    answer.log = pipeline.log();
    answer.code = pipeline.good() ? 0 : 1;
    for (const auto& name : pipeline.good() && !isLibrary ? symbolsOf(pipeline.text()).imports : SymbolNames()) {
        answer.log += fmt::format(
            "{}: there is no such function for NVIDIA's GPUs; if another module defines it, build with "
            "-ze-library-compilation\n",
            name);
        answer.code = 1;
    }
    if (answer.code == 0) answer.output = pipeline.bytes();
    return answer;
}

}  // namespace

Answer runHere(const Command& command) {
    std::string reason;
    const auto tools = Toolchain::find(reason);
    if (!tools) return Answer::unusable(std::move(reason));
    Answer answer = command.arguments.empty() || command.files.empty() ? Answer{} : translate(*tools, command);
    answer.compiler = fmt::format("LLVM {} with {}", tools->version, tools->library);
    answer.made = tools->files();
    return answer;
}

}  // namespace zetl::compiler
