#include "metrics/stall_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

#include "injected/stalls_format.h"
#include "run/nvdisasm.h"
#include "text/csv.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;
using correlation::Binary;
using correlation::Kernel;

/// Sampled addresses have these bits of the instruction's.
constexpr std::uint64_t kAddressBits = 0xffffffff;

std::uint64_t addressIn(const std::string& text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

void addTo(StallCounts& sums, const StallCounts& counts) {
    sums.resize(std::max(sums.size(), counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
}

/// Those with the suffix, in the order of their names.
std::vector<fs::path> filesIn(const fs::path& directory, const char* suffix) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.path().extension() == suffix) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

}  // namespace

std::uint64_t sumOf(const StallCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{});
}

/// A module's debug image, and where its kernels are among all.
struct StallProfile::Image {
    std::unique_ptr<Binary> binary;
    std::vector<std::size_t> kernels;
    std::vector<std::uint8_t> cubin;  ///< if it is one
};

StallProfile::StallProfile(const fs::path& directory) {
    for (const auto& file : filesIn(directory, kStallsSuffix)) read(file);
    disassemble();
    std::ranges::stable_sort(kernels_, std::ranges::greater(),
                             [](const StalledKernel& each) { return sumOf(each.samples); });
    std::erase_if(kernels_, [](const StalledKernel& each) { return sumOf(each.samples) == 0; });
}

/// Runs nvdisasm for the modules that were sampled.
void StallProfile::disassemble() {
    for (const auto& image : cubins_) {
        const auto sampled = [&](std::size_t kernel) { return sumOf(kernels_[kernel].samples) > 0; };
        if (std::ranges::none_of(image->kernels, sampled)) continue;
        const auto texts = disassembled(image->cubin, withoutSass_);
        for (const auto kernel : image->kernels)
            for (auto& each : kernels_[kernel].code) describe(texts, kernels_[kernel].name, {&each.instruction, 1});
    }
    cubins_.clear();
}

std::uint64_t StallProfile::mapped() const {
    std::uint64_t sum = 0;
    for (const auto& each : kernels_) sum += sumOf(each.samples);
    return sum;
}

void StallProfile::read(const fs::path& file) {
    std::ifstream stream(file);
    const auto stem = (file.parent_path() / file.stem()).native();
    Images live;
    for (std::string line; std::getline(stream, line);)
        if (const auto fields = fieldsOf(line); fields.size() > 1 && !fields[0].empty()) readLine(fields, stem, live);
}

void StallProfile::readLine(const std::vector<std::string>& fields, const std::string& stem, Images& live) {
    const auto number = addressIn(fields[1]);
    switch (fields[0][0]) {
        case kStallsHead:
            if (!reasons_.empty()) break;  // one device's reasons are another's
            period_ = number;
            longestPeriod_ = std::max(longestPeriod_, number);
            reasons_.assign(fields.begin() + 2, fields.end());
            break;
        case kModuleMade:
            live[number] = imageOf(fmt::format("{}-{}{}", stem, number, kImageSuffix));
            break;
        case kModuleGone:
            live.erase(number);
            break;
        case kSamplesLost:
            lost_ += number;
            moreLost_ = moreLost_ || number == 0;
            break;
        case kPeriodChanged:
            longestPeriod_ = std::max(longestPeriod_, number);
            break;
        case kSamples: {
            StallCounts counts;
            for (std::size_t i = 2; i < fields.size(); ++i) counts.push_back(addressIn(fields[i]));
            counts.resize(reasons_.size());
            add(live, number, counts);
            break;
        }
    }
}

std::shared_ptr<StallProfile::Image> StallProfile::imageOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
    auto image = std::make_shared<Image>();
    std::string failure;
    image->binary = Binary::read({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, failure);
    if (!image->binary) {
        fmt::print(stderr, "zetl: the samples of one module are not mapped: {}\n", failure);
        return image;
    }
    for (const auto& kernel : image->binary->kernels()) image->kernels.push_back(kernelOf(*image->binary, kernel));
    if (image->binary->container() == "cubin") {
        image->cubin.assign(bytes.begin(), bytes.end());
        cubins_.push_back(image);
    }
    return image;
}

std::size_t StallProfile::kernelOf(const Binary& binary, const Kernel& kernel) {
    const auto bytes = binary.code(kernel);
    const std::string code(bytes.begin(), bytes.end());
    const auto [at, isNew] = known_.try_emplace({kernel.name, code}, kernels_.size());
    if (!isNew) return at->second;
    auto& made = kernels_.emplace_back();
    made.name = kernel.name;
    made.withoutLines = binary.withoutLines();
    for (auto& each : binary.instructions(kernel))
        made.code.push_back({each, binary.sourceOf(kernel, each.offset), StallCounts(reasons_.size())});
    return at->second;
}

void StallProfile::add(const Images& live, std::uint64_t address, const StallCounts& counts) {
    for (const auto& [number, image] : live) {
        for (std::size_t i = 0; i < image->kernels.size(); ++i) {
            const auto& kernel = image->binary->kernels()[i];
            const auto offset = (address - kernel.address) & kAddressBits;
            if (offset >= kernel.codeBytes) continue;
            auto& stalled = kernels_[image->kernels[i]];
            const auto at = std::ranges::upper_bound(stalled.code, offset, {}, [](const StalledInstruction& each) {
                return std::uint64_t(each.instruction.offset);
            });
            if (at == stalled.code.begin()) continue;
            addTo(std::prev(at)->samples, counts);
            return addTo(stalled.samples, counts);
        }
    }
    unmapped_ += sumOf(counts);
}

}  // namespace zetl::command
