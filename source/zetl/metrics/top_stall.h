// The source line at which the threads of a kernel wait longest.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace zetl::command {

struct TopStall {
    std::string place;         ///< "file:line"; empty if the kernel has no source lines
    std::string text;          ///< of the line; empty if the file cannot be read
    double share = 0;          ///< of the samples in which a thread waits
    std::string withoutLines;  ///< why the kernel has no source lines; empty if it has them
};

/// By kernel, from the files of sampled instructions in a directory (stalls_format.h). Kernels of one name are one.
/// Kernels without a waiting sample are left out.
std::map<std::string, TopStall> topStalls(const std::filesystem::path& directory);

}  // namespace zetl::command
