// What messages to images do, lane by lane.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "emulator/isa/image_access.h"
#include "emulator/isa/sampling.h"
#include "emulator/isa/surface.h"

namespace zetl::emulator::isa {
namespace {

using zetl::isa::xe::floatToHalf;
using zetl::isa::xe::ImageOperation;
using zetl::isa::xe::SamplerState;
namespace header = zetl::isa::xe::image_header;

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kAllChannels = 15;

std::uint32_t headerWord(const Thread& thread, const ImageAccess& access, std::uint32_t at) noexcept {
    std::uint32_t word;
    std::memcpy(&word, thread.state + access.headerAt + at, sizeof word);
    return word;
}

/// The results of all lanes, by channel; registers are written when all of them are known.
using Results = std::array<std::array<std::uint32_t, kLanes>, 4>;

class ImageRun {
  public:
    ImageRun(Thread& thread, const Step* step)
        : thread_(thread), step_(step), access_(*reinterpret_cast<const ImageAccess*>(step->src[0])) {}

    const Step* run() {
        using enum ImageOperation;
        on_ = lanesOn(thread_, step_->mask);
        if (on_ == 0) return step_ + 1;
        surface_ = Surface::find(thread_, surfaceOf(thread_, access_), failure_);
        if (!surface_) return failed();
        switch (access_.message.operation) {
            case info:
                return size();
            case blockLoad:
            case blockStore:
                return block();
            case typedStore:
                return store();
            default:
                return read();
        }
    }

  private:
    Thread& thread_;
    const Step* const step_;
    const ImageAccess& access_;
    std::uint32_t on_ = 0;
    std::optional<Surface> surface_;
    std::optional<SamplerState> sampler_;
    // What sampling takes from both.
    unsigned dimensions_ = 1;
    bool linear_ = false;
    decltype(&linearTaps) findTaps_ = nullptr;
    std::array<std::uint32_t, 3> axes_{};  ///< texels
    Surface::Failure failure_;
    std::uint32_t lane_ = 0;

    const Step* failed() {
        Fault f;
        f.kind = failure_.kind;
        f.write = failure_.write;
        f.lane = static_cast<std::uint8_t>(lane_);
        f.address = failure_.address;
        f.bytes = static_cast<std::uint32_t>(failure_.bytes);
        return fail(thread_, step_, f);
    }

    std::uint32_t parameter(std::uint32_t row) const {
        if (row >= access_.rowCount) return 0;
        return thread_.at<std::uint32_t>(access_.rows[row] + lane_ * 4);
    }
    float real(std::uint32_t row) const { return std::bit_cast<float>(parameter(row)); }
    std::int64_t whole(std::uint32_t row) const { return static_cast<std::int32_t>(parameter(row)); }

    Surface::Place wholePlace() const { return surface_->placeOf({whole(0), whole(1), whole(2)}); }

    // ---- reads ----

    const Step* read() {
        const bool samples = access_.message.samples();
        if (samples) {
            sampler_ = findSampler(thread_, samplerOf(thread_, access_), failure_);
            if (!sampler_) return failed();
            prepareToSample();
        }
        Results results;
        for (std::uint32_t lanes = on_; lanes != 0; lanes &= lanes - 1) {
            lane_ = static_cast<std::uint32_t>(std::countr_zero(lanes));
            TexelBits texel{};
            const bool good =
                samples ? sample(texel) : surface_->read(thread_, step_->extra, wholePlace(), texel, failure_);
            if (!good) return failed();
            for (std::size_t c = 0; c < texel.size(); ++c) results[c][lane_] = texel[c];
        }
        write(results);
        return step_ + 1;
    }

    void prepareToSample() {
        dimensions_ = surface_->dimensions();
        linear_ = sampler_->linear && !surface_->format().isInteger();  // whole numbers have no mean
        findTaps_ = linear_ ? linearTaps : nearestTap;
        for (std::size_t d = 0; d < axes_.size(); ++d)
            axes_[d] = static_cast<std::uint32_t>(std::min<std::uint64_t>(surface_->sizes()[d], 1u << 30));
    }

    bool sample(TexelBits& texel) {
        std::array<Taps, 3> taps{};
        for (unsigned d = 0; d < dimensions_; ++d)
            taps[d] = findTaps_(sampler_->address[d], sampler_->normalized, real(coordinateRow(access_, d)), axes_[d]);
        const std::uint32_t layer =
            surface_->state().array ? layerOf(real(coordinateRow(access_, dimensions_)), axes_[2]) : 0;
        if (linear_) return mean(taps, layer, texel);
        const Surface::Place at{taps[0].first, taps[1].first, dimensions_ == 3 ? taps[2].first : layer};
        return surface_->read(thread_, step_->extra, at, texel, failure_);
    }

    bool mean(const std::array<Taps, 3>& taps, std::uint32_t layer, TexelBits& texel) {
        std::array<float, 4> sum{};
        for (unsigned corner = 0; corner < 1u << dimensions_; ++corner) {
            const auto place = [&](unsigned d) { return corner >> d & 1 ? taps[d].second : taps[d].first; };
            float weight = 1;
            for (unsigned d = 0; d < dimensions_; ++d) weight *= corner >> d & 1 ? taps[d].weight : 1 - taps[d].weight;
            if (weight == 0) continue;
            const Surface::Place at{place(0), dimensions_ > 1 ? place(1) : 0, dimensions_ > 2 ? place(2) : layer};
            TexelBits one;
            if (!surface_->read(thread_, step_->extra, at, one, failure_)) return false;
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * std::bit_cast<float>(one[c]);
        }
        for (std::size_t c = 0; c < sum.size(); ++c) texel[c] = std::bit_cast<std::uint32_t>(sum[c]);
        return true;
    }

    // ---- results ----

    std::uint32_t bytesOfChannel() const {
        constexpr std::uint32_t kHalves = 2;
        const std::uint32_t bytes = access_.message.rowRegisters() * layout::kRegisterBytes;
        if (!access_.message.halfResults) return bytes;
        return std::max(bytes / kHalves, layout::kRegisterBytes);
    }

    /// The channels that are wanted, one behind the other, as many as the message has registers for.
    void write(const Results& results) {
        const std::uint32_t wanted = channelsWanted(thread_, access_);
        const std::uint32_t room = access_.message.replyRegisters * layout::kRegisterBytes;
        const std::uint32_t channelBytes = bytesOfChannel();
        std::uint32_t at = 0;
        for (std::size_t c = 0; c < results.size() && at + channelBytes <= room; ++c) {
            if (!(wanted >> c & 1)) continue;
            for (std::uint32_t lanes = on_; lanes != 0; lanes &= lanes - 1) {
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
                put(access_.result + at, lane, results[c][lane]);
            }
            at += channelBytes;
        }
    }
    void put(std::uint32_t place, std::uint32_t lane, std::uint32_t value) {
        if (!access_.message.halfResults) {
            thread_.at<std::uint32_t>(place + lane * 4) = value;
            return;
        }
        const bool real = !surface_->format().isInteger();
        thread_.at<std::uint16_t>(place + lane * 2) =
            static_cast<std::uint16_t>(real ? floatToHalf(std::bit_cast<float>(value)) : value);
    }

    const Step* size() {
        const auto& state = surface_->state();
        const auto& sizes = surface_->sizes();
        const bool line = surface_->dimensions() == 1;
        const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
        const std::array<std::uint32_t, 4> values{narrow(sizes[0]), narrow(line && state.array ? sizes[2] : sizes[1]),
                                                  narrow(sizes[2]), state.levels};
        Results results;
        for (std::size_t c = 0; c < results.size(); ++c) results[c].fill(values[c]);
        write(results);
        return step_ + 1;
    }

    // ---- stores ----

    const Step* store() {
        const std::uint32_t row = access_.message.rowRegisters() * layout::kRegisterBytes;
        for (std::uint32_t lanes = on_; lanes != 0; lanes &= lanes - 1) {
            lane_ = static_cast<std::uint32_t>(std::countr_zero(lanes));
            TexelBits texel{};
            std::uint32_t at = access_.data;
            for (std::size_t c = 0; c < texel.size(); ++c) {
                if (!(access_.message.components >> c & 1)) continue;
                texel[c] = thread_.at<std::uint32_t>(at + lane_ * 4);
                at += row;
            }
            if (!surface_->write(thread_, step_->extra, wholePlace(), texel, failure_)) return failed();
        }
        return step_ + 1;
    }

    // ---- blocks ----

    /// Rows of bytes. Rows and bytes outside are those at the edge; outside, nothing is written.
    const Step* block() {
        constexpr std::uint32_t kXAt = 20;
        constexpr std::uint32_t kYAt = 24;
        constexpr std::uint32_t kSizeAt = 28;
        const std::uint32_t payload = access_.rows[0];
        const auto x = std::int64_t{thread_.at<std::int32_t>(payload + kXAt)};
        const auto y = std::int64_t{thread_.at<std::int32_t>(payload + kYAt)};
        const std::uint32_t size = thread_.at<std::uint16_t>(payload + kSizeAt);
        const std::uint32_t bytes = (size & 63) + 1;
        const std::uint32_t rows = (size >> 8 & 63) + 1;
        const bool store = access_.message.operation == ImageOperation::blockStore;
        const std::uint32_t pitch = std::bit_ceil(bytes);
        const std::uint32_t room = (store ? access_.rowCount : access_.message.replyRegisters) * layout::kRegisterBytes;
        const std::uint64_t rowBytes = surface_->sizes()[0] * surface_->format().bytes;
        for (std::uint32_t r = 0; r < rows && (r + 1) * pitch <= room; ++r)
            for (std::uint32_t b = 0; b < bytes; ++b)
                if (!blockByte(x + b, y + r, rowBytes, (store ? access_.data : access_.result) + r * pitch + b, store))
                    return failed();
        return step_ + 1;
    }
    bool blockByte(std::int64_t x, std::int64_t y, std::uint64_t rowBytes, std::uint32_t place, bool store) {
        const auto lastByte = static_cast<std::int64_t>(rowBytes) - 1;
        const auto lastRow = static_cast<std::int64_t>(surface_->sizes()[1]) - 1;
        const bool inside = x >= 0 && x <= lastByte && y >= 0 && y <= lastRow;
        if (store && !inside) return true;
        const Surface::Place row{0, std::clamp<std::int64_t>(y, 0, lastRow), 0};
        const std::uint64_t address =
            surface_->addressOf(row) + static_cast<std::uint64_t>(std::clamp<std::int64_t>(x, 0, lastByte));
        std::byte* const host = surface_->bytesAt(thread_, step_->extra, address, 1, store, failure_);
        if (!host) return false;
        if (store)
            *host = thread_.state[place];
        else
            thread_.state[place] = *host;
        return true;
    }
};

}  // namespace

std::uint32_t surfaceOf(const Thread& thread, const ImageAccess& access) noexcept {
    return thread.at<std::uint32_t>(access.surfaceAt) & zetl::isa::xe::kSurfaceMask;
}

std::uint32_t samplerOf(const Thread& thread, const ImageAccess& access) noexcept {
    return headerWord(thread, access, header::kSamplerAt) & header::kSamplerMask;
}

std::uint32_t channelsWanted(const Thread& thread, const ImageAccess& access) noexcept {
    if (!access.message.bySampler()) return access.message.components;
    if (!access.message.header) return kAllChannels;
    return ~headerWord(thread, access, header::kChannelsAt) >> header::kChannelsShift & kAllChannels;
}

std::uint32_t coordinateRow(const ImageAccess& access, unsigned dimension) noexcept {
    if (access.message.operation == ImageOperation::sampleLevel) return 1 + dimension;
    return access.message.operation == ImageOperation::sampleGradient ? dimension * 3 : dimension;
}

const Step* imageMessage(Thread& thread, const Step* step) { return ImageRun(thread, step).run(); }

}  // namespace zetl::emulator::isa
