// Machine code that CUDA has loaded.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nvidia/driver/device/context.h"
#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// A module of CUDA: the code of one module or of several that were linked. Immutable; thread-safe.
class LoadedCode {
  public:
    /// Loads what the rewriter makes of the image. The device's context is current.
    static Result<std::shared_ptr<const LoadedCode>> load(const Context::Member& place, Bytes image);
    LoadedCode(Context::Member place, Bytes image, CUmodule module, std::vector<std::string> kernels);
    ~LoadedCode();
    LoadedCode(const LoadedCode&) = delete;
    LoadedCode& operator=(const LoadedCode&) = delete;

    CUmodule cuda() const noexcept { return module_; }
    const Bytes& image() const noexcept { return image_; }
    /// The address that stands for the image: CUDA reports no addresses of code, so the driver gives each image a range
    /// of its own, above all former ones, and an instruction is at its offset in the image. It identifies code and
    /// cannot be read.
    std::uint64_t address() const noexcept { return address_; }
    /// Whether its kernels' last three parameters are the global offset.
    bool takesGlobalOffset() const noexcept { return takesGlobalOffset_; }
    /// In alphabetical order.
    const std::vector<std::string>& kernels() const noexcept { return kernels_; }

  private:
    const Context::Member place_;
    const Bytes image_;
    const CUmodule module_;
    const std::vector<std::string> kernels_;
    const std::uint64_t address_;
    const bool takesGlobalOffset_;
};

}  // namespace zetl::nvidia
