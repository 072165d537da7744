#include "executed/reader.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "executed/format.h"

namespace zetl::executed {
namespace {

namespace fs = std::filesystem;

std::optional<std::vector<std::uint8_t>> bytesOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(file), {});
}

std::optional<ModuleCounts> imageOf(const fs::path& path) {
    auto bytes = bytesOf(path);
    ImageHeader header;
    if (!bytes || bytes->size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes->data(), sizeof header);
    if (header.magic != ImageHeader::kMagic) return std::nullopt;
    ModuleCounts module;
    module.codeBase = header.codeBase;
    module.image.assign(bytes->begin() + sizeof header, bytes->end());
    return module;
}

bool addCounts(const fs::path& path, std::vector<std::uint64_t>& sums) {
    const auto bytes = bytesOf(path);
    if (!bytes || bytes->size() % sizeof(std::uint64_t) != 0) return false;
    sums.resize(std::max(sums.size(), bytes->size() / sizeof(std::uint64_t)));
    for (std::size_t i = 0; i * sizeof(std::uint64_t) < bytes->size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes->data() + i * sizeof word, sizeof word);
        sums[i] += std::min(word, std::numeric_limits<std::uint64_t>::max() - sums[i]);
    }
    return true;
}

}  // namespace

DirectoryCounts readDirectory(const fs::path& directory) {
    DirectoryCounts all;
    std::map<std::string, ModuleCounts> modules;
    std::map<std::string, std::vector<std::uint64_t>> counts;
    std::set<std::string> processes;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.is_regular_file()) paths.push_back(entry.path());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
        const std::string name = path.filename().native();
        const std::string key = name.substr(0, name.find('.'));
        if (path.extension() == kImageSuffix) {
            auto module = imageOf(path);
            if (module)
                modules[key] = *std::move(module);
            else
                all.unreadable.push_back(name);
        } else if (path.extension() == kCountsSuffix) {
            const std::string rest = name.substr(std::min(key.size() + 1, name.size()));
            processes.insert(rest.substr(0, rest.find('.')));
            if (!addCounts(path, counts[key])) all.unreadable.push_back(name);
        }
    }
    all.processes = processes.size();
    for (auto& [key, sums] : counts) {
        const auto module = modules.find(key);
        if (module == modules.end()) {
            all.unreadable.push_back(key + kImageSuffix);
            continue;
        }
        module->second.key = key;
        module->second.executed = std::move(sums);
        all.modules.push_back(std::move(module->second));
    }
    return all;
}

}  // namespace zetl::executed
