// An OpenCL platform as an implementation to measure.
#pragma once

#include <memory>
#include <string>

#include "workload.h"

namespace zetl::benchmark::emulator {

/// The first device of the implementation behind `vendor`, an ICD file or the library that one would name. The first
/// call decides for the process: the OpenCL loader looks once.
std::unique_ptr<Implementation> makeOpenCl(const std::string& vendor);

}  // namespace zetl::benchmark::emulator
