// Messages that sample two-dimensional images, sixteen lanes at once. What this does not do it leaves to
// imageMessage(), which does everything, lane by lane, with the same results.
#pragma once

#include <array>
#include <bit>

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

// Functions of their own, not parts of one handler: see handler_sizes.py.
template <AddressMode mode, bool linear>
[[gnu::noinline]] void axisTaps(const SamplerState& sampler, const float* coordinates, std::uint32_t size,
                                AxisTaps& taps) {
    const bool normalized = sampler.normalized;
    ZETL_INDEPENDENT
    for (unsigned i = 0; i < kSampled; ++i) {
        const Taps one = tapsOf<mode, linear>(normalized, coordinates[i], size);
        taps.texel[0][i] = one.first;
        taps.texel[1][i] = one.second;
        taps.weight[i] = one.weight;
    }
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

/// A two-dimensional image of which one window holds all texels.
class HeldImage {
  public:
    HeldImage(const Surface& surface, const std::byte* texels)
        : surface_(surface),
          texels_(texels),
          reader_(readerOf(surface.format())),
          width_(static_cast<std::uint32_t>(surface.sizes()[0])),
          height_(static_cast<std::uint32_t>(surface.sizes()[1])) {
        const SurfaceFormat& format = surface.format();
        bytes_ = format.kind == TexelKind::unorm && format.bytes == 4 && format.channels[3].bits == 8;
        constants_[0].fill(0);
        constants_[1].fill(oneOf(format));
    }

    std::uint32_t size(unsigned axis) const { return axis == 0 ? width_ : height_; }

    /// Sets channels by number of the lanes' texels there, as memory has them: zero outside. Returns the lanes whose
    /// texels are inside.
    [[gnu::noinline]] std::uint32_t read(const Sampled<std::int32_t>& x, const Sampled<std::int32_t>& y,
                                         std::array<Sampled<std::uint32_t>, 4>& channels) const {
        alignas(64) Sampled<std::uint32_t> at;
        alignas(64) Sampled<std::uint32_t> inside;
        const std::uint32_t pitch = surface_.state().pitch;
        const std::uint32_t bytes = surface_.format().bytes;
        ZETL_INDEPENDENT
        for (unsigned i = 0; i < kSampled; ++i) {
            const auto column = static_cast<std::uint32_t>(x[i]);
            const auto row = static_cast<std::uint32_t>(y[i]);
            const bool in = column < width_ && row < height_;
            inside[i] = in ? ~0u : 0;
            at[i] = in ? column * bytes + row * pitch : 0;
        }
        if (bytes_)
            readBytes(at, channels);
        else
            readEach(at, channels);
        std::uint32_t lanes = 0;
        for (unsigned i = 0; i < kSampled; ++i) lanes |= (inside[i] & 1) << i;
        if (lanes == 0xffff) return lanes;
        for (Sampled<std::uint32_t>& channel : channels)
            for (unsigned i = 0; i < kSampled; ++i) channel[i] &= inside[i];
        return lanes;
    }

    /// What kernels see as a channel, of those in memory.
    const Sampled<std::uint32_t>& seen(const std::array<Sampled<std::uint32_t>, 4>& channels,
                                       std::size_t number) const {
        const ChannelSelect select = surface_.state().select[number];
        if (const auto channel = channelOf(select)) return channels[*channel];
        return constants_[select == ChannelSelect::one ? 1 : 0];
    }

  private:
    using ChannelSelect = zetl::isa::xe::ChannelSelect;

    const Surface& surface_;
    const std::byte* const texels_;
    const zetl::isa::xe::TexelReader reader_;
    const std::uint32_t width_;
    const std::uint32_t height_;
    bool bytes_ = false;  ///< R8G8B8A8 UNORM
    std::array<Sampled<std::uint32_t>, 2> constants_;

    void readBytes(const Sampled<std::uint32_t>& at, std::array<Sampled<std::uint32_t>, 4>& channels) const {
        alignas(64) Sampled<std::uint32_t> words;
        for (unsigned i = 0; i < kSampled; ++i) std::memcpy(&words[i], texels_ + at[i], sizeof words[i]);
        const std::uint32_t* const values = zetl::isa::xe::unormBytes();
        for (unsigned c = 0; c < 4; ++c) {
            ZETL_INDEPENDENT
            for (unsigned i = 0; i < kSampled; ++i) channels[c][i] = values[words[i] >> (c * 8) & 0xff];
        }
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
    Sampling(Thread& thread, const Step* step, const ImageAccess& access, const Surface& surface,
             const SamplerState& sampler, const std::byte* texels)
        : thread_(thread),
          access_(access),
          sampler_(sampler),
          image_(surface, texels),
          on_(lanesOn(thread, step->mask)),
          linear_(sampler.linear && !surface.format().isInteger()),
          texelBytes_(surface.format().bytes) {}

    void run() {
        for (unsigned chunk = 0; chunk * kSampled < access_.message.lanes; ++chunk)
            if (on_ >> (chunk * kSampled) & 0xffff) linear_ ? mean(chunk) : nearest(chunk);
        write();
    }

  private:
    Thread& thread_;
    const ImageAccess& access_;
    const SamplerState& sampler_;
    const HeldImage image_;
    const std::uint32_t on_;
    const bool linear_;
    const std::uint32_t texelBytes_;
    alignas(64) std::array<std::array<Sampled<std::uint32_t>, 4>, 2> results_;  ///< by chunk and channel

    const float* coordinates(unsigned chunk, unsigned axis) const {
        return at<float>(thread_,
                         access_.rows[coordinateRow(access_, axis)] + chunk * kSampled * std::uint32_t{sizeof(float)});
    }

    void count(unsigned chunk, std::uint32_t lanes) {
        const auto read = static_cast<std::uint64_t>(std::popcount(lanes & on_ >> (chunk * kSampled)));
        thread_.traffic.texelsRead += read;
        thread_.traffic.globalRead += read * texelBytes_;
    }

    [[gnu::noinline]] void nearest(unsigned chunk) {
        AxisTaps taps[2];
        for (unsigned d = 0; d < 2; ++d)
            axisTaps<false>(sampler_.address[d], sampler_, coordinates(chunk, d), image_.size(d), taps[d]);
        alignas(64) std::array<Sampled<std::uint32_t>, 4> texels;
        count(chunk, image_.read(taps[0].texel[0], taps[1].texel[0], texels));
        for (std::size_t c = 0; c < texels.size(); ++c) results_[chunk][c] = image_.seen(texels, c);
    }

    [[gnu::noinline]] void mean(unsigned chunk) {
        AxisTaps taps[2];
        for (unsigned d = 0; d < 2; ++d)
            axisTaps<true>(sampler_.address[d], sampler_, coordinates(chunk, d), image_.size(d), taps[d]);
        alignas(64) std::array<Sampled<float>, 4> sums{};
        for (unsigned corner = 0; corner < 4; ++corner) addCorner(chunk, taps, corner, sums);
        for (std::size_t c = 0; c < sums.size(); ++c) std::memcpy(&results_[chunk][c], &sums[c], sizeof sums[c]);
    }

    /// A texel without weight counts for nothing, even if it is no number.
    [[gnu::noinline]] void addCorner(unsigned chunk, const AxisTaps (&taps)[2], unsigned corner,
                                     std::array<Sampled<float>, 4>& sums) {
        alignas(64) Sampled<float> weight;
        std::uint32_t weighty = 0;
        for (unsigned i = 0; i < kSampled; ++i) {
            const float wx = corner & 1 ? taps[0].weight[i] : 1 - taps[0].weight[i];
            const float wy = corner & 2 ? taps[1].weight[i] : 1 - taps[1].weight[i];
            weight[i] = wx * wy;
        }
        for (unsigned i = 0; i < kSampled; ++i) weighty |= (weight[i] != 0 ? 1u : 0u) << i;
        if (weighty == 0) return;
        alignas(64) std::array<Sampled<std::uint32_t>, 4> texels;
        count(chunk, image_.read(taps[0].texel[corner & 1], taps[1].texel[corner >> 1], texels) & weighty);
        for (std::size_t c = 0; c < sums.size(); ++c) {
            const Sampled<std::uint32_t>& seen = image_.seen(texels, c);
            for (unsigned i = 0; i < kSampled; ++i) {
                const float sum = sums[c][i] + weight[i] * std::bit_cast<float>(seen[i]);
                sums[c][i] = weight[i] != 0 ? sum : sums[c][i];
            }
        }
    }

    /// The channels that are wanted, one behind the other, as many as the message has registers for.
    [[gnu::noinline]] void write() {
        const std::uint32_t wanted = channelsWanted(thread_, access_);
        const std::uint32_t room = access_.message.replyRegisters * layout::kRegisterBytes;
        const std::uint32_t channelBytes = access_.message.rowRegisters() * layout::kRegisterBytes;
        std::uint32_t place = access_.result;
        for (std::size_t c = 0; c < 4 && place - access_.result + channelBytes <= room; ++c) {
            if (!(wanted >> c & 1)) continue;
            for (unsigned chunk = 0; chunk * kSampled < access_.message.lanes; ++chunk)
                put(place + chunk * kSampled * 4, on_ >> (chunk * kSampled) & 0xffff, results_[chunk][c]);
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
};

inline const Step* sample(Thread& t, const Step* step) {
    const ImageAccess& access = *reinterpret_cast<const ImageAccess*>(step->src[0]);
    if (lanesOn(t, step->mask) == 0) return step + 1;
    Surface::Failure failure;
    const auto surface = Surface::find(t, surfaceOf(t, access), failure);
    if (!surface || surface->state().type != SurfaceState::Type::plane || surface->state().array)
        return imageMessage(t, step);
    if (coordinateRow(access, 1) >= access.rowCount) return imageMessage(t, step);
    const std::byte* const texels = surface->heldBy(t.readable[step->extra % kMemoryWindows]);
    const auto sampler = texels ? findSampler(t, samplerOf(t, access), failure) : std::nullopt;
    if (!sampler) return imageMessage(t, step);
    Sampling(t, step, access, *surface, *sampler, texels).run();
    return step + 1;
}

}  // namespace
