#include "emulator/module/compiler.h"

#include <fmt/format.h>

#include "emulator/module/build_options.h"
#include "emulator/module/ocloc.h"

namespace zetl::emulator::module {
namespace {

CompileResult failed(Error error, std::string log = {}) {
    if (log.empty()) log = error.message;
    return {.binary = {}, .log = std::move(log), .profileFlags = 0, .outcome = std::move(error)};
}

CompileResult buildFailed(const char* step, Ocloc::Output output) {
    return failed({Cause::buildFailed, fmt::format("the {} ended with code {}", step, output.code)},
                  std::move(output.log));
}

Error tooLarge(std::size_t bytes) {
    return {Cause::limit, fmt::format("the source has {} bytes, the limit is {}", bytes, kMaxSourceBytes)};
}

/// The module with the caller's constants as defaults; checks SPIR-V before the compiler sees it.
Outcome<Bytes> preparedSpirv(std::span<const std::uint8_t> spirv, std::span<const SpecValue> constants) {
    if (spirv.size() > kMaxSourceBytes) return tooLarge(spirv.size());
    const auto module = readSpirv(spirv);
    if (!module) return module.error();
    return specialize(*module, constants);
}

/// With the NUL to which the front end reads, whatever length it is given.
Outcome<Bytes> preparedText(std::span<const std::uint8_t> source) {
    if (source.size() > kMaxSourceBytes) return tooLarge(source.size());
    Bytes text(source.begin(), source.end());
    text.push_back(0);
    return text;
}

/// How the compiler is told what it reads.
struct Input {
    const char* file;
    const char* option;  ///< null for source text
};
constexpr Input kText{"module.cl", nullptr}, kSpirv{"module.spv", "-spirv_input"}, kLinked{"module.bc", "-llvm_input"};

/// What of a request is not its source.
struct CompileTarget {
    std::string_view buildFlags;
    std::string device = "pvc";
    bool zebin = true;
};

CompileResult compileInput(const Ocloc& ocloc, const Input& input, const Bytes& source, const CompileTarget& target) {
    const BuildOptions options = translateBuildOptions(target.buildFlags);
    std::vector<std::string> arguments{"compile",
                                       "-q",
                                       "-file",
                                       input.file,
                                       "-device",
                                       target.device,
                                       "-output",
                                       Ocloc::kOutputName,
                                       "-output_no_suffix",
                                       "--format",
                                       target.zebin ? "zebin" : "patchtokens"};
    if (input.option != nullptr) arguments.emplace_back(input.option);
    if (!options.compiler.empty()) arguments.insert(arguments.end(), {"-options", options.compiler});
    const Ocloc::Source only{input.file, source};
    Ocloc::Output output = ocloc.invoke(arguments, {&only, 1});
    if (output.code != 0 || output.binary.empty()) return buildFailed("compiler", std::move(output));
    return {.binary = std::move(output.binary),
            .log = std::move(output.log),
            .profileFlags = options.profileFlags,
            .outcome = Done{}};
}

Ocloc::Output link(const Ocloc& ocloc, const std::vector<Bytes>& modules) {
    std::vector<std::string> arguments{"link", "-out_format", "LLVM_BC", "-out", Ocloc::kOutputName};
    std::vector<Ocloc::Source> sources;
    for (const Bytes& module : modules) {
        sources.push_back({fmt::format("part{}.spv", sources.size()), module});
        arguments.insert(arguments.end(), {"-file", sources.back().name});
    }
    return ocloc.invoke(arguments, sources);
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
    const auto ocloc = Ocloc::load();
    if (!ocloc) return failed(ocloc.error());
    const bool spirv = request.language == CompileRequest::Language::spirv;
    const auto source = spirv ? preparedSpirv(request.source, request.constants) : preparedText(request.source);
    if (!source) return failed(source.error());
    return compileInput(**ocloc, spirv ? kSpirv : kText, *source, {request.buildFlags, request.device, request.zebin});
}

CompileResult compileProgram(std::span<const ProgramPart> parts) {
    const auto ocloc = Ocloc::load();
    if (!ocloc) return failed(ocloc.error());
    std::vector<Bytes> modules;
    std::string flags;
    for (const ProgramPart& part : parts) {
        auto module = preparedSpirv(part.spirv, part.constants);
        if (!module) return failed(module.error());
        modules.push_back(*std::move(module));
        flags.append(part.buildFlags).append(" ");
    }
    Ocloc::Output linked = link(**ocloc, modules);
    if (linked.code != 0 || linked.binary.empty()) return buildFailed("linker", std::move(linked));
    return compileInput(**ocloc, kLinked, linked.binary, {flags});
}

Outcome<Done> compilerAvailable() {
    const auto ocloc = Ocloc::load();
    if (!ocloc) return ocloc.error();
    return Done{};
}

}  // namespace zetl::emulator::module
