// Writes the files of a module.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace zetl::executed {

/// Words that any thread may add to; their file keeps what they hold.
using Counts = std::span<std::atomic<std::uint64_t>>;

/// The key of a module with these bytes.
std::string keyOf(std::span<const std::uint8_t> module);

/// Writes the image of the module, unless another process has done so. Returns false if it cannot; errno says why.
bool keepImage(const std::string& directory, const std::string& key, std::uint64_t codeBase,
               std::span<const std::uint8_t> image);

/// Makes and maps the file of counts for a module with so many bytes of code, all zero. Its room on the disk is
/// allocated. Null if there is none; errno says why.
std::shared_ptr<Counts> makeCounts(const std::string& directory, const std::string& key, std::uint64_t codeBytes);

}  // namespace zetl::executed
