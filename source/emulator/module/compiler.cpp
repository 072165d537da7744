#include "emulator/module/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/log.h"
#include "base/settings.h"
#include "binary/spirv_builtins.h"
#include "binary/spirv_local_pointers.h"
#include "binary/spirv_logic.h"
#include "binary/spirv_merging_loads.h"
#include "binary/spirv_parts.h"
#include "binary/spirv_pointers.h"
#include "binary/ze_info_local_pointers.h"
#include "binary/zebin_parts.h"
#include "compiler/build_cache.h"
#include "emulator/module/build_options.h"
#include "emulator/module/side_by_side.h"

namespace zetl::emulator::module {
namespace {

CompileResult failed(binary::Error error, std::string log = {}) {
    if (log.empty()) log = error.message;
    return {.binary = {}, .log = std::move(log), .profileFlags = 0, .outcome = std::move(error)};
}

CompileResult buildFailed(const char* step, compiler::Answer answer) {
    if (!answer.missing.empty()) return failed({binary::Cause::compilerMissing, std::move(answer.missing)});
    const std::string by = answer.compiler.empty() ? "" : fmt::format(" ({})", answer.compiler);
    return failed({binary::Cause::buildFailed, fmt::format("the {} ended with code {}{}", step, answer.code, by)},
                  std::move(answer.log));
}

/// A compiler that is older than the device. (Intel's compute-runtime, shared/offline_compiler/source.)
CompileResult refusedDevice(const compiler::Answer& answer, std::string_view device) {
    return failed({binary::Cause::compilerMissing,
                   fmt::format("{} does not build for {}; install a newer compiler: `scripts/compiler newest` or `pip "
                               "install ze-tools-layer-compiler`",
                               answer.compiler, device)});
}
bool refusesDevice(const compiler::Answer& answer) {
    return answer.code != 0 && answer.log.find("Cannot get HW Info for device") != std::string::npos;
}

bool succeeded(const compiler::Answer& answer) {
    return answer.missing.empty() && answer.code == 0 && !answer.output.empty();
}

/// Whether the compiler may be run, or only former results may be used.
enum class Ask : std::uint8_t { compiler, cache };

compiler::Answer invoke(std::vector<std::string> arguments, std::vector<compiler::Command::File> files, Ask ask,
                        std::string_view olderOptions = {}) {
    constexpr long kSeconds = 120;
    const compiler::Command command{.library = settings::text(settings::kCompilerLibrary).value_or("libocloc.so"),
                                    .seconds = static_cast<std::uint32_t>(
                                        std::max(0L, settings::number(settings::kCompilerSeconds).value_or(kSeconds))),
                                    .arguments = std::move(arguments),
                                    .olderOptions = std::string(olderOptions),
                                    .files = std::move(files)};
    if (ask == Ask::cache) return compiler::builtBefore(command).value_or(compiler::Answer::ended({}));
    compiler::Answer answer = compiler::build(command);
    static std::atomic<bool> told{false};
    if (!answer.compiler.empty() && !told.exchange(true))
        log::info(log::Channel::emulator, "modules are built by {}", answer.compiler);
    return answer;
}

binary::Error tooLarge(std::size_t bytes) {
    return {binary::Cause::limit, fmt::format("the source has {} bytes, the limit is {}", bytes, kMaxSourceBytes)};
}

/// The compiler's input.
struct Source {
    binary::Bytes bytes;
    bool bfloat16 = false;  ///< has types of SPV_KHR_bfloat16
    bool vectorCode = false;
};

/// The module with the caller's constants as defaults; checks SPIR-V before the compiler sees it.
binary::Outcome<Source> preparedSpirv(std::span<const std::uint8_t> spirv,
                                      std::span<const binary::SpecValue> constants) {
    constexpr std::uint32_t kBfloat16Type = 5116;
    constexpr std::uint32_t kVectorCompute = 5617;
    if (spirv.size() > kMaxSourceBytes) return tooLarge(spirv.size());
    const auto module = binary::readSpirv(spirv);
    if (!module) return module.error();
    if (auto error = binary::checkAddresses(*module)) return *std::move(error);
    auto bytes = binary::specialize(*module, constants);
    if (!bytes) return bytes.error();
    const auto has = [&](std::uint32_t capability) {
        return std::ranges::count(module->capabilities, capability) != 0;
    };
    auto taken = binary::withPointersAsIntegers(binary::withBuiltinsReadWhole(*std::move(bytes)));
    return Source{binary::withoutLogicalNot(std::move(taken)), has(kBfloat16Type), has(kVectorCompute)};
}

/// With the NUL to which the front end reads, whatever length it is given.
binary::Outcome<Source> preparedText(std::span<const std::uint8_t> source) {
    if (source.size() > kMaxSourceBytes) return tooLarge(source.size());
    binary::Bytes text(source.begin(), source.end());
    text.push_back(0);
    return Source{std::move(text)};
}

/// An input of the compiler: its file, and the option that names its kind.
struct Input {
    const char* file;
    const char* option;  ///< null for source text
};
constexpr Input kText{"module.cl", nullptr};
constexpr Input kSpirv{"module.spv", "-spirv_input"};
constexpr Input kLinked{"module.bc", "-llvm_input"};

/// The parts of a request besides its source.
struct CompileTarget {
    std::string_view buildFlags;
    std::string_view device;
    bool zebin = true;
};

CompileResult compileInput(const Input& input, const Source& source, const CompileTarget& target, Ask ask) {
    const BuildOptions options = translateBuildOptions(target.buildFlags);
    std::vector<std::string> arguments{"compile",
                                       "-q",
                                       "-file",
                                       input.file,
                                       "-device",
                                       std::string(target.device),
                                       "-output",
                                       compiler::kOutputFile,
                                       "-output_no_suffix",
                                       "--format",
                                       target.zebin ? "zebin" : "patchtokens"};
    if (input.option != nullptr) arguments.emplace_back(input.option);
    if (!options.compiler.empty()) arguments.insert(arguments.end(), {"-options", options.compiler});
    compiler::Answer answer = invoke(std::move(arguments), {{input.file, source.bytes}}, ask, options.forOlder);
    if (refusesDevice(answer)) return refusedDevice(answer, target.device);
    if (!succeeded(answer)) return buildFailed("compiler", std::move(answer));
    // The extension is of 2025. Older compilers overlook the encoding that it adds to OpTypeFloat, and compute with
    // half.
    if (source.bfloat16 && compiler::isOlder(answer.compiler))
        return failed({binary::Cause::buildFailed,
                       fmt::format("the module has bfloat16 numbers, which {} takes for half: it needs a compiler of "
                                   "2025 or later",
                                   answer.compiler)});
    return {.binary = std::move(answer.output),
            .log = std::move(answer.log),
            .profileFlags = options.profileFlags,
            .outcome = binary::Done{}};
}

/// A module of many kernels, in parts that are built side by side; nothing if it has to be built as one.
std::optional<CompileResult> compileParts(const Source& module, const CompileTarget& target, Ask ask) {
    const BuildOptions options = translateBuildOptions(target.buildFlags);
    const bool inOne =
        !target.zebin || module.vectorCode || options.debug || options.exportsFunctions || options.profileFlags != 0;
    const std::vector<binary::Bytes> parts = inOne ? std::vector<binary::Bytes>() : binary::partsOf(module.bytes);
    if (parts.empty()) return {};
    std::vector<CompileResult> results(parts.size());
    const auto build = [&](std::size_t i) {
        results[i] = compileInput(kSpirv, {parts[i], module.bfloat16}, target, ask);
        return static_cast<bool>(results[i]);
    };
    if (!sideBySide(parts.size(), build)) return {};
    std::vector<binary::Bytes> binaries;
    std::string log;
    for (CompileResult& result : results) {
        log.append(result.log);
        binaries.push_back(std::move(result.binary));
    }
    auto joined = binary::joinZebins(binaries, module.bytes);
    if (!joined) return {};
    return CompileResult{.binary = *std::move(joined),
                         .log = std::move(log),
                         .profileFlags = options.profileFlags,
                         .outcome = binary::Done{}};
}

compiler::Answer link(const std::vector<Source>& modules, Ask ask) {
    std::vector<std::string> arguments{"link", "-out_format", "LLVM_BC", "-out", compiler::kOutputFile};
    std::vector<compiler::Command::File> sources;
    for (const Source& module : modules) {
        sources.push_back({fmt::format("part{}.spv", sources.size()), module.bytes});
        arguments.insert(arguments.end(), {"-file", sources.back().name});
    }
    return invoke(std::move(arguments), std::move(sources), ask);
}

/// A module as it is; several linked.
CompileResult compileLinked(const std::vector<Source>& modules, const CompileTarget& target, Ask ask) {
    if (modules.size() == 1) {
        if (auto result = compileParts(modules.front(), target, ask)) return *std::move(result);
        return compileInput(kSpirv, modules.front(), target, ask);
    }
    compiler::Answer linked = link(modules, ask);
    if (!succeeded(linked)) return buildFailed("linker", std::move(linked));
    const bool bfloat16 = std::ranges::any_of(modules, &Source::bfloat16);
    return compileInput(kLinked, {std::move(linked.output), bfloat16}, target, ask);
}

/// With what compiler 22.43 forgets of vector code's arguments.
CompileResult compileModules(const std::vector<Source>& modules, const CompileTarget& target, Ask ask) {
    CompileResult result = compileLinked(modules, target, ask);
    if (!result || !target.zebin) return result;
    for (const Source& module : modules)
        if (module.vectorCode)
            result.binary =
                binary::withLocalPointers(std::move(result.binary), binary::localPointerArguments(module.bytes));
    return result;
}

/// The modules in a form that an older compiler may build; none if it is the same.
std::vector<Source> olderForm(const std::vector<Source>& modules) {
    std::vector<Source> older;
    bool differs = false;
    for (const Source& module : modules) {
        older.push_back({binary::withPlainLoads(module.bytes), module.bfloat16, module.vectorCode});
        differs = differs || older.back().bytes != module.bytes;
    }
    return differs ? older : std::vector<Source>();
}

/// Failures are not kept (compiler/build_cache.h): that the older form was built says that the other one failed.
CompileResult compileSpirv(const std::vector<Source>& modules, const CompileTarget& target) {
    const std::vector<Source> older = olderForm(modules);
    if (older.empty()) return compileModules(modules, target, Ask::compiler);
    if (CompileResult known = compileModules(older, target, Ask::cache)) return known;
    CompileResult result = compileModules(modules, target, Ask::compiler);
    if (result) return result;
    CompileResult again = compileModules(older, target, Ask::compiler);
    return again ? again : result;
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
    const bool spirv = request.language == CompileRequest::Language::spirv;
    auto source = spirv ? preparedSpirv(request.source, request.constants) : preparedText(request.source);
    if (!source) return failed(source.error());
    const CompileTarget target{request.buildFlags, request.device, request.zebin};
    return spirv ? compileSpirv({*std::move(source)}, target) : compileInput(kText, *source, target, Ask::compiler);
}

CompileResult compileProgram(std::span<const ProgramPart> parts, std::string_view device) {
    std::vector<Source> modules;
    std::string flags;
    for (const ProgramPart& part : parts) {
        auto module = preparedSpirv(part.spirv, part.constants);
        if (!module) return failed(module.error());
        modules.push_back(*std::move(module));
        flags.append(part.buildFlags).append(" ");
    }
    return compileSpirv(modules, {flags, device});
}

}  // namespace zetl::emulator::module
