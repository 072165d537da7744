#include "emulator/driver/execution/launch_results.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/settings.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/image.h"
#include "emulator/driver/program/kernel_state.h"
#include "emulator/driver/program/result_file.h"

namespace zetl::emulator::driver {
namespace {

/// As many allocations are followed from one launch.
constexpr std::size_t kMostBuffers = 4096;
using results::kHighestAddress;
using results::kLowestAddress;

/// Memory of the application, which a kernel may change. The machine's own and code are left out.
std::optional<machine::Allocation> applicationsAt(std::uint64_t address) {
    if (address < kLowestAddress || address >= kHighestAddress) return std::nullopt;
    const auto found = platform().memory().find(address);
    const bool own = !found || found->kind == machine::MemoryKind::internal || found->kind == machine::MemoryKind::code;
    return own ? std::nullopt : found;
}

/// 0 if there is none.
std::uint64_t addressIn(const module::ArgumentValue& value) {
    std::uint64_t address = 0;
    if (value.bytes.size() == sizeof address) std::memcpy(&address, value.bytes.data(), sizeof address);
    return address;
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

    /// With offsets instead of addresses.
    std::vector<results::Buffer> contents() {
        for (std::size_t i = 0; i < begins_.size(); ++i) {  // the list grows while contents are read
            auto blocks = read(i, Words::comparable);
            buffers_[i].blocks = std::move(blocks);
        }
        return std::move(buffers_);
    }

    /// As it is.
    std::vector<results::Memory> memory() {
        std::vector<results::Memory> all;
        for (std::size_t i = 0; i < begins_.size(); ++i)
            all.push_back({begins_[i], buffers_[i].bytes, read(i, Words::asTheyAre)});
        return all;
    }

  private:
    enum class Words : std::uint8_t { asTheyAre, comparable };

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
        return results::kPointerMark | (word - last_->begin);
    }

    void follow(std::span<const std::uint8_t> bytes) {
        for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, &bytes[at], sizeof word);
            written(word);
        }
    }

    std::vector<results::Block> read(std::size_t number, Words words) {
        const std::uint64_t begin = begins_[number];
        const std::uint64_t bytes = buffers_[number].bytes;
        std::vector<results::Block> blocks;
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
                if (words == Words::comparable) std::memcpy(&content[word], &value, sizeof value);
            }
            blocks.push_back(writer_.keep(content));
        }
        return blocks;
    }
};

/// The arguments as the program gave them.
std::vector<results::Argument> argumentsOf(const KernelState& state) {
    using Kind = binary::KernelArgument::Kind;
    std::vector<results::Argument> all;
    const auto& arguments = state.image().arguments;
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
        results::Argument argument{results::Argument::Kind::value, i, 0, {}};
        const auto given = state.given(i);
        if (arguments[i].kind == Kind::image || arguments[i].kind == Kind::sampler) {
            argument.kind = results::Argument::Kind::object;
        } else if (arguments[i].kind == Kind::localPointer) {
            argument.kind = results::Argument::Kind::local;
            argument.number = state.arguments()[i].localBytes;
        } else if (arguments[i].kind == Kind::pointer) {
            argument.kind = results::Argument::Kind::pointer;
            argument.number = addressIn(state.arguments()[i]);
        } else {
            argument.bytes.assign(given.begin(), given.end());
        }
        if (argument.kind != results::Argument::Kind::value || !argument.bytes.empty())
            all.push_back(std::move(argument));
    }
    return all;
}

void logExhaustion(const KernelState& state) noexcept {
    log::error(log::Channel::emulator, "{}: no host memory for the results of a launch of {}", settings::kResults,
               state.image().name);
}

}  // namespace

std::optional<results::Start> startOf(const KernelState& state, const module::Extent& groupCount,
                                      std::uint64_t source) noexcept try {
    ResultFile* const file = inputFile();
    if (file == nullptr) return std::nullopt;
    const Lock guard(file->mutex);
    if (!file->writer) return std::nullopt;
    const auto shape = state.shape(groupCount);
    return results::Start{source, shape.globalOffset, shape.dimensions, argumentsOf(state),
                          Reached(state, *file->writer).memory()};
} catch (const std::bad_alloc&) {
    logExhaustion(state);
    return std::nullopt;
}

void tellResults(const KernelState& state, const module::Extent& groupCount, bool faulted,
                 std::optional<results::Start> start) noexcept try {
    ResultFile* const file = resultFile();
    if (file == nullptr) return;
    const Lock guard(file->mutex);
    if (!file->writer) return;
    results::Launch launch{state.image().name, groupCount, state.groupSize(), faulted, {}, std::move(start)};
    if (!faulted) launch.buffers = Reached(state, *file->writer).contents();
    if (file->writer->write(launch)) return;
    log::error(log::Channel::emulator, "{}: no room for the results of launches; the rest is not written",
               settings::kResults);
    file->writer.reset();
} catch (const std::bad_alloc&) {
    logExhaustion(state);
}

}  // namespace zetl::emulator::driver
