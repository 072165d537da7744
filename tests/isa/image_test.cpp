// Texels of every format, surface and sampler states, and messages with damaged ones.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>

#include "emulator/isa/image_access.h"
#include "emulator/isa/sampling.h"
#include "emulator/isa/surface.h"
#include "isa/xe/sampler_state.h"
#include "isa/xe/surface_format.h"
#include "isa/xe/surface_state.h"
#include "isa/xe/texel.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

namespace xe = zetl::isa::xe;
using zetl::isa::xe::AddressMode;
using zetl::isa::xe::findSurfaceFormat;
using zetl::isa::xe::ImageOperation;
using zetl::isa::xe::SamplerState;
using zetl::isa::xe::SurfaceFormat;
using zetl::isa::xe::SurfaceState;
using zetl::isa::xe::TexelKind;

constexpr std::uint32_t kFormats = 1 << 9;

TEST(Texel, EveryCodeOf16BitsSurvives) {
    for (std::uint32_t number = 0; number < kFormats; ++number) {
        const SurfaceFormat* const format = findSurfaceFormat(number);
        if (!format || format->bytes > 2 || format->kind == TexelKind::planar) continue;
        for (std::uint32_t code = 0; code < 1u << format->bytes * 8; ++code) {
            std::byte bytes[2] = {};
            std::memcpy(bytes, &code, format->bytes);
            const xe::TexelBits texel = xe::readTexel(*format, bytes);
            // The lowest code of all is -1, too, and NaN may get other bits.
            bool unique = true;
            for (std::size_t c = 0; c < 4; ++c) {
                const auto& channel = format->channels[c];
                if (channel.bits == 0) continue;
                const std::uint32_t raw = code >> channel.shift & ((1u << channel.bits) - 1);
                unique &= format->kind != TexelKind::snorm || raw != 1u << (channel.bits - 1);
                unique &= format->kind != TexelKind::real || !std::isnan(std::bit_cast<float>(texel[c]));
            }
            if (!unique) continue;
            std::byte again[2] = {};
            xe::writeTexel(*format, texel, again);
            ASSERT_EQ(std::memcmp(bytes, again, format->bytes), 0) << std::hex << number << ' ' << code;
        }
    }
}

TEST(Texel, WideFormatsSurvive) {
    std::mt19937 random(1);
    for (std::uint32_t number = 0; number < kFormats; ++number) {
        const SurfaceFormat* const format = findSurfaceFormat(number);
        const bool exact = format && (format->isInteger() || format->channels[0].bits < 32);
        if (!exact || format->bytes < 4 || format->kind == TexelKind::snorm || format->kind == TexelKind::real)
            continue;
        for (int i = 0; i < 200; ++i) {
            std::byte bytes[16];
            for (std::byte& b : bytes) b = static_cast<std::byte>(random());
            std::byte again[16] = {};
            xe::writeTexel(*format, xe::readTexel(*format, bytes), again);
            ASSERT_EQ(std::memcmp(bytes, again, format->bytes), 0) << std::hex << number;
        }
    }
}

TEST(Texel, HalvesAreRoundedToTheNearestEven) {
    EXPECT_EQ(xe::floatToHalf(1.0f), 0x3c00u);
    EXPECT_EQ(xe::floatToHalf(-2.0f), 0xc000u);
    EXPECT_EQ(xe::floatToHalf(65504.0f), 0x7bffu);
    EXPECT_EQ(xe::floatToHalf(65519.0f), 0x7bffu);
    EXPECT_EQ(xe::floatToHalf(65520.0f), 0x7c00u);
    EXPECT_EQ(xe::floatToHalf(std::ldexp(1.0f, -25)), 0u) << "half of the least, to even";
    EXPECT_EQ(xe::floatToHalf(std::ldexp(1.5f, -25)), 1u);
    EXPECT_EQ(xe::floatToHalf(1.0f + 1.0f / 2048), 0x3c00u);
    EXPECT_EQ(xe::floatToHalf(1.0f + 3.0f / 2048), 0x3c02u);
    EXPECT_EQ(xe::halfToFloat(0x0001), std::ldexp(1.0f, -24));
    EXPECT_EQ(xe::halfToFloat(0x8400), -std::ldexp(1.0f, -14));
    EXPECT_TRUE(std::isinf(xe::halfToFloat(0x7c00)));
    EXPECT_TRUE(std::isnan(xe::halfToFloat(xe::floatToHalf(NAN))));
}

TEST(SurfaceStates, KeepWhatTheyHold) {
    SurfaceState state;
    state.type = SurfaceState::Type::volume;
    state.format = 0x1b6;
    state.width = SurfaceState::kMostWidth;
    state.height = SurfaceState::kMostHeight - 1;
    state.depth = SurfaceState::kMostDepth;
    state.pitch = SurfaceState::kMostPitch;
    state.sliceRows = 4 * 77;
    state.base = 0x123456789abcdef0;
    state.select = {zetl::isa::xe::ChannelSelect::alpha, zetl::isa::xe::ChannelSelect::one,
                    zetl::isa::xe::ChannelSelect::zero, zetl::isa::xe::ChannelSelect::red};
    std::array<std::byte, SurfaceState::kBytes> bytes;
    state.write(bytes);
    const SurfaceState again = SurfaceState::read(bytes);
    EXPECT_EQ(again.type, state.type);
    EXPECT_EQ(again.format, state.format);
    EXPECT_EQ(again.width, state.width);
    EXPECT_EQ(again.height, state.height);
    EXPECT_EQ(again.depth, state.depth);
    EXPECT_EQ(again.pitch, state.pitch);
    EXPECT_EQ(again.sliceRows, state.sliceRows);
    EXPECT_EQ(again.base, state.base);
    EXPECT_EQ(again.select, state.select);
    SurfaceState buffer;
    buffer.type = SurfaceState::Type::buffer;
    for (const std::uint64_t size :
         {std::uint64_t{1}, std::uint64_t{128}, std::uint64_t{123456789}, std::uint64_t{1} << 32}) {
        buffer.width = size;
        buffer.write(bytes);
        EXPECT_EQ(SurfaceState::read(bytes).width, size);
    }
    for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp, AddressMode::border})
        for (int how = 0; how < 4; ++how) {
            SamplerState sampler{(how & 1) != 0, (how & 2) != 0, {mode, mode, mode}};
            std::array<std::byte, SamplerState::kBytes> kept;
            sampler.write(kept);
            const SamplerState read = SamplerState::read(kept);
            EXPECT_EQ(read.linear, sampler.linear);
            EXPECT_EQ(read.normalized, sampler.normalized);
            EXPECT_EQ(read.address, sampler.address);
        }
}

TEST(Sampling, OddCoordinatesStayInTheImage) {
    const float kOdd[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, -0.0f, 4294967296.0f, -1e-40f};
    for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp})
        for (const bool normalized : {false, true})
            for (const std::uint32_t size : {1u, 2u, 5u, 16384u})
                for (const float coordinate : kOdd) {
                    const auto inside = [&](std::int32_t texel) {
                        return texel >= 0 && static_cast<std::uint32_t>(texel) < size;
                    };
                    EXPECT_TRUE(inside(isa::nearestTap(mode, normalized, coordinate, size).first));
                    const isa::Taps taps = isa::linearTaps(mode, normalized, coordinate, size);
                    EXPECT_TRUE(inside(taps.first) && inside(taps.second)) << coordinate << ' ' << size;
                    EXPECT_TRUE(taps.weight >= 0 && taps.weight <= 1);
                }
    EXPECT_EQ(isa::layerOf(NAN, 3), 0u);
    EXPECT_EQ(isa::layerOf(1.5f, 3), 2u);
    EXPECT_EQ(isa::layerOf(0.5f, 3), 0u);
    EXPECT_EQ(isa::layerOf(1e30f, 3), 2u);
}

/// A thread of Xe2 with a heap of states, and memory for texels.
struct ImageThread : LoneThread {
    ImageThread(std::uint32_t lanes, std::size_t bytes) : heap(allocate(4096)), memory(allocate(bytes)) {
        load(assembleProgram("nop"), lanes, {.architecture = &zetl::isa::xe::kXe2, .base = 0x10000});
        bases[5] = bases[6] = addressOf(heap);  // of surface states and of sampler states
        thread().stateBases = bases;
    }

    std::vector<std::byte>& heap;
    std::vector<std::byte>& memory;
    std::array<std::uint64_t, 9> bases{};
};

/// Whatever the states are: a message ends, in a fault that names its cause or in the memory that the thread may use.
TEST(Surfaces, DamagedStatesNeverReachTheHost) {
    ImageThread t(0xffff, 1 << 16);
    auto& heap = t.heap;
    auto& memory = t.memory;
    std::mt19937 random(7);
    isa::ImageAccess access;
    access.surfaceAt = isa::layout::kAddress;
    access.headerAt = isa::layout::kGrf;
    for (std::uint32_t r = 0; r < 6; ++r) access.rows[r] = (r + 1) * isa::layout::kRegisterBytes;
    access.rowCount = 6;
    access.data = 10 * isa::layout::kRegisterBytes;
    access.result = 20 * isa::layout::kRegisterBytes;
    isa::Step step;
    step.src[0] = reinterpret_cast<std::uint64_t>(&access);
    step.mask.lanes = 0xffff;
    int faults = 0;
    int passed = 0;
    for (int i = 0; i < 5000; ++i) {
        auto& m = access.message;
        m.operation = static_cast<ImageOperation>(random() % 9);
        m.header = m.samples() || random() % 2 != 0;
        m.replyRegisters = static_cast<std::uint8_t>(random() % 9);
        for (std::size_t b = 64; b < 256; ++b) heap[b] = static_cast<std::byte>(random());
        const bool mostlyGood = random() % 2 != 0;
        if (mostlyGood) {
            SurfaceState state = SurfaceState::read(SurfaceState::ConstBytes(&heap[64], SurfaceState::kBytes));
            const std::uint64_t at = LoneThread::addressOf(memory);
            state.base = random() % 4 == 0 ? at + (random() % memory.size()) : at;
            state.type = random() % 2 != 0 ? SurfaceState::Type::plane : SurfaceState::Type::line;
            while (!findSurfaceFormat(state.format)) state.format = static_cast<std::uint16_t>(random() % kFormats);
            state.width = random() % 8 + 1;
            state.height = random() % 8 + 1;
            state.depth = 1;
            state.pitch = random() % 256 + 1;
            state.write(SurfaceState::Bytes(&heap[64], SurfaceState::kBytes));
        }
        for (std::uint32_t r = 0; r < 9; ++r)
            for (std::uint32_t lane = 0; lane < 16; ++lane) {
                const std::uint32_t wild = static_cast<std::uint32_t>(random());
                const std::uint32_t tame = random() % 2 != 0
                                               ? random() % 8
                                               : std::bit_cast<std::uint32_t>(static_cast<float>(random() % 80) / 8);
                t.thread().at<std::uint32_t>(r * isa::layout::kRegisterBytes + lane * 4) =
                    random() % 4 == 0 ? wild : tame;
            }
        t.thread().at<std::uint32_t>(isa::layout::kAddress) =
            random() % 16 == 0 ? static_cast<std::uint32_t>(random()) : 64;
        t.thread().at<std::uint32_t>(isa::layout::kGrf + 12) =
            random() % 16 == 0 ? static_cast<std::uint32_t>(random()) : 128 | 1;
        t.thread().status = isa::Status::ready;
        t.thread().dropWindows();
        step.run = m.samples() && random() % 2 != 0 ? isa::hostTable().sample : isa::imageMessage;
        const isa::Step* const next = step.run(t.thread(), &step);
        if (next) {
            ASSERT_EQ(next, &step + 1);
            ++passed;
            continue;
        }
        ++faults;
        ASSERT_EQ(t.thread().status, isa::Status::faulted);
        const isa::FaultKind kind = t.thread().fault.kind;
        ASSERT_TRUE(kind == isa::FaultKind::badSurface || kind == isa::FaultKind::pageFault)
            << describe(t.thread().fault);
    }
    EXPECT_GT(faults, 1000);
    EXPECT_GT(passed, 1000);
    EXPECT_GT(t.thread().traffic.texelsRead, 1000u);
    EXPECT_GT(t.thread().traffic.texelsWritten, 100u);
    EXPECT_GE(t.thread().traffic.globalRead, t.thread().traffic.texelsRead);
}

/// An image of random size, format and channels in this memory, and a sampler.
void makeStates(std::mt19937& random, std::vector<std::byte>& heap, const std::vector<std::byte>& memory) {
    SurfaceState state;
    state.type = SurfaceState::Type::plane;
    do state.format = static_cast<std::uint16_t>(random() % 2 != 0 ? 0xc7 : random() % kFormats);
    while (!findSurfaceFormat(state.format));
    state.width = random() % 12 + 1;
    state.height = random() % 12 + 1;
    state.pitch = static_cast<std::uint32_t>(state.width) * findSurfaceFormat(state.format)->bytes + random() % 64;
    state.base = LoneThread::addressOf(memory) + random() % 16 * 4;
    for (auto& select : state.select) {
        constexpr std::uint32_t kSelects[] = {0, 1, 4, 5, 6, 7};
        select = static_cast<xe::ChannelSelect>(kSelects[random() % std::size(kSelects)]);
    }
    if (random() % 2 != 0) state.select = SurfaceState{}.select;
    state.write(SurfaceState::Bytes(&heap[64], SurfaceState::kBytes));
    constexpr AddressMode kModes[] = {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp, AddressMode::border};
    SamplerState sampler{random() % 2 != 0, random() % 2 != 0, {}};
    for (AddressMode& mode : sampler.address) mode = kModes[random() % std::size(kModes)];
    sampler.write(SamplerState::Bytes(&heap[128], SamplerState::kBytes));
}

float randomCoordinate(std::mt19937& random) {
    constexpr float kOdd[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, -0.0f, 4294967296.0f, -1e-40f, 12.0f, 1.0f};
    if (random() % 8 == 0) return kOdd[random() % std::size(kOdd)];
    const auto place = static_cast<float>(static_cast<int>(random() % 400) - 100);
    return random() % 2 != 0 ? place / 16 : place / 170;
}

class SamplingSteps : public testing::TestWithParam<const char*> {};

TEST_P(SamplingSteps, SixteenLanesAtOnceReadWhatEachReadsAlone) {
    const isa::StepTable* const table = isa::findTable(GetParam());
    if (!table) GTEST_SKIP() << "this build or processor has no such table";
    ImageThread t(0xffffffff, 1 << 14);
    auto& heap = t.heap;
    auto& memory = t.memory;
    std::mt19937 random(11);
    isa::ImageAccess access;
    access.surfaceAt = isa::layout::kAddress;
    access.headerAt = isa::layout::kGrf;
    constexpr std::uint32_t kResult = 20;
    constexpr std::uint32_t kRegisters = 8;
    access.result = kResult * isa::layout::kRegisterBytes;
    access.message.header = true;
    access.message.replyRegisters = kRegisters;
    isa::Step step;
    step.src[0] = reinterpret_cast<std::uint64_t>(&access);
    isa::Thread& thread = t.thread();
    const auto results = [&](isa::Handler run) {
        std::memset(thread.grf(kResult), 0xee, kRegisters * isa::layout::kRegisterBytes);
        thread.traffic = {};
        EXPECT_EQ(run(thread, &step), &step + 1);
        auto lanes = t.get<std::uint32_t>(kResult, kRegisters * 16);
        for (std::uint32_t& lane : lanes)  // which one of two NaN a sum has is the compiler's choice
            if ((lane & 0x7fffffff) > 0x7f800000) lane = 0x7fc00000;
        return std::tuple(lanes, thread.traffic.texelsRead, thread.traffic.globalRead);
    };
    int held = 0;
    for (std::byte& b : memory) b = static_cast<std::byte>(random());
    for (int i = 0; i < 3000; ++i) {
        makeStates(random, heap, memory);
        access.message.operation = static_cast<ImageOperation>(random() % 3);
        access.message.lanes = random() % 2 != 0 ? 32 : 16;
        access.rowCount = 0;
        for (std::uint32_t r = 0; r < 5; ++r)
            access.rows[access.rowCount++] = (1 + r * access.message.rowRegisters()) * isa::layout::kRegisterBytes;
        step.mask.lanes = (access.message.lanes == 32 ? 0xffffffff : 0xffff) &
                          (random() % 2 != 0 ? ~0u : static_cast<std::uint32_t>(random()));
        for (std::uint32_t dword = 16; dword < 16 * 12; ++dword)
            thread.at<float>(isa::layout::kGrf + dword * 4) = randomCoordinate(random);
        thread.at<std::uint32_t>(isa::layout::kAddress) = 64;
        thread.at<std::uint32_t>(isa::layout::kGrf + 8) = random() % 3 != 0 ? 0 : random() % 15 << 12;
        thread.at<std::uint32_t>(isa::layout::kGrf + 12) = 128 | 1;
        const auto alone = results(isa::imageMessage);
        isa::Surface::Failure failure;
        held += isa::Surface::find(thread, 64, failure)->heldBy(thread.readable[0]) != nullptr;
        ASSERT_EQ(results(table->sample), alone) << i;
    }
    EXPECT_GT(held, 2500);
}
INSTANTIATE_TEST_SUITE_P(Tables, SamplingSteps, testing::Values("sse4", "avx2", "avx512"));

}  // namespace
}  // namespace zetl::test
