#include "results/reader.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
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

/// Reads one file, line by line.
class LaunchLines {
  public:
    explicit LaunchLines(Process& process) : process_(process) {}

    /// False for a line that does not belong there.
    bool read(std::string_view line) {
        const Fields fields = split(line, '\t');
        const auto row = std::ranges::find_if(kLines, [&](const Line& each) { return each.name == fields[0]; });
        if (row == std::end(kLines) || (row->fields != kAny && fields.size() != row->fields)) return false;
        return (this->*row->read)(fields);
    }

  private:
    static constexpr std::size_t kAny = 0;
    struct Line {
        std::string_view name;
        std::size_t fields;  ///< with the name
        bool (LaunchLines::*read)(const Fields&);
    };
    static const Line kLines[10];

    Process& process_;
    std::vector<Block>* blocks_ = nullptr;  ///< to which the next line of blocks belongs

    Launch* launch() { return process_.launches.empty() ? nullptr : &process_.launches.back(); }
    Start* start() { return launch() != nullptr && launch()->start ? &*launch()->start : nullptr; }

    bool process(const Fields& fields) {
        const auto began = numberIn<std::uint64_t>(fields[1]);
        if (began) process_.began = *began;
        return began.has_value();
    }
    bool launch(const Fields& fields) {
        const auto groups = extentIn(fields[2]);
        const auto size = extentIn(fields[3]);
        if (!groups || !size) return false;
        Launch& made = process_.launches.emplace_back();
        blocks_ = nullptr;
        made.kernel = fields[1];
        made.groups = *groups;
        made.groupSize = *size;
        made.faulted = fields[4] == "fault";
        constexpr std::string_view kReason = kLeftOut;
        if (fields[4].starts_with(kReason)) made.leftOut = fields[4].substr(kReason.size());
        return true;
    }
    bool buffer(const Fields& fields) {
        const auto argument = numberIn<std::int32_t>(fields[1]);
        const auto bytes = numberIn<std::uint64_t>(fields[4]);
        const auto offset = numberIn<std::uint64_t>(fields[5]);
        if (!argument || !bytes || !offset || launch() == nullptr) return false;
        launch()->buffers.push_back({*argument, std::string(fields[2]), std::string(fields[3]), *bytes, *offset, {}});
        blocks_ = &launch()->buffers.back().blocks;
        return true;
    }
    bool start(const Fields& fields) {
        const auto module = fields[1] == "-" ? kNoModule : numberIn<std::uint64_t>(fields[1]);
        const auto offset = extentIn(fields[2]);
        const auto dimensions = numberIn<std::uint32_t>(fields[3]);
        if (!module || !offset || !dimensions || launch() == nullptr) return false;
        launch()->start = Start{*module, *offset, *dimensions, {}, {}};
        return true;
    }
    bool memory(const Fields& fields) {
        const auto address = numberIn<std::uint64_t>(fields[1]);
        const auto bytes = numberIn<std::uint64_t>(fields[2]);
        if (!address || !bytes || start() == nullptr) return false;
        start()->memory.push_back({*address, *bytes, {}});
        blocks_ = &start()->memory.back().blocks;
        return true;
    }
    bool value(const Fields& fields) {
        constexpr std::size_t kDigits = 2;
        Argument argument{Argument::Kind::value, 0, 0, {}};
        for (std::size_t at = 0; at < fields[2].size(); at += kDigits) {
            const auto byte = numberIn<std::uint8_t>(fields[2].substr(at, kDigits), 16);
            if (!byte) return false;
            argument.bytes.push_back(*byte);
        }
        return add(std::move(argument), fields);
    }
    bool local(const Fields& fields) { return add({Argument::Kind::local, 0, 0, {}}, fields); }
    bool pointer(const Fields& fields) { return add({Argument::Kind::pointer, 0, 0, {}}, fields); }
    bool object(const Fields& fields) { return add({Argument::Kind::object, 0, 0, {}}, fields); }

    bool add(Argument argument, const Fields& fields) {
        const bool numbered = argument.kind == Argument::Kind::local || argument.kind == Argument::Kind::pointer;
        const auto index = numberIn<std::uint32_t>(fields[1]);
        const auto number = numbered ? numberIn<std::uint64_t>(fields[2]) : 0;
        if (!index || !number || start() == nullptr) return false;
        argument.index = *index;
        argument.number = *number;
        start()->arguments.push_back(std::move(argument));
        return true;
    }

    bool blocks(const Fields& fields) {
        if (blocks_ == nullptr) return false;
        for (std::size_t i = 1; i < fields.size(); ++i) {
            const auto block = blockIn(fields[i]);
            if (!block) return false;
            blocks_->push_back(*block);
        }
        blocks_ = nullptr;
        return true;
    }
};

constexpr LaunchLines::Line LaunchLines::kLines[] = {
    {"process", 2, &LaunchLines::process},  {"launch", 5, &LaunchLines::launch}, {"buffer", 6, &LaunchLines::buffer},
    {"blocks", kAny, &LaunchLines::blocks}, {"start", 4, &LaunchLines::start},   {"memory", 3, &LaunchLines::memory},
    {"value", 3, &LaunchLines::value},      {"local", 3, &LaunchLines::local},   {"pointer", 3, &LaunchLines::pointer},
    {"object", 2, &LaunchLines::object}};

/// A buffer without all of its blocks is of a process that was killed as it wrote.
bool hasAllBlocks(const auto& memory) {
    return memory.blocks.size() == memory.bytes / kBlockBytes + (memory.bytes % kBlockBytes != 0);
}
bool isWhole(const Launch& launch) {
    const auto whole = [](const auto& memory) { return hasAllBlocks(memory); };
    return std::ranges::all_of(launch.buffers, whole) &&
           (!launch.start || std::ranges::all_of(launch.start->memory, whole));
}

Process processIn(const fs::path& file) {
    Process process;
    process.blocks = fs::path(file).replace_extension(kBlockSuffix);
    std::ifstream stream(file);
    LaunchLines lines(process);
    for (std::string line; !process.damaged && std::getline(stream, line);) process.damaged = !lines.read(line);
    process.incomplete = process.began == 0;
    const auto part = std::ranges::find_if_not(process.launches, isWhole);
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

std::vector<std::uint8_t> moduleOf(const Process& process, std::uint64_t module) {
    std::ifstream stream(moduleFile(fs::path(process.blocks).replace_extension().native(), module), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
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
