#include "emulator/isa/surface.h"

#include <algorithm>
#include <cstring>

namespace zetl::emulator::isa {
namespace {

using zetl::isa::xe::SamplerState;
using zetl::isa::xe::SurfaceState;
using Type = SurfaceState::Type;

// In Thread::stateBases.
constexpr std::size_t kSurfaceBase = 5;
constexpr std::size_t kSamplerBase = 6;

std::byte* reach(Thread& t, MemoryWindow& w, std::uint64_t address, std::uint64_t bytes, bool write) noexcept {
    const std::uint64_t offset = address - w.begin;
    const bool held = offset <= w.bytes && bytes <= w.bytes - offset;
    if (!held && !t.environment->findMemory(t, address, bytes, write, w)) return nullptr;
    return w.host + (address - w.begin);
}

/// Bytes of the heap of states. The null state and a heap that is not there are no states.
const std::byte* heapBytes(Thread& t, std::size_t base, std::uint32_t offset, std::uint32_t bytes) noexcept {
    const std::uint64_t begin = base < t.stateBases.size() ? t.stateBases[base] : 0;
    if (begin == 0 || offset == 0) return nullptr;
    MemoryWindow window;
    return reach(t, window, begin + offset, bytes, false);
}

}  // namespace

std::optional<Surface> Surface::find(Thread& thread, std::uint32_t offset, Failure& failure) noexcept {
    failure = {FaultKind::badSurface, offset, 0, false};
    const std::byte* const bytes = heapBytes(thread, kSurfaceBase, offset, SurfaceState::kBytes);
    if (!bytes) return std::nullopt;
    Surface surface;
    surface.state_ = SurfaceState::read(SurfaceState::ConstBytes(bytes, SurfaceState::kBytes));
    const SurfaceState& state = surface.state_;
    surface.format_ = zetl::isa::xe::findSurfaceFormat(state.format);
    const bool known = state.type == Type::line || state.type == Type::plane || state.type == Type::volume ||
                       state.type == Type::buffer;
    if (!known || !surface.format_ || !state.linear || state.base == 0) return std::nullopt;
    surface.sizes_ = state.sizes();
    surface.reader_ = readerOf(*surface.format_);
    surface.selectsAll_ = selectsAll(state.select);
    return surface;
}

unsigned Surface::dimensions() const noexcept { return state_.dimensions(); }

bool Surface::holds(const Place& at) const noexcept {
    const auto inside = [](std::int64_t place, std::uint64_t size) {
        return place >= 0 && static_cast<std::uint64_t>(place) < size;
    };
    return inside(at.x, sizes_[0]) && inside(at.y, sizes_[1]) && inside(at.z, sizes_[2]);
}

Surface::Place Surface::placeOf(const std::array<std::int64_t, 3>& coordinates) const noexcept {
    const unsigned all = dimensions();
    Place place{coordinates[0], 0, 0};
    if (all > 1) place.y = coordinates[1];
    if (all > 2 || state_.array) place.z = coordinates[all > 2 ? 2 : all];
    return place;
}

std::uint64_t Surface::addressOf(const Place& at) const noexcept {
    return state_.addressOf({at.x, at.y, at.z}, format_->bytes);
}

const std::byte* Surface::heldBy(const MemoryWindow& window) const noexcept {
    const std::uint64_t offset = state_.base - window.begin;
    const std::uint64_t bytes = state_.bytes(format_->bytes);
    return offset <= window.bytes && bytes <= window.bytes - offset ? window.host + offset : nullptr;
}

std::byte* Surface::bytesAt(Thread& thread, std::uint32_t window, std::uint64_t address, std::uint64_t bytes,
                            bool write, Failure& failure) const noexcept {
    MemoryWindow& w = (write ? thread.writable : thread.readable)[window % kMemoryWindows];
    std::byte* const host = reach(thread, w, address, bytes, write);
    if (!host) failure = {FaultKind::pageFault, address, bytes, write};
    return host;
}

bool Surface::readMemory(Thread& thread, std::uint32_t window, const Place& at, TexelBits& texel,
                         Failure& failure) const noexcept {
    texel = {};
    if (!holds(at)) return true;
    const std::byte* const host = bytesAt(thread, window, addressOf(at), format_->bytes, false, failure);
    if (!host) return false;
    texel = reader_(*format_, host);
    thread.traffic.globalRead += format_->bytes;
    ++thread.traffic.texelsRead;
    return true;
}

bool Surface::read(Thread& thread, std::uint32_t window, const Place& at, TexelBits& texel,
                   Failure& failure) const noexcept {
    if (!readMemory(thread, window, at, texel, failure)) return false;
    if (!selectsAll_) texel = selected(state_.select, *format_, texel);
    return true;
}

bool Surface::write(Thread& thread, std::uint32_t window, const Place& at, const TexelBits& texel,
                    Failure& failure) const noexcept {
    if (!holds(at)) return true;
    TexelBits inMemory{};
    for (std::size_t i = texel.size(); i-- > 0;)
        if (const auto channel = channelOf(state_.select[i])) inMemory[*channel] = texel[i];
    std::byte* const host = bytesAt(thread, window, addressOf(at), format_->bytes, true, failure);
    if (!host) return false;
    writeTexel(*format_, inMemory, host);
    thread.traffic.globalWritten += format_->bytes;
    ++thread.traffic.texelsWritten;
    return true;
}

std::optional<SamplerState> findSampler(Thread& thread, std::uint32_t offset, Surface::Failure& failure) noexcept {
    failure = {FaultKind::badSurface, offset, 0, false};
    const std::byte* const bytes = heapBytes(thread, kSamplerBase, offset, SamplerState::kBytes);
    if (!bytes) return std::nullopt;
    return SamplerState::read(SamplerState::ConstBytes(bytes, SamplerState::kBytes));
}

}  // namespace zetl::emulator::isa
