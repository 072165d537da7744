#include "results/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

FileDescriptor made(const std::string& path) {
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
}

std::string blocksLine(const std::vector<Block>& blocks) {
    std::string text = "blocks";
    for (const Block& block : blocks)
        text += block.number == kNotKept ? fmt::format("\t-:{:x}", block.hash)
                                         : fmt::format("\t{}:{:x}", block.number, block.hash);
    return text + '\n';
}

std::string argumentLine(const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::value:
            return fmt::format("value\t{}\t{:02x}\n", argument.index, fmt::join(argument.bytes, ""));
        case Argument::Kind::local:
            return fmt::format("local\t{}\t{}\n", argument.index, argument.number);
        case Argument::Kind::pointer:
            return fmt::format("pointer\t{}\t{}\n", argument.index, argument.number);
        case Argument::Kind::object:
            break;
    }
    return fmt::format("object\t{}\n", argument.index);
}

std::string startLines(const Start& start) {
    const std::string module = start.module == kNoModule ? "-" : std::to_string(start.module);
    std::string text = fmt::format("start\t{}\t{}\t{}\n", module, extent(start.offset), start.dimensions);
    for (const Argument& argument : start.arguments) text += argumentLine(argument);
    for (const Memory& memory : start.memory)
        text += fmt::format("memory\t{}\t{}\n{}", memory.address, memory.bytes, blocksLine(memory.blocks));
    return text;
}

std::string stateOf(const Launch& launch) {
    return launch.faulted ? "fault" : launch.leftOut.empty() ? "ok" : kLeftOut + field(launch.leftOut);
}

}  // namespace

std::string moduleFile(const std::string& path, std::uint64_t module) { return fmt::format("{}.{}.spv", path, module); }

std::optional<Writer> Writer::create(const std::string& directory, std::uint64_t limit, std::string name) {
    if (name.empty()) name = std::to_string(getpid());
    std::string path = fmt::format("{}/{}", directory, name);
    FileDescriptor launches = made(path + kLaunchSuffix);
    if (!launches) return std::nullopt;
    FileDescriptor blocks = made(path + kBlockSuffix);
    if (!blocks) return std::nullopt;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const std::string head =
        fmt::format("process\t{}\n", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    if (!writeWhole(launches.get(), head)) return std::nullopt;
    return Writer(std::move(path), std::move(launches), std::move(blocks), limit);
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

std::uint64_t Writer::keepModule(std::span<const std::uint8_t> spirv) {
    const FileDescriptor file = made(moduleFile(path_, modules_));
    const auto bytes = std::as_bytes(spirv);
    const bool whole = file && writeWhole(file.get(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return whole ? modules_++ : kNoModule;
}

bool Writer::write(const Launch& launch) {
    std::string text = fmt::format("launch\t{}\t{}\t{}\t{}\n", field(launch.kernel), extent(launch.groups),
                                   extent(launch.groupSize), stateOf(launch));
    for (const Buffer& buffer : launch.buffers)
        text += fmt::format("buffer\t{}\t{}\t{}\t{}\t{}\n{}", buffer.argument, field(buffer.name), field(buffer.type),
                            buffer.bytes, buffer.offset, blocksLine(buffer.blocks));
    if (launch.start) text += startLines(*launch.start);
    if (writeWhole(launches_.get(), text)) return true;
    // Emptying a file needs no room. If even that fails, only the log says that launches are missing.
    [[maybe_unused]] const int emptied = ftruncate(launches_.get(), 0);
    return false;
}

}  // namespace zetl::results
