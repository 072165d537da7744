#include "emulator/driver/execution/launch_results.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/image.h"
#include "emulator/driver/program/kernel_state.h"
#include "results/writer.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kDefaultLimit = 1ull << 30;
/// As many allocations are followed from one launch.
constexpr std::size_t kMostBuffers = 4096;
/// The upper half of the word that stands for a pointer; below is the offset in its allocation.
constexpr std::uint64_t kPointerMark = 0x7a65'0000'0000'0000;
/// No allocation lies below, and most words of other data do.
constexpr std::uint64_t kLowestAddress = 1ull << 40;
constexpr std::uint64_t kHighestAddress = 1ull << 48;

struct ResultFile {
    Mutex mutex;
    std::optional<results::Writer> writer ZETL_GUARDED_BY(mutex);
};

/// Null if no results are wanted.
std::unique_ptr<ResultFile> wantedFile() {
    const auto directory = settings::text(settings::kResults);
    if (!directory || directory->empty()) return nullptr;
    const auto limit = settings::number(settings::kResultsLimit);
    auto writer =
        results::Writer::create(*directory, limit && *limit >= 0 ? static_cast<std::uint64_t>(*limit) : kDefaultLimit);
    if (!writer) {
        log::error(log::Channel::emulator, "{}={}: results of launches cannot be written there: {}; name a directory",
                   settings::kResults, *directory, std::strerror(errno));
        return nullptr;
    }
    auto file = std::make_unique<ResultFile>();
    const Lock guard(file->mutex);
    file->writer = std::move(writer);
    return file;
}

/// Never destroyed: launches may end while the process exits.
ResultFile* resultFile() {
    static NeverDestroyed<std::unique_ptr<ResultFile>> made(wantedFile());
    return (*made).get();
}

/// Memory of the application, which a kernel may change. The machine's own and code are left out.
std::optional<machine::Allocation> applicationsAt(std::uint64_t address) {
    if (address < kLowestAddress || address >= kHighestAddress) return std::nullopt;
    const auto found = platform().memory().find(address);
    const bool own = !found || found->kind == machine::MemoryKind::internal || found->kind == machine::MemoryKind::code;
    return own ? std::nullopt : found;
}

/// Follows pointers from the arguments of one launch.
class Reached {
  public:
    Reached(const KernelState& state, results::Writer& writer) : writer_(writer) {
        const auto& values = state.arguments();
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (state.image().arguments[i].kind == binary::KernelArgument::Kind::pointer)
                addArgument(state.image(), i, addressIn(values[i]));
            if (const Image* const image = state.imageOf(i)) addArgument(state.image(), i, image->place().address);
        }
        for (std::size_t i = 0; i < values.size(); ++i)
            if (state.image().arguments[i].kind == binary::KernelArgument::Kind::value) follow(values[i].bytes);
    }

    /// The list grows while contents are read.
    std::vector<results::Buffer> contents() {
        for (std::size_t i = 0; i < begins_.size(); ++i) read(i);
        return std::move(buffers_);
    }

  private:
    results::Writer& writer_;
    std::vector<results::Buffer> buffers_;
    std::vector<std::uint64_t> begins_;             ///< of the allocations, one per buffer
    std::map<std::uint64_t, std::size_t> numbers_;  ///< of the buffers, by the begin of their allocations
    std::optional<machine::Allocation> last_;       ///< in which a pointer pointed

    std::size_t add(const machine::Allocation& allocation) {
        const auto [at, isNew] = numbers_.try_emplace(allocation.begin, buffers_.size());
        if (isNew && buffers_.size() < kMostBuffers) {
            begins_.push_back(allocation.begin);
            buffers_.emplace_back().bytes = allocation.bytes();
        }
        return at->second;
    }

    /// 0 if there is none.
    static std::uint64_t addressIn(const module::ArgumentValue& value) {
        std::uint64_t address = 0;
        if (value.bytes.size() == sizeof address) std::memcpy(&address, value.bytes.data(), sizeof address);
        return address;
    }

    void addArgument(const binary::KernelImage& image, std::uint32_t index, std::uint64_t address) {
        const auto allocation = applicationsAt(address);
        if (!allocation) return;
        const std::size_t number = add(*allocation);
        if (number >= buffers_.size() || buffers_[number].argument != results::kThroughPointer) return;
        results::Buffer& buffer = buffers_[number];
        buffer.argument = static_cast<std::int32_t>(index);
        buffer.offset = address - allocation->begin;
        const auto reflection = std::ranges::find(image.reflection, index, &binary::ArgumentReflection::index);
        if (reflection == image.reflection.end()) return;
        buffer.name = reflection->name;
        buffer.type = reflection->typeName;
    }

    /// What stands for the word in the results; remembers where it points to.
    std::uint64_t written(std::uint64_t word) {
        if (word < kLowestAddress || word >= kHighestAddress) return word;
        if (!last_ || !last_->contains(word)) {
            const auto found = applicationsAt(word);
            if (!found) return word;
            last_ = found;
            add(*found);
        }
        return kPointerMark | (word - last_->begin);
    }

    void follow(std::span<const std::uint8_t> bytes) {
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, &bytes[at], sizeof word);
            written(word);
        }
    }

    void read(std::size_t number) {
        const std::uint64_t begin = begins_[number];
        const std::uint64_t bytes = buffers_[number].bytes;
        std::vector<std::byte> content(results::kBlockBytes);
        for (std::uint64_t at = 0; at < bytes; at += results::kBlockBytes) {
            content.resize(std::min<std::uint64_t>(results::kBlockBytes, bytes - at));
            // Memory that another thread has just freed, or that nobody may read, has no contents.
            if (!platform().memory().read(begin + at, content.data(), content.size()))
                std::ranges::fill(content, std::byte{});
            for (std::size_t word = 0; word + sizeof(std::uint64_t) <= content.size(); word += sizeof(std::uint64_t)) {
                std::uint64_t value = 0;
                std::memcpy(&value, &content[word], sizeof value);
                value = written(value);
                std::memcpy(&content[word], &value, sizeof value);
            }
            buffers_[number].blocks.push_back(writer_.keep(content));
        }
    }
};

}  // namespace

void tellResults(const KernelState& state, const module::Extent& groupCount, bool faulted) noexcept try {
    ResultFile* const file = resultFile();
    if (file == nullptr) return;
    const Lock guard(file->mutex);
    if (!file->writer) return;
    results::Launch launch{state.image().name, groupCount, state.groupSize(), faulted, {}};
    if (!faulted) launch.buffers = Reached(state, *file->writer).contents();
    if (file->writer->write(launch)) return;
    log::error(log::Channel::emulator, "{}: no room for the results of launches; the rest is not written",
               settings::kResults);
    file->writer.reset();
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "{}: no host memory for the results of a launch of {}", settings::kResults,
               state.image().name);
}

}  // namespace zetl::emulator::driver
