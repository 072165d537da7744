// A module's SPIR-V, built by the host's OpenCL.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "replay/opencl.h"

namespace zetl::replay {

class OpenClProgram {
  public:
    /// Null, and the reason, if it cannot be built. A device that does not take SPIR-V gets what llvm-spirv makes of
    /// it.
    static std::unique_ptr<OpenClProgram> build(const OpenCl& opencl, std::span<const std::uint8_t> spirv,
                                                std::string& reason);
    /// Takes a program that has been built.
    OpenClProgram(const OpenCl& opencl, cl_program program) : opencl_(opencl), program_(program) {}
    OpenClProgram(const OpenClProgram&) = delete;
    OpenClProgram& operator=(const OpenClProgram&) = delete;
    ~OpenClProgram();

    /// For clReleaseKernel(); null if there is none of that name.
    cl_kernel kernel(const std::string& name) const;

  private:
    const OpenCl& opencl_;
    const cl_program program_;
};

}  // namespace zetl::replay
