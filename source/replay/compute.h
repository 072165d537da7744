// Computes the launches of a recorded process by the host's OpenCL, each from the memory that it began with.
#pragma once

#include <functional>

#include "replay/opencl.h"
#include "results/reader.h"
#include "results/writer.h"

namespace zetl::replay {

/// `reasonToLeaveOut` is asked before each launch, by its number: it returns an empty text for those to compute.
/// Launches that cannot be computed are written with the reason. Returns false if there is no room.
bool compute(const OpenCl& opencl, const results::Process& process, results::Writer& writer,
             const std::function<std::string(std::size_t)>& reasonToLeaveOut);

}  // namespace zetl::replay
