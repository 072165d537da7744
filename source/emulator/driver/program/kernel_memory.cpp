#include "emulator/driver/program/kernel_memory.h"

#include <new>

#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/sampler.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/module/inline_sampler.h"
#include "emulator/module/printf.h"

namespace zetl::emulator::driver {
namespace {

Result<std::uint64_t> allocateInternal(std::uint64_t bytes, const char* purpose) {
    machine::Memory::Request request;
    request.bytes = bytes;
    request.kind = machine::MemoryKind::internal;
    const auto answer = platform().memory().allocate(request);
    if (answer.status == machine::MemoryStatus::ok) return answer.address;
    return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "no {} bytes for {}", bytes, purpose);
}

}  // namespace

Result<std::shared_ptr<KernelMemory>> KernelMemory::create(const binary::KernelImage& image) {
    auto memory = std::make_shared<KernelMemory>();
    for (const binary::InlineSampler& declared : image.inlineSamplers) {
        auto slot = placeSampler(module::stateOf(declared));
        if (!slot) return slot.code();
        if (memory->samplers_.size() <= declared.index) memory->samplers_.resize(declared.index + 1);
        memory->samplers_[declared.index] = *std::move(slot);
    }
    return memory;
}

std::vector<std::uint64_t> KernelMemory::samplerOffsets() const {
    std::vector<std::uint64_t> offsets;
    offsets.reserve(samplers_.size());
    for (const auto& each : samplers_) offsets.push_back(each ? each->offset() : 0);
    return offsets;
}

KernelMemory::~KernelMemory() {
    for (const auto& [tile, address] : private_) platform().memory().free(address);
    for (const std::uint64_t buffer : freeBuffers_) platform().memory().free(buffer);
}

Result<std::uint64_t> KernelMemory::privateBase(const machine::Tile& tile, std::uint64_t bytesPerThread) {
    const Lock guard(mutex_);
    if (const auto known = private_.find(tile.index()); known != private_.end()) return known->second;
    const auto address = allocateInternal(bytesPerThread * tile.device().profile().threads(), "private memory");
    if (address) private_[tile.index()] = *address;
    return address;
}

Result<std::uint64_t> KernelMemory::takePrintfBuffer() {
    const Lock guard(mutex_);
    if (!freeBuffers_.empty()) {
        const std::uint64_t buffer = freeBuffers_.back();
        freeBuffers_.pop_back();
        return buffer;
    }
    return allocateInternal(module::kPrintfBufferBytes, "the printf buffer");
}

void KernelMemory::givePrintfBuffer(std::uint64_t address) {
    const Lock guard(mutex_);
    try {
        freeBuffers_.push_back(address);
    } catch (const std::bad_alloc&) {
        platform().memory().free(address);
    }
}

}  // namespace zetl::emulator::driver
