#include "results/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

namespace zetl::results {
namespace {

bool writeWhole(int file, std::span<const char> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// SplitMix64's last steps: each bit of the word changes half of the result's.
std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

std::uint64_t hashOf(std::span<const std::byte> content) {
    std::uint64_t hash = mixed(content.size() + 1);
    for (std::size_t at = 0; at < content.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, &content[at], std::min(sizeof word, content.size() - at));
        hash = mixed(hash + 0x9e3779b97f4a7c15 + mixed(word));
    }
    return hash;
}

/// The text without characters that separate fields or lines.
std::string field(std::string text) {
    for (char& each : text)
        if (each == '\t' || each == '\n') each = ' ';
    return text;
}

std::string extent(const std::array<std::uint32_t, 3>& sizes) {
    return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

}  // namespace

std::optional<Writer> Writer::create(const std::string& directory, std::uint64_t limit) {
    const auto made = [&](const char* suffix) {
        return FileDescriptor(::open(fmt::format("{}/{}{}", directory, getpid(), suffix).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    };
    FileDescriptor launches = made(kLaunchSuffix);
    if (!launches) return std::nullopt;
    FileDescriptor blocks = made(kBlockSuffix);
    if (!blocks) return std::nullopt;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const std::string head =
        fmt::format("process\t{}\n", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    if (!writeWhole(launches.get(), head)) return std::nullopt;
    return Writer(std::move(launches), std::move(blocks), limit);
}

Block Writer::keep(std::span<const std::byte> content) {
    const std::uint64_t hash = hashOf(content);
    if (const auto found = known_.find(hash); found != known_.end()) return {found->second, hash};
    const std::uint64_t number = known_.size();
    if ((number + 1) * kBlockBytes > limit_) return {kNotKept, hash};
    std::array<char, kBlockBytes> block{};
    std::memcpy(block.data(), content.data(), std::min(content.size(), block.size()));
    if (!writeWhole(blocks_.get(), block)) {
        limit_ = 0;  // the file's end is no place for another block
        return {kNotKept, hash};
    }
    known_[hash] = number;
    return {number, hash};
}

bool Writer::write(const Launch& launch) {
    std::string text = fmt::format("launch\t{}\t{}\t{}\t{}\n", field(launch.kernel), extent(launch.groups),
                                   extent(launch.groupSize), launch.faulted ? "fault" : "ok");
    for (const Buffer& buffer : launch.buffers) {
        text += fmt::format("buffer\t{}\t{}\t{}\t{}\t{}\nblocks", buffer.argument, field(buffer.name),
                            field(buffer.type), buffer.bytes, buffer.offset);
        for (const Block& block : buffer.blocks)
            text += block.number == kNotKept ? fmt::format("\t-:{:x}", block.hash)
                                             : fmt::format("\t{}:{:x}", block.number, block.hash);
        text += '\n';
    }
    return writeWhole(launches_.get(), text);
}

}  // namespace zetl::results
