#include "replay/opencl_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "compiler/tool.h"

namespace zetl::replay {
namespace {

constexpr const char* kNoTranslator = "OpenCL's device does not build SPIR-V, and there is no llvm-spirv-N in /usr/bin";

/// Those of Debian, the newest first: an implementation of OpenCL reads what its own LLVM knows.
std::vector<std::string> translators() {
    constexpr int kNewest = 24;
    constexpr int kOldest = 11;
    std::vector<std::string> found;
    for (int version = kNewest; version >= kOldest; --version) {
        std::string path = fmt::format("/usr/bin/llvm-spirv-{}", version);
        if (access(path.c_str(), X_OK) == 0) found.push_back(std::move(path));
    }
    return found;
}

/// Of a log, as much as one reads.
std::string lastLine(const std::string& text) {
    constexpr std::size_t kLongest = 120;
    const std::size_t end = text.find_last_not_of(" \n\t");
    if (end == std::string::npos) return {};
    const std::size_t before = text.rfind('\n', end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, std::min(end + 1 - begin, kLongest));
}

/// Whether the program was built; if not, it is released.
bool build(const OpenCl& opencl, cl_program program, const char* options, std::string& reason) {
    const cl_int code = program == nullptr
                            ? CL_INVALID_PROGRAM
                            : opencl.clBuildProgram(program, 1, &opencl.device, options, nullptr, nullptr);
    if (code == CL_SUCCESS) return true;
    std::string log;
    std::size_t bytes = 0;
    if (program != nullptr &&
        opencl.clGetProgramBuildInfo(program, opencl.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) == CL_SUCCESS) {
        log.resize(bytes);
        opencl.clGetProgramBuildInfo(program, opencl.device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
        log.resize(std::min(log.find('\0'), log.size()));
    }
    reason = fmt::format("OpenCL does not build its module: code {} {}", code, lastLine(log));
    if (program != nullptr) opencl.clReleaseProgram(program);
    return false;
}

cl_program fromLlvm(const OpenCl& opencl, const compiler::Bytes& code) {
    const unsigned char* bytes = code.data();
    const std::size_t size = code.size();
    cl_int state = CL_SUCCESS;
    cl_int result = CL_SUCCESS;
    return opencl.clCreateProgramWithBinary(opencl.context, 1, &opencl.device, &size, &bytes, &state, &result);
}

cl_program translated(const OpenCl& opencl, std::span<const std::uint8_t> spirv, std::string& reason) {
    constexpr std::uint32_t kSeconds = 60;
    reason = kNoTranslator;
    for (const std::string& translator : translators()) {
        // Not to a file: LLVM removes those if a signal ends it, and so it removes /dev/stdout.
        const auto made = compiler::runTool({translator, "-r", compiler::kInputFile, "-o", "-"},
                                            {spirv.begin(), spirv.end()}, kSeconds);
        if (!made.ending.empty()) {
            reason = fmt::format("{}: {}", made.ending, lastLine(made.words));
            continue;
        }
        cl_program program = fromLlvm(opencl, made.output);
        if (build(opencl, program, "-x spir -spir-std=1.2", reason)) return program;
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<OpenClProgram> OpenClProgram::build(const OpenCl& opencl, std::span<const std::uint8_t> spirv,
                                                    std::string& reason) {
    cl_program program = nullptr;
    if (opencl.takesSpirv()) {
        cl_int code = CL_SUCCESS;
        program = opencl.clCreateProgramWithIL(opencl.context, spirv.data(), spirv.size(), &code);
        if (!replay::build(opencl, program, "", reason)) program = nullptr;
    } else if (opencl.takesLlvm()) {
        program = translated(opencl, spirv, reason);
    } else {
        reason = fmt::format("OpenCL's device {} builds neither SPIR-V nor LLVM's code", opencl.deviceName());
    }
    return program == nullptr ? nullptr : std::make_unique<OpenClProgram>(opencl, program);
}

OpenClProgram::~OpenClProgram() { opencl_.clReleaseProgram(program_); }

cl_kernel OpenClProgram::kernel(const std::string& name) const {
    cl_int code = CL_SUCCESS;
    return opencl_.clCreateKernel(program_, name.c_str(), &code);
}

}  // namespace zetl::replay
