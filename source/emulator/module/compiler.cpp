#include "emulator/module/compiler.h"

#include <fmt/format.h>

#include "emulator/module/build_options.h"
#include "emulator/module/ocloc.h"

namespace zetl::emulator::module {
namespace {

std::vector<std::string> commandLine(const CompileRequest& request, const BuildOptions& options,
                                     const std::string& file) {
    std::vector<std::string> arguments{"compile",
                                       "-q",
                                       "-file",
                                       file,
                                       "-device",
                                       request.device,
                                       "-output",
                                       Ocloc::kOutputName,
                                       "-output_no_suffix",
                                       "--format",
                                       request.zebin ? "zebin" : "patchtokens"};
    if (request.language == CompileRequest::Language::spirv) arguments.emplace_back("-spirv_input");
    if (!options.compiler.empty()) arguments.insert(arguments.end(), {"-options", options.compiler});
    return arguments;
}

CompileResult failed(Error error, std::string log = {}) {
    if (log.empty()) log = error.message;
    return {.binary = {}, .log = std::move(log), .profileFlags = 0, .outcome = std::move(error)};
}

/// The source with the caller's constants as defaults; checks SPIR-V before the compiler sees it.
Outcome<Bytes> preparedSource(const CompileRequest& request) {
    if (request.source.size() > kMaxSourceBytes)
        return Error{Cause::limit,
                     fmt::format("the source has {} bytes, the limit is {}", request.source.size(), kMaxSourceBytes)};
    if (request.language != CompileRequest::Language::spirv) {
        Bytes text(request.source.begin(), request.source.end());
        text.push_back(0);  // the front end reads to a NUL, whatever length it is given
        return text;
    }
    const auto module = readSpirv(request.source);
    if (!module) return module.error();
    return specialize(*module, request.constants);
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
    const auto ocloc = Ocloc::load();
    if (!ocloc) return failed(ocloc.error());
    const auto source = preparedSource(request);
    if (!source) return failed(source.error());
    const BuildOptions options = translateBuildOptions(request.buildFlags);
    const std::string file = request.language == CompileRequest::Language::spirv ? "module.spv" : "module.cl";
    Ocloc::Output output = (*ocloc)->invoke(commandLine(request, options, file), *source, file);
    if (output.code != 0 || output.binary.empty())
        return failed({Cause::buildFailed, fmt::format("the compiler ended with code {}", output.code)},
                      std::move(output.log));
    return {.binary = std::move(output.binary),
            .log = std::move(output.log),
            .profileFlags = options.profileFlags,
            .outcome = Done{}};
}

Outcome<Done> compilerAvailable() {
    const auto ocloc = Ocloc::load();
    if (!ocloc) return ocloc.error();
    return Done{};
}

}  // namespace zetl::emulator::module
