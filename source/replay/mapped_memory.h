// The memory of a launch at the addresses that it had in its own process, where pointers in it lead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/reader.h"

namespace zetl::replay {

/// Not thread-safe.
class MappedMemory {
  public:
    /// Nothing, and the reason, if this process has something else there, or if contents were not kept.
    static std::optional<MappedMemory> create(const results::Process& process, const results::Start& start,
                                              std::string& reason);
    MappedMemory(MappedMemory&& other) noexcept = default;
    MappedMemory& operator=(MappedMemory&&) = delete;
    ~MappedMemory();

    /// The allocation in which the address lies; null if there is none.
    const results::Memory* at(std::uint64_t address) const noexcept;
    /// What is in an allocation now, block by block, with offsets instead of addresses.
    std::vector<std::vector<std::byte>> comparable(const results::Memory& memory) const;

  private:
    struct Pages {
        std::uint64_t begin;
        std::uint64_t end;
    };
    explicit MappedMemory(const results::Start& start) : start_(&start) {}
    bool map(std::string& reason);
    bool fill(const results::Process& process, std::string& reason) const;

    const results::Start* start_;
    std::vector<Pages> pages_;
};

}  // namespace zetl::replay
