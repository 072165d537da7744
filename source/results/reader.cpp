#include "results/reader.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

namespace zetl::results {
namespace {

namespace fs = std::filesystem;

template <class T>
std::optional<T> numberIn(std::string_view text, int base = 10) {
    T value{};
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value, base);
    return read.ec == std::errc() && read.ptr == end && !text.empty() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

std::optional<std::array<std::uint32_t, 3>> extentIn(std::string_view text) {
    const auto parts = split(text, 'x');
    std::array<std::uint32_t, 3> sizes{};
    if (parts.size() != sizes.size()) return std::nullopt;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto size = numberIn<std::uint32_t>(parts[i]);
        if (!size) return std::nullopt;
        sizes[i] = *size;
    }
    return sizes;
}

std::optional<Block> blockIn(std::string_view text) {
    const auto parts = split(text, ':');
    if (parts.size() != 2) return std::nullopt;
    const auto hash = numberIn<std::uint64_t>(parts[1], 16);
    const auto number = parts[0] == "-" ? kNotKept : numberIn<std::uint64_t>(parts[0]);
    return hash && number ? std::optional(Block{*number, *hash}) : std::nullopt;
}

using Fields = std::vector<std::string_view>;

bool readLaunch(const Fields& fields, Process& process) {
    constexpr std::size_t kFields = 5;
    if (fields.size() != kFields) return false;
    const auto groups = extentIn(fields[2]);
    const auto size = extentIn(fields[3]);
    if (!groups || !size) return false;
    process.launches.push_back({std::string(fields[1]), *groups, *size, fields[4] == "fault", {}});
    return true;
}

bool readBuffer(const Fields& fields, Process& process) {
    constexpr std::size_t kFields = 6;
    if (fields.size() != kFields || process.launches.empty()) return false;
    const auto argument = numberIn<std::int32_t>(fields[1]);
    const auto bytes = numberIn<std::uint64_t>(fields[4]);
    const auto offset = numberIn<std::uint64_t>(fields[5]);
    if (!argument || !bytes || !offset) return false;
    process.launches.back().buffers.push_back(
        {*argument, std::string(fields[2]), std::string(fields[3]), *bytes, *offset, {}});
    return true;
}

bool readBlocks(const Fields& fields, Process& process) {
    if (process.launches.empty() || process.launches.back().buffers.empty()) return false;
    std::vector<Block>& blocks = process.launches.back().buffers.back().blocks;
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const auto block = blockIn(fields[i]);
        if (!block) return false;
        blocks.push_back(*block);
    }
    return true;
}

bool readLine(std::string_view line, Process& process) {
    const Fields fields = split(line, '\t');
    if (fields[0] == "launch") return readLaunch(fields, process);
    if (fields[0] == "buffer") return readBuffer(fields, process);
    if (fields[0] == "blocks") return readBlocks(fields, process);
    const auto began = fields[0] == "process" && fields.size() == 2 ? numberIn<std::uint64_t>(fields[1]) : std::nullopt;
    if (began) process.began = *began;
    return began.has_value();
}

/// A buffer without all of its blocks is of a process that was killed as it wrote.
bool isWhole(const Buffer& buffer) { return buffer.blocks.size() == (buffer.bytes + kBlockBytes - 1) / kBlockBytes; }

Process processIn(const fs::path& file) {
    Process process;
    process.blocks = fs::path(file).replace_extension(kBlockSuffix);
    std::ifstream stream(file);
    for (std::string line; !process.damaged && std::getline(stream, line);) process.damaged = !readLine(line, process);
    const auto part = std::ranges::find_if(
        process.launches, [](const Launch& launch) { return !std::ranges::all_of(launch.buffers, isWhole); });
    process.damaged |= part != process.launches.end();
    process.launches.erase(part, process.launches.end());
    return process;
}

}  // namespace

std::vector<Process> readProcesses(const fs::path& directory) {
    std::vector<Process> processes;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory, failure))
        if (entry.path().extension() == kLaunchSuffix) processes.push_back(processIn(entry.path()));
    std::ranges::sort(processes, {}, &Process::began);
    return processes;
}

std::vector<std::byte> contentOf(const Process& process, const Block& block) {
    if (block.number == kNotKept || block.number > UINT64_MAX / 2 / kBlockBytes) return {};
    std::vector<std::byte> content(kBlockBytes);
    std::ifstream stream(process.blocks, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(block.number * kBlockBytes));
    stream.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
    if (!stream) content.clear();
    return content;
}

}  // namespace zetl::results
