#include "kernel_bench.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "binary/native_binary.h"
#include "emulator/module/compiler.h"
#include "emulator/module/inline_sampler.h"

namespace zetl::emulator::machine::bench {
namespace {

std::span<const std::byte> asBytes(std::span<const std::uint8_t> bytes) { return std::as_bytes(bytes); }

/// What functions that are called read, in front of the kernel's own arguments: as the driver lays it.
void layImplicitArguments(Launch& launch, const binary::KernelImage& image, const module::LaunchShape& shape) {
    constexpr std::size_t kAlignment = 64;
    constexpr std::uint32_t kLocalIdTableField = 72;
    const auto append = [&launch](const binary::Bytes& bytes) {
        const auto added = asBytes(bytes);
        launch.indirect.insert(launch.indirect.end(), added.begin(), added.end());
    };
    append(module::localIdTable(image, shape));
    launch.indirect.resize((launch.indirect.size() + kAlignment - 1) / kAlignment * kAlignment);
    launch.argumentsAt = static_cast<std::uint32_t>(launch.indirect.size());
    launch.references.push_back({launch.argumentsAt + kLocalIdTableField, 0});
    append(module::implicitArguments(image, shape, 0, 0));
}

std::vector<std::byte> readAll(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::byte> bytes(content.size());
    std::memcpy(bytes.data(), content.data(), content.size());
    return bytes;
}

}  // namespace

KernelBench::KernelBench(const std::string& profile, std::uint32_t workers)
    : KernelBench(loadProfile(profile), workers) {}

KernelBench::KernelBench(const Profile& profile, std::uint32_t workers) : machine_(Machine::create(profile, workers)) {}

std::unique_ptr<KernelBench> KernelBench::strict(const std::string& profile, std::uint32_t workers) {
    setenv("ZETL_STRICT_MEMORY", "1", 1);
    auto bench = std::make_unique<KernelBench>(profile, workers);
    unsetenv("ZETL_STRICT_MEMORY");
    return bench;
}

KernelBench::~KernelBench() = default;

std::uint64_t KernelBench::allocate(std::uint64_t bytes) {
    const Memory::Answer answer = memory().allocate({.bytes = bytes});
    EXPECT_EQ(answer.status, MemoryStatus::ok);
    return answer.address;
}

/// Returns the state's offset.
std::uint64_t KernelBench::placeState(std::span<const std::byte> state) {
    constexpr std::uint64_t kHeapBytes = 1 << 16;
    constexpr std::uint64_t kSlotBytes = zetl::isa::xe::SurfaceState::kBytes;
    if (stateHeap_ == 0) stateHeap_ = allocate(kHeapBytes);
    stateBytes_ += kSlotBytes;  // no state has offset 0
    EXPECT_LT(stateBytes_, kHeapBytes);
    memory().write(stateHeap_ + stateBytes_, state.data(), state.size());
    return stateBytes_;
}

Argument KernelBench::image(const zetl::isa::xe::SurfaceState& state) {
    std::array<std::byte, zetl::isa::xe::SurfaceState::kBytes> bytes{};
    state.write(bytes);
    binary::ImageArgument told;
    told.state = placeState(bytes);
    told.width = static_cast<std::uint32_t>(state.width);
    told.height = state.height;
    told.depth = state.depth;
    told.levels = state.levels;
    return Argument(told);
}

Kernel KernelBench::build(const std::string& source, const std::string& name, const std::string& flags) {
    module::CompileRequest request;
    request.language = module::CompileRequest::Language::openclC;
    request.source = {reinterpret_cast<const std::uint8_t*>(source.data()), source.size()};
    request.buildFlags = flags;
    request.device = device().profile().product->name;
    const module::CompileResult compiled = module::compile(request);
    if (!compiled)
        throw std::runtime_error(fmt::format("{} is not compiled for {}, which may need ZETL_COMPILER=newest: {}", name,
                                             request.device, compiled.log));
    auto image = binary::readNative(compiled.binary, *device().profile().product);
    EXPECT_TRUE(image) << image.error().message;

    Kernel kernel;
    kernel.code = device().code().allocate(module::CodeLayout(**image).size());
    module::Addresses addresses{device().code().base(), kernel.code->address(), {}};
    for (int kind = 0; kind < binary::kDataKinds; ++kind) {
        const std::uint64_t bytes = (*image)->data[static_cast<std::size_t>(kind)].size();
        if (bytes != 0) addresses.data[static_cast<std::size_t>(kind)] = allocate(bytes);
    }
    auto linked = module::LinkedModule::place(*image, addresses);
    EXPECT_TRUE(linked) << linked.error().message;
    kernel.linked = std::make_shared<module::LinkedModule>(std::move(*linked));
    for (int kind = 0; kind < binary::kDataKinds; ++kind) {
        const auto data = kernel.linked->data(static_cast<binary::DataKind>(kind));
        if (!data.empty()) memory().write(addresses.data[static_cast<std::size_t>(kind)], data.data(), data.size());
    }
    device().code().install(*kernel.code, asBytes(kernel.linked->code()));
    return ofSameModule(kernel, name);
}

Kernel KernelBench::ofSameModule(const Kernel& other, const std::string& name) {
    Kernel kernel{.code = other.code, .linked = other.linked, .name = name, .inlineSamplers = {}};
    kernel.image = kernel.linked->image().kernel(name);
    EXPECT_NE(kernel.image, nullptr) << name;
    kernel.offset = kernel.linked->kernelOffset(*kernel.image);
    for (const binary::InlineSampler& declared : kernel.image->inlineSamplers) {
        std::array<std::byte, zetl::isa::xe::SamplerState::kBytes> bytes{};
        module::stateOf(declared).write(bytes);
        kernel.inlineSamplers.resize(std::max<std::size_t>(kernel.inlineSamplers.size(), declared.index + 1));
        kernel.inlineSamplers[declared.index] = placeState(bytes);
    }
    return kernel;
}

Kernel KernelBench::place(std::vector<std::byte> code, const std::string& name) {
    Kernel kernel;
    kernel.name = name;
    kernel.code = device().code().allocate(code.size());
    kernel.offset = kernel.code->offset();
    device().code().install(*kernel.code, code);
    return kernel;
}

Kernel KernelBench::assemble(const std::string& text) {
    const auto folder = std::filesystem::temp_directory_path() / ("zetl-machine-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "kernel.asm") << text;
    const std::string command =
        "iga64 -p=12p72 -a " + (folder / "kernel.asm").string() + " -o " + (folder / "kernel.bin").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << text;
    std::vector<std::byte> code = readAll(folder / "kernel.bin");
    std::filesystem::remove_all(folder);
    return place(std::move(code), "assembled");
}

Launch KernelBench::prepare(const Kernel& kernel, Extent groupSize, Extent groupCount,
                            const std::vector<Argument>& arguments) {
    Launch launch;
    launch.kernel = kernel.name;
    launch.code = kernel.code;
    launch.kernelOffset = kernel.offset;
    launch.groupSize = groupSize;
    launch.groupCount = groupCount;
    if (kernel.image == nullptr) return launch;

    const binary::KernelImage& image = *kernel.image;
    const module::LaunchShape shape{groupSize, groupCount, {}, 3};
    std::vector<module::ArgumentValue> values;
    for (const Argument& argument : arguments) values.push_back(argument.value);
    module::LaunchAddresses addresses;
    addresses.localGap = localGap_;
    const auto dataAt = [&](binary::DataKind kind) {
        return kernel.linked->addresses().data[static_cast<std::size_t>(kind)];
    };
    addresses.constants = dataAt(binary::DataKind::constants);
    addresses.variables = dataAt(binary::DataKind::variables);
    addresses.inlineSamplers = kernel.inlineSamplers;
    launch.stateHeap = image.usesImages() ? stateHeap_ : 0;
    if (const std::uint64_t bytes = image.privateBytesPerThread())
        launch.privateBase = addresses.privateBase = allocate(bytes * device().profile().threads());
    launch.privateBytes = image.privateBytesPerThread();
    auto data = module::crossThreadData(image, shape, values, addresses);
    EXPECT_TRUE(data) << data.error().message;

    const binary::Bytes blocks = module::perThreadBlocks(image, shape);
    launch.simd = image.environment.simdSize;
    launch.grfCount = image.environment.grfCount;
    launch.slmBytes = data->slmBytes;
    for (const module::LocalRange& gap : data->gaps) launch.slmGaps.push_back({gap.begin, gap.end});
    launch.scratchBytes = image.scratchBytes();
    launch.barrierCount = std::max(1u, image.environment.barrierCount);
    const auto cross = std::as_bytes(std::span(data->bytes));
    const auto local = std::as_bytes(std::span(blocks));
    const std::size_t inlined = std::min<std::size_t>(image.environment.inlineDataBytes, cross.size());
    launch.inlineData.assign(cross.begin(), cross.begin() + static_cast<std::ptrdiff_t>(inlined));
    if (image.needsImplicitArguments) layImplicitArguments(launch, image, shape);
    launch.indirect.insert(launch.indirect.end(), cross.begin() + static_cast<std::ptrdiff_t>(inlined), cross.end());
    launch.indirect.insert(launch.indirect.end(), local.begin(), local.end());
    launch.keep = {kernel.linked};
    return launch;
}

std::shared_ptr<Dispatch> KernelBench::launch(const Kernel& kernel, Extent groupSize, Extent groupCount,
                                              const std::vector<Argument>& arguments, Completion completion) {
    return tile().submit(prepare(kernel, groupSize, groupCount, arguments), std::move(completion));
}

std::shared_ptr<Dispatch> KernelBench::run(const Kernel& kernel, Extent groupSize, Extent groupCount,
                                           const std::vector<Argument>& arguments) {
    auto dispatch = launch(kernel, groupSize, groupCount, arguments);
    EXPECT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    return dispatch;
}

}  // namespace zetl::emulator::machine::bench
