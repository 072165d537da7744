// Writes the results of a process's launches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/file_descriptor.h"
#include "results/results.h"

namespace zetl::results {

/// Not thread-safe.
class Writer {
  public:
    /// Makes both files in the directory, named after this process, or otherwise. Contents beyond `limit` bytes are not
    /// kept. Nothing if a file cannot be made; errno says why.
    static std::optional<Writer> create(const std::string& directory, std::uint64_t limit, std::string name = {});

    /// Keeps the contents of a block, of at most kBlockBytes, unless there is one like it.
    Block keep(std::span<const std::byte> content);
    /// Keeps the SPIR-V of a module, for Start::module. kNoModule if there is no room.
    std::uint64_t keepModule(std::span<const std::uint8_t> spirv);
    /// Writes a launch, whose blocks keep() has given. Returns false if there is no room, and then empties the file,
    /// from which readers learn that launches are missing; nothing else may be written after that.
    bool write(const Launch& launch);

  private:
    Writer(std::string path, FileDescriptor launches, FileDescriptor blocks, std::uint64_t limit)
        : path_(std::move(path)), launches_(std::move(launches)), blocks_(std::move(blocks)), limit_(limit) {}

    std::string path_;  ///< of the files, without their suffixes
    FileDescriptor launches_;
    FileDescriptor blocks_;
    std::uint64_t limit_;
    std::unordered_map<std::uint64_t, std::uint64_t> known_;  ///< numbers of blocks, by hash
    std::uint64_t modules_ = 0;
};

}  // namespace zetl::results
