#include "replay/compute.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>

#include "replay/mapped_memory.h"
#include "replay/opencl_program.h"

namespace zetl::replay {
namespace {

/// Programs by the number of their module, or why there is none.
class Programs {
  public:
    Programs(const OpenCl& opencl, const results::Process& process) : opencl_(opencl), process_(process) {}

    const OpenClProgram* find(std::uint64_t module, std::string& reason) {
        if (module == results::kNoModule) {
            reason = "its module was not built from one piece of SPIR-V";
            return nullptr;
        }
        auto [entry, isNew] = built_.try_emplace(module);
        if (isNew)
            entry->second.program = OpenClProgram::build(opencl_, moduleOf(process_, module), entry->second.reason);
        reason = entry->second.reason;
        return entry->second.program.get();
    }

  private:
    struct Entry {
        std::unique_ptr<OpenClProgram> program;
        std::string reason;
    };
    const OpenCl& opencl_;
    const results::Process& process_;
    std::map<std::uint64_t, Entry> built_;
};

/// A kernel of OpenCL with its arguments and buffers.
class Execution {
  public:
    Execution(const OpenCl& opencl, cl_kernel kernel, const MappedMemory& memory)
        : opencl_(opencl), kernel_(kernel), memory_(memory) {}
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    ~Execution() {
        for (const Buffer& buffer : buffers_) opencl_.clReleaseMemObject(buffer.object);
        opencl_.clReleaseKernel(kernel_);
    }

    /// Empty, or why it cannot be done.
    std::string run(const results::Launch& launch) {
        for (const results::Argument& argument : launch.start->arguments)
            if (auto reason = set(argument); !reason.empty()) return reason;
        std::array<std::size_t, 3> offset{};
        std::array<std::size_t, 3> global{};
        std::array<std::size_t, 3> local{};
        for (std::size_t i = 0; i < local.size(); ++i) {
            offset[i] = launch.start->offset[i];
            local[i] = launch.groupSize[i];
            global[i] = local[i] * launch.groups[i];
        }
        cl_int code = opencl_.clEnqueueNDRangeKernel(opencl_.queue, kernel_, launch.start->dimensions, offset.data(),
                                                     global.data(), local.data(), 0, nullptr, nullptr);
        if (code == CL_SUCCESS) code = opencl_.clFinish(opencl_.queue);
        // An implementation may keep contents elsewhere until they are asked for.
        for (const Buffer& buffer : buffers_)
            if (code == CL_SUCCESS)
                opencl_.clEnqueueMapBuffer(opencl_.queue, buffer.object, CL_TRUE, CL_MAP_READ, 0, buffer.bytes, 0,
                                           nullptr, nullptr, &code);
        return code == CL_SUCCESS ? std::string() : fmt::format("OpenCL does not run it: code {}", code);
    }

  private:
    struct Buffer {
        cl_mem object;
        std::size_t bytes;
    };
    const OpenCl& opencl_;
    const cl_kernel kernel_;
    const MappedMemory& memory_;
    std::vector<Buffer> buffers_;

    std::string set(const results::Argument& argument) {
        using Kind = results::Argument::Kind;
        if (argument.kind == Kind::object) return fmt::format("argument {} is an image or sampler", argument.index);
        if (argument.kind == Kind::value) return given(argument.index, argument.bytes.size(), argument.bytes.data());
        if (argument.kind == Kind::local) return given(argument.index, argument.number, nullptr);
        if (argument.number == 0) return given(argument.index, sizeof(cl_mem), nullptr);
        const results::Memory* const memory = memory_.at(argument.number);
        if (memory == nullptr) return fmt::format("argument {} points to memory that was not recorded", argument.index);
        cl_int code = CL_SUCCESS;
        const std::size_t bytes = memory->bytes - (argument.number - memory->address);
        cl_mem const object = opencl_.clCreateBuffer(opencl_.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                                     reinterpret_cast<void*>(argument.number), &code);
        if (object == nullptr)
            return fmt::format("OpenCL has no buffer for argument {}: code {}", argument.index, code);
        buffers_.push_back({object, bytes});
        return given(argument.index, sizeof object, &buffers_.back().object);
    }

    std::string given(std::uint32_t index, std::size_t bytes, const void* value) const {
        const cl_int code = opencl_.clSetKernelArg(kernel_, index, bytes, value);
        return code == CL_SUCCESS
                   ? std::string()
                   : fmt::format("OpenCL does not take argument {} of {} bytes: code {}", index, bytes, code);
    }
};

/// What the launch leaves, in the order of its memory. The reference says what the buffers are called.
std::vector<results::Buffer> buffersOf(const results::Launch& launch, const MappedMemory& memory,
                                       results::Writer& writer) {
    std::vector<results::Buffer> buffers;
    for (const results::Memory& each : launch.start->memory) {
        results::Buffer buffer;
        if (buffers.size() < launch.buffers.size()) buffer = launch.buffers[buffers.size()];
        buffer.bytes = each.bytes;
        buffer.blocks.clear();
        for (const auto& block : memory.comparable(each)) buffer.blocks.push_back(writer.keep(block));
        buffers.push_back(std::move(buffer));
    }
    return buffers;
}

std::string computed(const OpenCl& opencl, const results::Process& process, const results::Launch& launch,
                     Programs& programs, results::Writer& writer, std::vector<results::Buffer>& out) {
    std::string reason;
    if (launch.faulted) return "it ended in a fault";
    if (!launch.start) return "what it began with was not recorded";
    const OpenClProgram* const program = programs.find(launch.start->module, reason);
    if (program == nullptr) return reason;
    cl_kernel const kernel = program->kernel(launch.kernel);
    if (kernel == nullptr) return "OpenCL's program has no such kernel";
    const auto memory = MappedMemory::create(process, *launch.start, reason);
    if (!memory) return reason;
    {
        Execution execution(opencl, kernel, *memory);
        reason = execution.run(launch);
    }
    if (reason.empty()) out = buffersOf(launch, *memory, writer);
    return reason;
}

}  // namespace

bool compute(const OpenCl& opencl, const results::Process& process, results::Writer& writer,
             const std::function<std::string(std::size_t)>& reasonToLeaveOut) {
    Programs programs(opencl, process);
    for (std::size_t i = 0; i < process.launches.size(); ++i) {
        const results::Launch& launch = process.launches[i];
        results::Launch made{launch.kernel, launch.groups, launch.groupSize, false, {}};
        made.leftOut = reasonToLeaveOut(i);
        if (made.leftOut.empty()) made.leftOut = computed(opencl, process, launch, programs, writer, made.buffers);
        if (!writer.write(made)) return false;
    }
    return true;
}

}  // namespace zetl::replay
