// Where kernels lie below what a device can do at most, as a drawing.
#pragma once

#include <span>
#include <string>

#include "metrics/kernel_facts.h"

namespace zetl::command {

/// A drawing (SVG) with logarithmic axes: floating-point operations per byte of device memory, and operations per
/// second; the roofs of memory and of the float pipes; and a numbered point for each kernel, in their order. Kernels
/// that compute nothing or move no bytes have no point. Empty if there is none.
std::string roofline(std::span<const KernelFacts> kernels, std::span<const std::string> names);

}  // namespace zetl::command
