// Images and samplers as arguments of kernels.
#pragma once

#include "binary/kernel_image.h"

namespace zetl::emulator::driver {

class Image;
class Sampler;

/// The numbers for compiled code, as Intel's driver writes them. (compute-runtime,
/// level_zero/core/source/kernel/kernel_imp.cpp, sampler_patch_values.h.)
binary::ImageArgument argumentOf(Image& image) noexcept;
binary::SamplerArgument argumentOf(Sampler& sampler) noexcept;

}  // namespace zetl::emulator::driver
