#include "replay/mapped_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace zetl::replay {
namespace {

constexpr std::uint64_t kPage = 4096;

/// All addresses that a process may have, with room for rounding up.
bool isSensible(const results::Memory& memory) {
    return memory.address >= results::kLowestAddress && memory.address < results::kHighestAddress &&
           memory.bytes <= results::kHighestAddress - memory.address;
}

}  // namespace

std::optional<MappedMemory> MappedMemory::create(const results::Process& process, const results::Start& start,
                                                 std::string& reason) {
    MappedMemory memory(start);
    if (!memory.map(reason) || !memory.fill(process, reason)) return std::nullopt;
    return memory;
}

MappedMemory::~MappedMemory() {
    for (const Pages& pages : pages_) munmap(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin);
}

bool MappedMemory::map(std::string& reason) {
    std::vector<Pages> wanted;
    for (const results::Memory& memory : start_->memory) {
        if (!isSensible(memory)) {
            reason = fmt::format("no memory can be at {:#x}", memory.address);
            return false;
        }
        wanted.push_back({memory.address & ~(kPage - 1), (memory.address + memory.bytes + kPage - 1) & ~(kPage - 1)});
    }
    std::ranges::sort(wanted, {}, &Pages::begin);
    for (Pages pages : wanted) {
        if (!pages_.empty()) pages.begin = std::max(pages.begin, pages_.back().end);  // allocations may share a page
        if (pages.begin >= pages.end) continue;
        void* const place = reinterpret_cast<void*>(pages.begin);
        if (mmap(place, pages.end - pages.begin, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != place) {
            reason = fmt::format("its memory at {:#x} cannot be mapped there: {}", pages.begin, std::strerror(errno));
            return false;
        }
        pages_.push_back(pages);
    }
    return true;
}

bool MappedMemory::fill(const results::Process& process, std::string& reason) const {
    for (const results::Memory& memory : start_->memory) {
        std::uint64_t at = 0;
        for (const results::Block& block : memory.blocks) {
            const auto content = contentOf(process, block);
            if (content.empty()) {
                reason = "the memory that it began with was not kept (--limit)";
                return false;
            }
            std::memcpy(reinterpret_cast<void*>(memory.address + at), content.data(),
                        std::min<std::uint64_t>(content.size(), memory.bytes - at));
            at += results::kBlockBytes;
        }
    }
    return true;
}

const results::Memory* MappedMemory::at(std::uint64_t address) const noexcept {
    const auto found = std::ranges::find_if(start_->memory, [&](const results::Memory& memory) {
        return address >= memory.address && address - memory.address < memory.bytes;
    });
    return found == start_->memory.end() ? nullptr : &*found;
}

std::vector<std::vector<std::byte>> MappedMemory::comparable(const results::Memory& memory) const {
    std::vector<std::vector<std::byte>> blocks;
    for (std::uint64_t at = 0; at < memory.bytes; at += results::kBlockBytes) {
        auto& block = blocks.emplace_back(std::min<std::uint64_t>(results::kBlockBytes, memory.bytes - at));
        std::memcpy(block.data(), reinterpret_cast<const void*>(memory.address + at), block.size());
        for (std::size_t word = 0; word + sizeof(std::uint64_t) <= block.size(); word += sizeof(std::uint64_t)) {
            std::uint64_t value = 0;
            std::memcpy(&value, &block[word], sizeof value);
            if (value < results::kLowestAddress || value >= results::kHighestAddress) continue;
            const results::Memory* const target = this->at(value);
            if (target == nullptr) continue;
            value = results::kPointerMark | (value - target->address);
            std::memcpy(&block[word], &value, sizeof value);
        }
    }
    return blocks;
}

}  // namespace zetl::replay
