#include <memory>
#include <span>

#include "base/log.h"
#include "binary/device_binary.h"
#include "binary/native_binary.h"
#include "emulator/module/compiler.h"
#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

using Built = void(CL_CALLBACK*)(cl_program, void*);

std::unique_ptr<_cl_program> newProgram(cl_context context) {
    auto made = std::make_unique<_cl_program>();
    made->context = context;
    return made;
}
/// The program keeps its context alive.
cl_program handOut(std::unique_ptr<_cl_program> made) {
    ++made->context->holders;
    return made.release();
}
const std::uint8_t* bytesOf(const void* data) { return static_cast<const std::uint8_t*>(data); }

cl_program CL_API_CALL createFromSource(cl_context context, cl_uint count, const char** texts,
                                        const std::size_t* lengths, cl_int* code) noexcept {
    return making(code, [&]() -> cl_program {
        if (!context) return refused(code, CL_INVALID_CONTEXT);
        if (count == 0 || !texts) return refused(code, CL_INVALID_VALUE);
        auto made = newProgram(context);
        for (cl_uint i = 0; i < count; ++i) {
            if (!texts[i]) return refused(code, CL_INVALID_VALUE);
            if (lengths && lengths[i])
                made->source.append(texts[i], lengths[i]);
            else
                made->source.append(texts[i]);
        }
        return handOut(std::move(made));
    });
}
cl_program CL_API_CALL createFromIntermediate(cl_context context, const void* data, std::size_t bytes,
                                              cl_int* code) noexcept {
    return making(code, [&]() -> cl_program {
        if (!context) return refused(code, CL_INVALID_CONTEXT);
        if (!data || bytes == 0) return refused(code, CL_INVALID_VALUE);
        auto made = newProgram(context);
        made->intermediate.assign(bytesOf(data), bytesOf(data) + bytes);
        return handOut(std::move(made));
    });
}
cl_program CL_API_CALL createFromBinary(cl_context context, cl_uint count, const cl_device_id*,
                                        const std::size_t* lengths, const unsigned char** binaries, cl_int* states,
                                        cl_int* code) noexcept {
    return making(code, [&]() -> cl_program {
        if (!context) return refused(code, CL_INVALID_CONTEXT);
        if (count == 0 || !lengths || !binaries || !binaries[0] || lengths[0] == 0)
            return refused(code, CL_INVALID_VALUE);
        const std::span<const std::uint8_t> bytes(binaries[0], lengths[0]);
        const auto image = binary::readNative(bytes, productOf(*context));
        const bool foreign = !image && image.error().cause == binary::Cause::wrongDevice;
        const auto carried = foreign ? binary::carriedSpirv(bytes, productOf(*context)) : std::nullopt;
        const bool known = image || carried;
        for (cl_uint i = 0; states && i < count; ++i) states[i] = known ? CL_SUCCESS : CL_INVALID_BINARY;
        if (!known) return refused(code, CL_INVALID_BINARY);
        auto made = newProgram(context);
        if (carried)
            made->intermediate.assign(carried->spirv.begin(), carried->spirv.end());
        else
            made->binary = (*image)->native;
        return handOut(std::move(made));
    });
}
cl_int CL_API_CALL retainProgram(cl_program program) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    ++program->holders;
    return CL_SUCCESS;
}
cl_int CL_API_CALL releaseProgram(cl_program program) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    if (--program->holders != 0) return CL_SUCCESS;
    const cl_context context = program->context;
    delete program;
    return context->dispatch->clReleaseContext(context);
}

void compileInto(_cl_program& program) {
    if (program.source.empty() && program.intermediate.empty()) return;  // it came as a binary
    module::CompileRequest request;
    const bool text = !program.source.empty();
    request.language = text ? module::CompileRequest::Language::openclC : module::CompileRequest::Language::spirv;
    request.source = text ? std::span(bytesOf(program.source.data()), program.source.size())
                          : std::span<const std::uint8_t>(program.intermediate);
    request.buildFlags = program.options;
    request.device = productOf(*program.context).name;
    module::CompileResult result = module::compile(request);
    program.log = std::move(result.log);
    if (!result) program.log += result.outcome.error().message;
    program.binary = std::move(result.binary);
}
cl_int CL_API_CALL buildProgram(cl_program program, cl_uint, const cl_device_id*, const char* options, Built built,
                                void* data) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    const cl_int code = guarded([&]() -> cl_int {
        const std::lock_guard lock(program->mutex);
        program->options = options ? options : "";
        program->status = CL_BUILD_ERROR;
        compileInto(*program);
        if (program->binary.empty()) {
            log::warn(log::Channel::emulator, "clBuildProgram: {}", program->log);
            return CL_BUILD_PROGRAM_FAILURE;
        }
        program->status = CL_BUILD_SUCCESS;
        return CL_SUCCESS;
    });
    if (built) built(program, data);
    return code;
}

/// One pointer per device, to a buffer for its binary.
cl_int giveBinaries(const _cl_program& program, const Room& room) {
    const std::size_t devices = program.context->devices.size();
    if (room.needed) *room.needed = devices * sizeof(void*);
    if (!room.value) return CL_SUCCESS;
    if (room.bytes < devices * sizeof(void*)) return CL_INVALID_VALUE;
    for (std::size_t i = 0; i < devices; ++i)
        if (auto* to = static_cast<unsigned char**>(room.value)[i])
            std::memcpy(to, program.binary.data(), program.binary.size());
    return CL_SUCCESS;
}
/// The number of kernels, or their names.
cl_int tellKernels(const _cl_program& program, cl_program_info what, const Room& room) {
    if (program.status != CL_BUILD_SUCCESS) return CL_INVALID_PROGRAM_EXECUTABLE;
    const auto image = binary::readNative(program.binary, productOf(*program.context));
    if (!image) return CL_INVALID_PROGRAM_EXECUTABLE;
    const auto& kernels = (*image)->kernels;
    if (what == CL_PROGRAM_NUM_KERNELS) return answer<std::size_t>(room, kernels.size());
    std::string names;
    for (const binary::KernelImage& each : kernels) names += (names.empty() ? "" : ";") + each.name;
    return answerText(room, names);
}
cl_int CL_API_CALL getProgramInfo(cl_program program, cl_program_info name, std::size_t bytes, void* value,
                                  std::size_t* needed) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    return guarded([&]() -> cl_int {
        const std::lock_guard lock(program->mutex);
        const Room room{bytes, value, needed};
        const auto& devices = program->context->devices;
        switch (name) {
            case CL_PROGRAM_REFERENCE_COUNT:
                return answer<cl_uint>(room, program->holders);
            case CL_PROGRAM_CONTEXT:
                return answer<cl_context>(room, program->context);
            case CL_PROGRAM_NUM_DEVICES:
                return answer<cl_uint>(room, static_cast<cl_uint>(devices.size()));
            case CL_PROGRAM_DEVICES:
                return answerAll(room, devices);
            case CL_PROGRAM_SOURCE:
                return answerText(room, program->source);
            case CL_PROGRAM_IL:
                return answerAll(room, program->intermediate);
            case CL_PROGRAM_BINARY_SIZES:
                return answerAll(room, std::vector<std::size_t>(devices.size(), program->binary.size()));
            case CL_PROGRAM_BINARIES:
                return giveBinaries(*program, room);
            case CL_PROGRAM_NUM_KERNELS:
            case CL_PROGRAM_KERNEL_NAMES:
                return tellKernels(*program, name, room);
            default:
                return CL_INVALID_VALUE;
        }
    });
}
cl_int CL_API_CALL getBuildInfo(cl_program program, cl_device_id, cl_program_build_info name, std::size_t bytes,
                                void* value, std::size_t* needed) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    return guarded([&]() -> cl_int {
        const std::lock_guard lock(program->mutex);
        const Room room{bytes, value, needed};
        switch (name) {
            case CL_PROGRAM_BUILD_STATUS:
                return answer(room, program->status);
            case CL_PROGRAM_BUILD_OPTIONS:
                return answerText(room, program->options);
            case CL_PROGRAM_BUILD_LOG:
                return answerText(room, program->log);
            case CL_PROGRAM_BINARY_TYPE:
                return answer<cl_program_binary_type>(
                    room, program->binary.empty() ? CL_PROGRAM_BINARY_TYPE_NONE : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
            case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
                return answer<std::size_t>(room, 0);
            default:
                return CL_INVALID_VALUE;
        }
    });
}

}  // namespace

void servePrograms(cl_icd_dispatch& table) noexcept {
    table.clCreateProgramWithSource = createFromSource;
    table.clCreateProgramWithIL = createFromIntermediate;
    table.clCreateProgramWithBinary = createFromBinary;
    table.clRetainProgram = retainProgram;
    table.clReleaseProgram = releaseProgram;
    table.clBuildProgram = buildProgram;
    table.clGetProgramInfo = getProgramInfo;
    table.clGetProgramBuildInfo = getBuildInfo;
}

}  // namespace zetl::emulator::opencl
