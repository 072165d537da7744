// The code of a debugged process, module by module, from files that cuda-gdb writes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nvidia/driver/program/image.h"

namespace zetl::nvidia {

/// A cubin whose code is at its addresses on the device.
struct LoadedImage {
    std::string file;
    Bytes bytes;
    std::uint64_t begin = 0;  ///< the lowest address of its code
    std::uint64_t end = 0;    ///< behind the highest
};

/// Not thread-safe.
class LoadedImages {
  public:
    /// The images of the cuda-gdb that runs as that process.
    explicit LoadedImages(pid_t gdb);

    struct Changes {
        std::vector<std::uint64_t> loaded;
        std::vector<std::uint64_t> unloaded;
    };
    /// Reads new files, and forgets those that are gone. A file that is still being written is left to a later call.
    Changes refresh();

    /// Null if there is none of that id; ids are never used again.
    const LoadedImage* find(std::uint64_t id) const;
    /// Code at [address, address + bytes), as it was loaded; nothing if no section of a module contains all of it.
    std::optional<Bytes> code(std::uint64_t address, std::uint64_t bytes) const;

  private:
    std::vector<std::filesystem::path> files() const;

    const std::filesystem::path directory_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, LoadedImage> images_;
};

}  // namespace zetl::nvidia
