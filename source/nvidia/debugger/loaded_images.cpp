#include "nvidia/debugger/loaded_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/settings.h"
#include "nvidia/driver/program/cubin.h"

namespace zetl::nvidia {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 30;

/// Empty if it is not there, or too large for a module.
Bytes contentOf(const fs::path& file) {
    std::error_code unknown;
    const auto bytes = fs::file_size(file, unknown);
    if (unknown || bytes > kMostBytes) return {};
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::uint64_t addressOf(const CodeSection& section, const Bytes& image) {
    std::uint64_t address = 0;
    std::memcpy(&address, &image[section.addressField], sizeof address);
    return address;
}

std::optional<LoadedImage> read(const fs::path& file) {
    LoadedImage image{file.string(), contentOf(file), UINT64_MAX, 0};
    for (const auto& section : codeSectionsOf(image.bytes)) {
        const auto address = addressOf(section, image.bytes);
        if (address == 0 || address > UINT64_MAX - section.bytes) continue;
        image.begin = std::min(image.begin, address);
        image.end = std::max(image.end, address + section.bytes);
    }
    return image.end == 0 ? std::nullopt : std::optional(std::move(image));
}

}  // namespace

LoadedImages::LoadedImages(pid_t gdb)
    : directory_(fs::path(settings::text("TMPDIR").value_or("/tmp")) / "cuda-dbg" / std::to_string(gdb)) {}

std::vector<fs::path> LoadedImages::files() const {
    std::vector<fs::path> all;
    std::error_code none;
    for (auto each = fs::recursive_directory_iterator(directory_, none); !none && each != fs::end(each);
         each.increment(none))
        if (each->path().filename().string().starts_with("elf.") && each->is_regular_file(none))
            all.push_back(each->path());
    std::ranges::sort(all);
    return all;
}

LoadedImages::Changes LoadedImages::refresh() {
    Changes changes;
    const auto present = files();
    std::erase_if(images_, [&](const auto& entry) {
        const bool gone = !std::ranges::binary_search(present, fs::path(entry.second.file));
        if (gone) changes.unloaded.push_back(entry.first);
        return gone;
    });
    for (const auto& file : present) {
        const auto known = [&](const auto& entry) { return entry.second.file == file; };
        if (std::ranges::any_of(images_, known)) continue;
        auto image = read(file);
        if (!image) continue;
        images_.emplace(++last_, *std::move(image));
        changes.loaded.push_back(last_);
    }
    return changes;
}

const LoadedImage* LoadedImages::find(std::uint64_t id) const {
    const auto found = images_.find(id);
    return found == images_.end() ? nullptr : &found->second;
}

std::optional<Bytes> LoadedImages::code(std::uint64_t address, std::uint64_t bytes) const {
    for (const auto& [id, image] : images_) {
        if (address < image.begin || address >= image.end) continue;
        for (const auto& section : codeSectionsOf(image.bytes)) {
            const auto first = addressOf(section, image.bytes);
            if (address < first || address - first > section.bytes || bytes > section.bytes - (address - first))
                continue;
            const auto* const begin = &image.bytes[section.offset + (address - first)];
            return Bytes(begin, begin + bytes);
        }
    }
    return std::nullopt;
}

}  // namespace zetl::nvidia
