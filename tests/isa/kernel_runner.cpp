#include "kernel_runner.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "binary/native_binary.h"

namespace zetl::test {

namespace isa = emulator::isa;
namespace mod = emulator::module;

namespace {

constexpr std::uint64_t kInstructionBase = 1ull << 40;
constexpr std::uint32_t kCodeOffset = 0x10000;
constexpr std::uint32_t kPayloadOffset = 64;
constexpr std::uint32_t kSlack = 256;

template <class T>
T expect(binary::Outcome<T> outcome) {
    if (!outcome) throw std::runtime_error(outcome.error().message);
    return *std::move(outcome);
}

}  // namespace

/// What the threads of a launch share.
struct KernelRunner::Launch {
    const binary::KernelImage& kernel;
    mod::LaunchShape shape;
    std::vector<std::byte> payload;
    std::vector<std::byte> inlineData;
    std::vector<std::byte> local;
    std::vector<std::vector<std::byte>> scratch;
    std::vector<std::unique_ptr<isa::Thread>> threads;
    isa::StateSlots readFirst;
};

/// What a thread can reach.
MemoryRanges KernelRunner::memoryOf(Launch& launch, isa::Thread& thread) const {
    MemoryRanges list{launch.local, launch.payload, thread.scratch};
    for (const isa::MemoryWindow& m : memory_) list.emplace_back(m.host, m.bytes);
    return list;
}

KernelRunner::KernelRunner(std::span<const std::byte> zebin, const zetl::isa::xe::Product& product)
    : architecture_(*product.architecture),
      image_(expect(binary::readNative({reinterpret_cast<const std::uint8_t*>(zebin.data()), zebin.size()}, product))) {
    mod::Addresses where;
    where.instructionBase = kInstructionBase;
    where.code = kInstructionBase + kCodeOffset;
    for (int k = 0; k < binary::kDataKinds; ++k) {
        data_.emplace_back(image_->data[static_cast<std::size_t>(k)].size() + kSlack);
        where.data[static_cast<std::size_t>(k)] = reinterpret_cast<std::uint64_t>(data_.back().data());
        memory_.push_back({where.data[static_cast<std::size_t>(k)], data_.back().size(), data_.back().data()});
    }
    module_ = std::make_unique<mod::LinkedModule>(expect(mod::LinkedModule::place(image_, where)));
    for (int k = 0; k < binary::kDataKinds; ++k) {
        const auto content = module_->data(static_cast<binary::DataKind>(k));
        std::ranges::transform(content, data_[static_cast<std::size_t>(k)].begin(),
                               [](auto byte) { return std::byte{byte}; });
    }
    choose(isa::hostTable(), false);
}

void KernelRunner::choose(const isa::StepTable& table, bool masked) {
    isa::LowerOptions options;
    options.architecture = &architecture_;
    options.base = kCodeOffset;
    options.simd16 = options.simd32 = !masked;
    const auto again = [&] { return isa::lower(std::as_bytes(module_->code()), options, table); };
    program_ = again();
    execution_ = makeExecution(*program_, again);
}

KernelRunner& KernelRunner::address(void* p, std::size_t size) {
    memory_.push_back({reinterpret_cast<std::uint64_t>(p), size, static_cast<std::byte*>(p)});
    return bytes(&p, sizeof p);
}
KernelRunner& KernelRunner::bytes(const void* p, std::size_t size) {
    const auto* b = static_cast<const std::uint8_t*>(p);
    arguments_.push_back({binary::Bytes(b, b + size), 0});
    return *this;
}
KernelRunner& KernelRunner::localMemory(std::uint32_t size) {
    arguments_.push_back({{}, size});
    return *this;
}

bool KernelRunner::findMemory(isa::Thread&, std::uint64_t address, std::uint64_t bytes, bool,
                              isa::MemoryWindow& window) noexcept {
    for (const isa::MemoryWindow& m : memory_)
        if (address >= m.begin && address - m.begin <= m.bytes && bytes <= m.bytes - (address - m.begin)) {
            window = m;
            return true;
        }
    return false;
}

namespace {

/// The work-items of a thread; the last thread of a group may be partial. Vector code starts with all lanes on.
std::uint32_t lanesOf(const mod::LaunchShape& shape, std::uint32_t simd, std::uint32_t thread) {
    const std::uint32_t items = shape.groupSize[0] * shape.groupSize[1] * shape.groupSize[2];
    const std::uint32_t lanes = simd == 1 ? 32 : std::min(simd, items - thread * simd);
    return lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
}

/// What an earlier thread may have left in registers that this one does not read before it writes them.
void leaveRemains(isa::Thread& t, const isa::StateSlots& readFirst) {
    constexpr int kRemains = 0xa5;
    for (std::uint32_t place = 0; place < isa::layout::kStatus; place += isa::layout::kRegisterBytes)
        if (!readFirst.contains(place)) std::memset(t.state + place, kRemains, isa::layout::kRegisterBytes);
}

}  // namespace

void KernelRunner::prepare(isa::Thread& t, Launch& launch, std::uint32_t index, const mod::Extent& group) {
    t.reset();
    leaveRemains(t, launch.readFirst);
    const auto r0 = &t.at<std::uint32_t>(isa::layout::kGrf);
    const zetl::isa::xe::ThreadStart& start = architecture_.start;
    r0[start.arguments] = kPayloadOffset;
    for (std::size_t axis = 0; axis < group.size(); ++axis) r0[start.group[axis]] = group[axis];
    r0[start.number] = index | static_cast<std::uint32_t>(launch.threads.size()) << start.threadsShift;
    r0[start.scratch] = 1u << start.scratchShift;
    if (!launch.inlineData.empty()) std::memcpy(t.grf(1), launch.inlineData.data(), launch.inlineData.size());
    if (start.argumentsAddress != 0) {
        const auto address = reinterpret_cast<std::uint64_t>(launch.payload.data()) + kPayloadOffset;
        std::memcpy(r0 + start.argumentsAddress, &address, sizeof address);
        std::memcpy(t.grf(1), &address, sizeof address);
    }
    t.at<std::uint32_t>(isa::layout::kStatus) = (index & 7) | index >> 3 << 4;
    t.environment = this;
    t.local = launch.local;
    t.payload = launch.payload;
    t.scratch = launch.scratch[index];
    t.dispatched = lanesOf(launch.shape, launch.kernel.environment.simdSize, index);
    if (!t.enter(*program_, module_->kernelOffset(launch.kernel)))
        throw std::runtime_error("no instruction at the kernel's start");
}

std::string KernelRunner::runGroup(Launch& launch, const mod::Extent& group) {
    for (std::uint32_t i = 0; i < launch.threads.size(); ++i) prepare(*launch.threads[i], launch, i, group);
    for (std::size_t done = 0, waiting = 0; done < launch.threads.size();) {
        done = waiting = 0;
        for (auto& t : launch.threads) {
            if (t->status == isa::Status::ready || t->status == isa::Status::paused)
                execution_->resume(*t, memoryOf(launch, *t));
            if (t->status == isa::Status::faulted) return describe(t->fault);
            done += t->status == isa::Status::done;
            waiting += t->status == isa::Status::atBarrier;
        }
        if (done + waiting != launch.threads.size()) continue;
        for (auto& t : launch.threads)
            if (t->status == isa::Status::atBarrier) t->status = isa::Status::ready;
    }
    return "";
}

std::string KernelRunner::run(const std::string& name, mod::Extent global, mod::Extent local) {
    const binary::KernelImage* kernel = image_->kernel(name);
    if (!kernel) throw std::runtime_error("no kernel " + name);
    Launch launch{*kernel, {}, {}, {}, {}, {}, {}, {}};
    launch.shape.groupSize = local;
    for (std::size_t d = 0; d < 3; ++d) launch.shape.groupCount[d] = global[d] / local[d];
    const std::uint32_t threads = launch.shape.threads(kernel->environment.simdSize);

    constexpr std::uint32_t kHardwareThreads = 128;  // private memory is found by the thread's number
    std::vector<std::byte> privates(kernel->privateBytesPerThread() * kHardwareThreads + kSlack);
    memory_.push_back({reinterpret_cast<std::uint64_t>(privates.data()), privates.size(), privates.data()});
    mod::LaunchAddresses addresses;
    addresses.privateBase = reinterpret_cast<std::uint64_t>(privates.data());
    constexpr std::uint32_t kTableField = 72;  // of the record
    auto record = mod::implicitArguments(*kernel, launch.shape, 0, 0);
    auto table = mod::localIdTable(*kernel, launch.shape);
    const auto tableAt = reinterpret_cast<std::uint64_t>(table.data());
    std::memcpy(record.data() + kTableField, &tableAt, sizeof tableAt);
    addresses.implicitArguments = reinterpret_cast<std::uint64_t>(record.data());
    for (binary::Bytes* each : {&record, &table})
        memory_.push_back(
            {reinterpret_cast<std::uint64_t>(each->data()), each->size(), reinterpret_cast<std::byte*>(each->data())});
    const auto cross = expect(mod::crossThreadData(*kernel, launch.shape, arguments_, addresses));
    const auto blocks = mod::perThreadBlocks(*kernel, launch.shape);
    const std::size_t inlined = std::min<std::size_t>(kernel->environment.inlineDataBytes, cross.bytes.size());
    const std::size_t rest = cross.bytes.size() - inlined;
    launch.inlineData.resize(inlined);
    std::memcpy(launch.inlineData.data(), cross.bytes.data(), inlined);
    // Functions look for the record where r0 points, and the kernel for its arguments behind it.
    const std::size_t crossAt = kPayloadOffset + (kernel->needsImplicitArguments ? record.size() : 0);
    launch.payload.resize(crossAt + rest + blocks.size() + kSlack);
    std::memcpy(launch.payload.data() + kPayloadOffset, record.data(), crossAt - kPayloadOffset);
    std::memcpy(launch.payload.data() + crossAt, cross.bytes.data() + inlined, rest);
    if (!blocks.empty()) std::memcpy(launch.payload.data() + crossAt + rest, blocks.data(), blocks.size());
    if (architecture_.start.argumentsAddress != 0)
        memory_.push_back(
            {reinterpret_cast<std::uint64_t>(launch.payload.data()), launch.payload.size(), launch.payload.data()});
    launch.local.resize(cross.slmBytes);
    for (std::uint32_t i = 0; i < threads; ++i) {
        launch.threads.push_back(std::make_unique<isa::Thread>());
        launch.scratch.emplace_back(kernel->scratchBytes());
    }
    const std::uint32_t simd = kernel->environment.simdSize;
    const bool whole = simd == 1 || local[0] * local[1] * local[2] % simd == 0;
    launch.readFirst = program_->readFirst(module_->kernelOffset(*kernel), !whole ? 0 : simd == 1 ? 32 : simd);
    execution_->prepare(module_->kernelOffset(*kernel), simd);
    std::string fault;
    for (std::uint32_t z = 0; z < launch.shape.groupCount[2] && fault.empty(); ++z)
        for (std::uint32_t y = 0; y < launch.shape.groupCount[1] && fault.empty(); ++y)
            for (std::uint32_t x = 0; x < launch.shape.groupCount[0] && fault.empty(); ++x)
                fault = runGroup(launch, {x, y, z});
    arguments_.clear();
    memory_.resize(binary::kDataKinds);
    return fault;
}

}  // namespace zetl::test
