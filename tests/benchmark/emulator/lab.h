// An emulated device whose timing model measures kernels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel_bench.h"

namespace zetl::benchmark::emulator {

/// Counts with the full model. Its second-level cache keeps what former launches left there.
class Lab {
  public:
    using Extent = ::zetl::emulator::machine::Extent;
    using Argument = ::zetl::emulator::machine::bench::Argument;
    struct Kernel {
        std::string source;  ///< OpenCL C
        const char* name;
        const char* flags = "";  ///< of the build
    };

    explicit Lab(const ::zetl::emulator::machine::Profile& profile);
    ~Lab();

    const ::zetl::emulator::machine::DeviceProfile& profile() { return bench_.device().profile(); }
    template <class T>
    T* buffer(std::size_t elements) {
        return bench_.buffer<T>(elements);
    }
    void release(void* buffer) { bench_.release(buffer); }
    /// Core cycles of a launch. Throws std::runtime_error if it faults.
    double cycles(const Kernel& kernel, Extent groupSize, Extent groups, const std::vector<Argument>& arguments);
    /// Groups with this many threads that fill the device `times` over.
    std::uint32_t groups(std::uint32_t threads, std::uint32_t times = 1);

  private:
    ::zetl::emulator::machine::bench::KernelBench bench_;
    std::shared_ptr<void> collecting_;                                       // ends before the bench
    std::map<std::string, ::zetl::emulator::machine::bench::Kernel> built_;  ///< by name and flags
};

}  // namespace zetl::benchmark::emulator
