// Messages that read images, sixteen lanes at once. What this does not do it leaves to imageMessage(), which does
// everything, lane by lane, with the same results.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include "emulator/isa/image_access.h"
#include "emulator/isa/sampling_axis.h"
#include "emulator/isa/steps/message_memory.h"
#include "emulator/isa/surface.h"

namespace {

using zetl::isa::xe::SamplerState;
using zetl::isa::xe::SurfaceFormat;
using zetl::isa::xe::SurfaceState;
using zetl::isa::xe::TexelBits;
using zetl::isa::xe::TexelKind;

inline constexpr unsigned kSampled = 16;  ///< lanes at once
template <class T>
using Sampled = std::array<T, kSampled>;

/// The two texels that lanes read along one axis, and the weight of the second.
struct AxisTaps {
    alignas(64) Sampled<std::int32_t> texel[2];
    alignas(64) Sampled<float> weight;
};

/// A loop over the lanes as vector code. GCC would unroll so few iterations to scalars first, hence the pragma. Keep
/// what one loop does small: GCC turns conditions that several parts share into branches, and then vectorises nothing.
template <class Lane>
[[gnu::always_inline]] inline void eachSampled(Lane&& lane) {
#ifndef __clang__
#pragma GCC unroll 1
#endif
    ZETL_INDEPENDENT
    for (unsigned i = 0; i < kSampled; ++i) lane(i);
}

// Functions of their own, not parts of one handler: see handler_sizes.py.
template <AddressMode mode, bool linear>
[[gnu::noinline]] void axisTaps(const SamplerState& sampler, const float* coordinates, std::uint32_t size,
                                AxisTaps& taps) {
    const bool normalized = sampler.normalized;
    alignas(64) Sampled<float> u;
    alignas(64) Sampled<float> below;
    alignas(64) Sampled<float> near;
    alignas(64) Sampled<std::int32_t> first;
    eachSampled([&](unsigned i) { u[i] = inTexels<mode>(normalized, coordinates[i], size) - (linear ? 0.5f : 0.0f); });
    eachSampled([&](unsigned i) { below[i] = floorOf(u[i]); });
    eachSampled([&](unsigned i) { near[i] = nearImage(below[i], size); });
    eachSampled([&](unsigned i) { first[i] = static_cast<std::int32_t>(near[i]); });
    eachSampled([&](unsigned i) { taps.texel[0][i] = addressed<mode>(first[i], size); });
    if constexpr (!linear) return;
    eachSampled([&](unsigned i) { taps.texel[1][i] = addressed<mode>(first[i] + 1, size); });
    eachSampled([&](unsigned i) { taps.weight[i] = weightOf(u[i], below[i]); });
}

template <bool linear>
void axisTaps(AddressMode mode, const SamplerState& sampler, const float* coordinates, std::uint32_t size,
              AxisTaps& taps) {
    switch (mode) {
        case AddressMode::wrap:
            return axisTaps<AddressMode::wrap, linear>(sampler, coordinates, size, taps);
        case AddressMode::mirror:
            return axisTaps<AddressMode::mirror, linear>(sampler, coordinates, size, taps);
        case AddressMode::clamp:
            return axisTaps<AddressMode::clamp, linear>(sampler, coordinates, size, taps);
        default:
            return axisTaps<AddressMode::border, linear>(sampler, coordinates, size, taps);
    }
}

/// The texels that lanes read, along all axes; the third may be a layer.
using Texels = std::array<const Sampled<std::int32_t>*, 3>;

/// An image of which one window holds all texels, at most kMostBytes.
class HeldImage {
  public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

    HeldImage(const Surface& surface, const std::byte* texels)
        : surface_(surface), texels_(texels), reader_(readerOf(surface.format())) {
        const SurfaceFormat& format = surface.format();
        const SurfaceState& state = surface.state();
        bytes_ = format.kind == TexelKind::unorm && format.bytes == 4 && format.channels[3].bits == 8;
        for (std::size_t d = 0; d < sizes_.size(); ++d) sizes_[d] = static_cast<std::uint32_t>(surface.sizes()[d]);
        steps_ = {format.bytes, state.pitch, state.sliceRows * state.pitch};
    }

    std::uint32_t size(unsigned axis) const { return sizes_[axis]; }

    /// Sets channels by number of the lanes' texels there, as memory has them: zero outside. Returns the lanes whose
    /// texels are inside.
    [[gnu::noinline]] std::uint32_t read(const Texels& texels, std::array<Sampled<std::uint32_t>, 4>& channels) const {
        alignas(64) Sampled<std::uint32_t> at;
        alignas(64) Sampled<std::uint32_t> inside;
        at.fill(0);
        inside.fill(~0u);
        for (std::size_t d = 0; d < texels.size(); ++d)
            if (texels[d]) addAxis(*texels[d], sizes_[d], steps_[d], at, inside);
        eachSampled([&](unsigned i) { at[i] &= inside[i]; });
        if (bytes_)
            readBytes(at, channels);
        else
            readEach(at, channels);
        std::uint32_t lanes = 0;
        for (unsigned i = 0; i < kSampled; ++i) lanes |= (inside[i] & 1) << i;
        if (lanes == 0xffff) return lanes;
        for (Sampled<std::uint32_t>& channel : channels) eachSampled([&](unsigned i) { channel[i] &= inside[i]; });
        return lanes;
    }

    /// What kernels see as a channel, of those in memory.
    void see(const std::array<Sampled<std::uint32_t>, 4>& channels, std::size_t number,
             Sampled<std::uint32_t>& to) const {
        const ChannelSelect select = surface_.state().select[number];
        if (const auto channel = channelOf(select))
            to = channels[*channel];
        else
            to.fill(select == ChannelSelect::one ? oneOf(surface_.format()) : 0);
    }

  private:
    using ChannelSelect = zetl::isa::xe::ChannelSelect;

    const Surface& surface_;
    const std::byte* const texels_;
    const zetl::isa::xe::TexelReader reader_;
    std::array<std::uint32_t, 3> sizes_;
    std::array<std::uint32_t, 3> steps_;  ///< bytes from texel to texel
    bool bytes_ = false;                  ///< R8G8B8A8 UNORM

    static void addAxis(const Sampled<std::int32_t>& texels, std::uint32_t size, std::uint32_t step,
                        Sampled<std::uint32_t>& at, Sampled<std::uint32_t>& inside) {
        eachSampled([&](unsigned i) { inside[i] &= static_cast<std::uint32_t>(texels[i]) < size ? ~0u : 0; });
        eachSampled([&](unsigned i) { at[i] += static_cast<std::uint32_t>(texels[i]) * step; });
    }

    void readBytes(const Sampled<std::uint32_t>& at, std::array<Sampled<std::uint32_t>, 4>& channels) const {
        alignas(64) Sampled<std::uint32_t> words;
        for (unsigned i = 0; i < kSampled; ++i) std::memcpy(&words[i], texels_ + at[i], sizeof words[i]);
        for (unsigned c = 0; c < 4; ++c)
            eachSampled([&](unsigned i) {
                constexpr float kMost = 255;
                const auto code = static_cast<std::int32_t>(words[i] >> (c * 8) & 0xff);
                channels[c][i] = std::bit_cast<std::uint32_t>(static_cast<float>(code) / kMost);
            });
    }
    void readEach(const Sampled<std::uint32_t>& at, std::array<Sampled<std::uint32_t>, 4>& channels) const {
        for (unsigned i = 0; i < kSampled; ++i) {
            const TexelBits texel = reader_(surface_.format(), texels_ + at[i]);
            for (unsigned c = 0; c < 4; ++c) channels[c][i] = texel[c];
        }
    }
};

/// One message.
class Sampling {
  public:
    /// Without a sampler: at whole coordinates.
    Sampling(Thread& thread, const Step* step, const ImageAccess& access, const Surface& surface,
             const SamplerState* sampler, const std::byte* texels)
        : thread_(thread),
          access_(access),
          sampler_(sampler),
          surface_(surface),
          image_(surface, texels),
          on_(lanesOn(thread, step->mask)),
          dimensions_(surface.dimensions()) {}

    void run() {
        const bool linear = sampler_ && sampler_->linear && !surface_.format().isInteger();
        for (unsigned chunk = 0; chunk * kSampled < access_.message.lanes; ++chunk) {
            if (!(on_ >> (chunk * kSampled) & 0xffff)) continue;
            if (!sampler_)
                whole(chunk);
            else if (linear)
                mean(chunk);
            else
                nearest(chunk);
        }
        write();
    }

  private:
    Thread& thread_;
    const ImageAccess& access_;
    const SamplerState* const sampler_;
    const Surface& surface_;
    const HeldImage image_;
    const std::uint32_t on_;
    const unsigned dimensions_;
    alignas(64) std::array<std::array<Sampled<std::uint32_t>, 4>, 2> results_;  ///< by chunk and channel

    template <class T>
    const T* coordinates(unsigned chunk, unsigned axis) const {
        return at<T>(thread_, access_.rows[coordinateRow(access_, axis)] + chunk * kSampled * std::uint32_t{sizeof(T)});
    }

    void count(unsigned chunk, std::uint32_t lanes) {
        const auto read = static_cast<std::uint64_t>(std::popcount(lanes & on_ >> (chunk * kSampled)));
        thread_.traffic.texelsRead += read;
        thread_.traffic.globalRead += read * surface_.format().bytes;
    }

    /// Of an array, behind the coordinates.
    const Sampled<std::int32_t>* layers(unsigned chunk, Sampled<std::int32_t>& numbers) const {
        if (!surface_.state().array) return nullptr;
        const float* const asked = coordinates<float>(chunk, dimensions_);
        for (unsigned i = 0; i < kSampled; ++i)
            numbers[i] = static_cast<std::int32_t>(layerOf(asked[i], image_.size(2)));
        return &numbers;
    }

    void keep(unsigned chunk, const Texels& at) {
        alignas(64) std::array<Sampled<std::uint32_t>, 4> texels;
        count(chunk, image_.read(at, texels));
        for (std::size_t c = 0; c < texels.size(); ++c) image_.see(texels, c, results_[chunk][c]);
    }

    [[gnu::noinline]] void whole(unsigned chunk) {
        alignas(64) std::array<Sampled<std::int32_t>, 3> numbers;
        Texels at{};
        const unsigned count = dimensions_ + (surface_.state().array ? 1 : 0);
        for (unsigned d = 0; d < count; ++d) {
            std::memcpy(numbers[d].data(), coordinates<std::int32_t>(chunk, d), sizeof numbers[d]);
            at[d < dimensions_ ? d : 2] = &numbers[d];
        }
        keep(chunk, at);
    }

    [[gnu::noinline]] void nearest(unsigned chunk) {
        AxisTaps taps[3];
        Sampled<std::int32_t> numbers;
        Texels at{nullptr, nullptr, layers(chunk, numbers)};
        for (unsigned d = 0; d < dimensions_; ++d) {
            axisTaps<false>(sampler_->address[d], *sampler_, coordinates<float>(chunk, d), image_.size(d), taps[d]);
            at[d] = &taps[d].texel[0];
        }
        keep(chunk, at);
    }

    [[gnu::noinline]] void mean(unsigned chunk) {
        AxisTaps taps[3];
        Sampled<std::int32_t> numbers;
        const auto* const layer = layers(chunk, numbers);
        for (unsigned d = 0; d < dimensions_; ++d)
            axisTaps<true>(sampler_->address[d], *sampler_, coordinates<float>(chunk, d), image_.size(d), taps[d]);
        alignas(64) std::array<Sampled<float>, 4> sums{};
        for (unsigned corner = 0; corner < 1u << dimensions_; ++corner) addCorner(chunk, taps, layer, corner, sums);
        for (std::size_t c = 0; c < sums.size(); ++c) std::memcpy(&results_[chunk][c], &sums[c], sizeof sums[c]);
    }

    /// A texel without weight counts for nothing, even if it is no number.
    [[gnu::noinline]] void addCorner(unsigned chunk, const AxisTaps (&taps)[3], const Sampled<std::int32_t>* layer,
                                     unsigned corner, std::array<Sampled<float>, 4>& sums) {
        alignas(64) Sampled<float> weight;
        weight.fill(1);
        Texels at{nullptr, nullptr, layer};
        for (unsigned d = 0; d < dimensions_; ++d) {
            const bool second = corner >> d & 1;
            const float first = second ? 0.0f : 1.0f;
            const float sign = second ? 1.0f : -1.0f;
            at[d] = &taps[d].texel[second ? 1 : 0];
            eachSampled([&](unsigned i) { weight[i] *= first + sign * taps[d].weight[i]; });
        }
        alignas(64) Sampled<std::uint32_t> counts;
        std::uint32_t weighty = 0;
        eachSampled([&](unsigned i) { counts[i] = weight[i] != 0 ? ~0u : 0; });
        for (unsigned i = 0; i < kSampled; ++i) weighty |= (counts[i] & 1) << i;
        if (weighty == 0) return;
        alignas(64) std::array<Sampled<std::uint32_t>, 4> texels;
        count(chunk, image_.read(at, texels) & weighty);
        for (std::size_t c = 0; c < sums.size(); ++c) {
            alignas(64) Sampled<std::uint32_t> seen;
            alignas(64) Sampled<float> part;
            image_.see(texels, c, seen);
            eachSampled([&](unsigned i) { part[i] = weight[i] * std::bit_cast<float>(seen[i]); });
            eachSampled(
                [&](unsigned i) { part[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(part[i]) & counts[i]); });
            eachSampled([&](unsigned i) { sums[c][i] += part[i]; });
        }
    }

    /// The channels that are wanted, one behind the other, as many as the message has registers for.
    [[gnu::noinline]] void write() {
        const bool halves = access_.message.halfResults;
        const std::uint32_t wanted = channelsWanted(thread_, access_);
        const std::uint32_t room = access_.message.replyRegisters * layout::kRegisterBytes;
        const std::uint32_t words = access_.message.rowRegisters() * layout::kRegisterBytes;
        const std::uint32_t channelBytes = halves ? layout::kRegisterBytes : words;
        std::uint32_t place = access_.result;
        for (std::size_t c = 0; c < 4 && place - access_.result + channelBytes <= room; ++c) {
            if (!(wanted >> c & 1)) continue;
            for (unsigned chunk = 0; chunk * kSampled < access_.message.lanes; ++chunk) {
                const std::uint32_t lanes = on_ >> (chunk * kSampled) & 0xffff;
                if (halves)
                    putHalves(place + chunk * kSampled * 2, lanes, results_[chunk][c]);
                else
                    put(place + chunk * kSampled * 4, lanes, results_[chunk][c]);
            }
            place += channelBytes;
        }
    }
    void put(std::uint32_t place, std::uint32_t lanes, const Sampled<std::uint32_t>& values) {
        auto* const to = at<std::uint32_t>(thread_, place);
        if (lanes == 0xffff) {
            std::memcpy(to, values.data(), sizeof values);
            return;
        }
        for (unsigned i = 0; i < kSampled; ++i)
            if (lanes >> i & 1) to[i] = values[i];
    }
    void putHalves(std::uint32_t place, std::uint32_t lanes, const Sampled<std::uint32_t>& values) {
        auto* const to = at<std::uint16_t>(thread_, place);
        const bool real = !surface_.format().isInteger();
        for (unsigned i = 0; i < kSampled; ++i)
            if (lanes >> i & 1)
                to[i] = static_cast<std::uint16_t>(real ? zetl::isa::xe::floatToHalf(std::bit_cast<float>(values[i]))
                                                        : values[i]);
    }
};

/// Whether the payload has all coordinates of the surface's texels, and their numbers are enough for all bytes.
inline bool isSampledAtOnce(const ImageAccess& access, const Surface& surface) {
    constexpr std::uint64_t kMostTexels = 1 << 30;
    const unsigned last = surface.dimensions() - 1 + (surface.state().array ? 1 : 0);
    return coordinateRow(access, last) < access.rowCount && last < 3 && surface.sizes()[0] <= kMostTexels &&
           surface.state().bytes(surface.format().bytes) <= HeldImage::kMostBytes;
}

inline const Step* sample(Thread& t, const Step* step) {
    const ImageAccess& access = *reinterpret_cast<const ImageAccess*>(step->src[0]);
    if (lanesOn(t, step->mask) == 0) return step + 1;
    Surface::Failure failure;
    const auto surface = Surface::find(t, surfaceOf(t, access), failure);
    if (!surface || !isSampledAtOnce(access, *surface)) return imageMessage(t, step);
    const std::byte* const texels = surface->heldBy(t.readable[step->extra % kMemoryWindows]);
    if (!texels) return imageMessage(t, step);
    std::optional<SamplerState> sampler;
    if (access.message.samples()) {
        sampler = findSampler(t, samplerOf(t, access), failure);
        if (!sampler) return imageMessage(t, step);
    }
    Sampling(t, step, access, *surface, sampler ? &*sampler : nullptr, texels).run();
    return step + 1;
}

}  // namespace
