// Builds and runs of random kernels, each in a process of its own: a compiler or a device may end it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device_under_test.h"
#include "kernel_writer.h"

namespace zetl::random_kernels {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What a compiler said of the sources that it did not build: nobody asks it again.
using Refusals = std::map<std::string, std::string>;

/// How a module is built, and what the process that does it finds in its environment.
struct Setup {
    std::string name;
    std::function<std::unique_ptr<kernels::BuiltProgram>(const std::string& source)> build;
    Environment environment;
    std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>();
};

/// What became of one kernel.
struct Outcome {
    enum class Kind : std::uint8_t { ran, refused, failed } kind = Kind::ran;
    std::string problem;                  ///< of one that was not built (refused), or did not end well (failed)
    std::vector<kernels::Bytes> buffers;  ///< of one that ran, by argument
    std::uint32_t spilledBytes = 0;       ///< of one that was built
};

/// One outcome for each kernel. A module that does not build is halved until the kernel is found; what is behind a
/// kernel that ended its process is run again.
std::vector<Outcome> run(const Setup& setup, std::span<const RandomKernel> kernels);

/// An outcome in a file, for a run where there is no PoCL.
void store(const std::string& path, const Outcome& outcome);
std::optional<Outcome> stored(const std::string& path);

}  // namespace zetl::random_kernels
