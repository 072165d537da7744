#include "emulator/driver/execution/launch_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "base/settings.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/execution/launch_checks.h"
#include "emulator/driver/execution/launch_results.h"
#include "emulator/driver/execution/scaled_launch.h"
#include "emulator/driver/execution/transfer.h"
#include "emulator/driver/program/coverage.h"
#include "emulator/driver/program/indirect_data.h"
#include "emulator/driver/program/kernel_limits.h"
#include "emulator/driver/program/kernel_memory.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/printf_output.h"
#include "emulator/driver/program/source_line.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/module/printf.h"

namespace zetl::emulator::driver {
/// The printf buffer of one launch: empty when the launch starts, read when it is done.
class PrintfBuffer {
  public:
    static Result<std::shared_ptr<PrintfBuffer>> take(std::shared_ptr<KernelMemory> memory) {
        const auto address = memory->takePrintfBuffer();
        if (!address) return address.code();
        const std::uint32_t used = module::kPrintfHeaderBytes;
        platform().memory().write(*address, &used, sizeof used);
        return std::make_shared<PrintfBuffer>(std::move(memory), *address);
    }
    PrintfBuffer(std::shared_ptr<KernelMemory> memory, std::uint64_t address)
        : memory_(std::move(memory)), address_(address) {}
    ~PrintfBuffer() { memory_->givePrintfBuffer(address_); }

    std::uint64_t address() const noexcept { return address_; }

    /// Of a launch of that kernel. `numbered` as in module::printfText().
    std::string text(const binary::NumberedStrings* numbered, const std::string& kernel) const {
        const machine::Memory& memory = platform().memory();
        std::uint32_t used = 0;
        if (!memory.read(address_, &used, sizeof used)) return {};
        std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(used, module::kPrintfBufferBytes));
        if (!memory.read(address_, bytes.data(), bytes.size())) return {};
        if (checks() == nullptr) return module::printfText(bytes, readString, numbered);
        std::vector<std::string> mistakes;
        std::string text = module::printfText(bytes, readString, numbered, &mistakes);
        notePrintf(kernel, mistakes);
        return text;
    }

  private:
    /// In pieces: most strings are short, and the allocations they lie in are long.
    static std::optional<std::string> readString(std::uint64_t address, std::size_t longest) {
        constexpr std::size_t kPiece = 256;
        const auto allocation = platform().memory().find(address);
        if (!allocation) return std::nullopt;
        const std::size_t end = std::min<std::uint64_t>(allocation->end - address, longest);
        std::string text;
        while (text.size() < end) {
            const std::size_t read = text.size();
            text.resize(std::min(read + kPiece, end));
            if (!platform().memory().read(address + read, &text[read], text.size() - read)) return std::nullopt;
            const std::size_t terminator = text.find('\0', read);
            if (terminator != std::string::npos) return text.substr(0, terminator);
        }
        return text;
    }

    std::shared_ptr<KernelMemory> memory_;
    std::uint64_t address_;
};

namespace {

/// ZETL_EMULATOR_FILL. Read once: all launches of a process find the same.
std::optional<std::uint8_t> ownMemoryFill() {
    static const std::optional<std::uint8_t> fill = [] {
        std::optional<std::uint8_t> byte;
        const auto number = settings::number(settings::kEmulatorFill);
        if (number && *number >= 0 && *number <= UINT8_MAX)
            byte = static_cast<std::uint8_t>(*number);
        else if (number)
            log::error(log::Channel::emulator, "{}={}: scratch memory is not filled; write a byte, 0 to 255",
                       settings::kEmulatorFill, *number);
        return byte;
    }();
    return fill;
}

/// The part of a hardware launch that does not change from launch to launch.
machine::Launch constantPart(const Module& module, const binary::KernelImage& image) {
    const auto& environment = image.environment;
    machine::Launch launch;
    launch.kernel = image.name;
    launch.code = module.code();
    launch.kernelOffset = module.linked().kernelOffset(image);
    launch.simd = environment.simdSize;
    launch.grfCount = environment.grfCount;
    launch.scratchBytes = image.scratchBytes();
    launch.privateBytes = image.privateBytesPerThread();
    launch.ownMemoryFill = ownMemoryFill();
    launch.barrierCount = environment.barrierCount;
    launch.stateHeap = stateHeapAddress();  // kernels without such arguments may have handles of bindless images
    launch.tag = module.id();
    return launch;
}

/// Logs the source line. The machine has logged the fault itself, but does not know the source.
void logSource(const machine::Fault& fault, const Module& module) {
    if (const std::string line = sourceLine(module, fault.ip); !line.empty())
        log::error(log::Channel::emulator, "the fault of kernel {} is at source {}", fault.kernel, line);
}

/// Null for zebin, whose kernels print by address.
const binary::NumberedStrings* numberedStrings(const Module& module, const binary::KernelImage& image) {
    const bool patchTokens = module.linked().image().container == binary::ModuleImage::Container::patchTokens;
    return patchTokens ? &image.printfStrings : nullptr;
}

/// Its bytes as one number, the first byte last.
std::string argumentText(const module::ArgumentValue& argument) {
    if (argument.bytes.empty()) return fmt::format("{} bytes of local memory", argument.localBytes);
    std::string text = "0x";
    for (auto byte = argument.bytes.rbegin(); byte != argument.bytes.rend(); ++byte)
        text += fmt::format("{:02x}", static_cast<unsigned>(*byte));
    return text;
}

module::Extent readGroupCount(const ze_group_count_t& count) noexcept {
    return {count.groupCountX, count.groupCountY, count.groupCountZ};
}

}  // namespace

KernelSnapshot::KernelSnapshot(const Kernel& kernel)
    : module_(kernel.module()), memory_(kernel.memory()), state_(kernel.state()) {}

Status KernelSnapshot::check(Device& device, const module::Extent& groupCount) const {
    if (!image().unsupported.empty())
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "kernel {}: {}", image().name, image().unsupported);
    if (image().usesImages() && !device.profile().architecture().images)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "kernel {} uses images or samplers, which {} lacks; the profiles b580, lnl and ptl have them",
                      image().name, device.name());
    if (&module_->device().root() != &device.root())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "kernel {} was built for another device than the list's",
                      image().name);
    if (!countable(state_.groupSize(), groupCount))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{}", tooMany(groupCount));
    return state_.check(device.profile());
}

std::string KernelSnapshot::tooMany(const module::Extent& groupCount) const {
    const module::Extent& size = state_.groupSize();
    return fmt::format("kernel {}: {}x{}x{} groups of {}x{}x{} have 2^64 work-items or more", image().name,
                       groupCount[0], groupCount[1], groupCount[2], size[0], size[1], size[2]);
}

std::optional<KernelSnapshot::Prepared> KernelSnapshot::prepare(const module::Extent& groupCount,
                                                                std::uint64_t printfBuffer) const {
    Prepared prepared{.launch = constantPart(*module_, image())};
    module::LaunchAddresses addresses;
    const auto& linked = module_->linked();
    addresses.constants = linked.addresses().data[static_cast<int>(binary::DataKind::constants)];
    addresses.variables = linked.addresses().data[static_cast<int>(binary::DataKind::variables)];
    addresses.printfBuffer = printfBuffer;
    addresses.inlineSamplers = memory_->samplerOffsets();
    addresses.localGap = localGap(state_, module_->device().profile().slmBytes);
    const auto laid = layIndirectData(prepared.launch, state_, state_.shape(groupCount), addresses);
    if (!laid) {
        log::error(log::Channel::emulator, "kernel {}: {}", image().name, laid.error().message);
        return std::nullopt;
    }
    prepared.crossThreadAt = *laid;
    prepared.launch.readOnly = readOnlyMemory(state_, *module_);
    prepared.launch.groupAtomics = groupAtomics(*module_);
    prepared.launch.groupSize = state_.groupSize();
    prepared.launch.keep = {module_, memory_};
    return prepared;
}

bool KernelSnapshot::givePrivateMemory(machine::Launch& launch, const machine::Tile& tile,
                                       std::uint32_t crossThreadAt) const {
    if (launch.privateBytes == 0) return true;
    const auto base = memory_->privateBase(tile, launch.privateBytes);
    if (base) setPrivateBase(launch, image(), crossThreadAt, *base);
    return static_cast<bool>(base);
}

bool KernelSnapshot::submit(ScaledLaunch& launched, Device& device, const module::Extent& groupCount,
                            const std::shared_ptr<PrintfBuffer>& printf, const Place& place) const try {
    auto prepared = prepare(groupCount, printf ? printf->address() : 0);
    if (!prepared) return false;
    prepared->launch.keep.push_back(printf);
    prepared->launch.command = place.command;
    prepared->launch.submission = place.submission;
    prepared->launch.after = place.behind;
    const std::vector<GridPart> parts = partsOf(groupCount, device.tiles());
    for (const GridPart& part : parts) {
        machine::Tile& tile = device.tile(part.tile);
        machine::Launch launch = &part == &parts.back() ? std::move(prepared->launch) : prepared->launch;
        if (!givePrivateMemory(launch, tile, prepared->crossThreadAt)) return false;
        launch.groupCount = part.groupCount;
        launch.firstGroup = part.firstGroup;
        if (parts.size() > 1) launch.gridGroups = groupCount;
        launch.awaited = parts.size() == 1;  // by run()
        launched.submit(tile, std::move(launch));
    }
    return true;
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "kernel {}: no host memory for its launch", image().name);
    return false;
}

bool KernelSnapshot::run(Execution& execution, const module::Extent& groupCount) const {
    if (!countable(state_.groupSize(), groupCount)) {  // it is read from memory only now
        log::error(log::Channel::emulator, "{}", tooMany(groupCount));
        return false;
    }
    std::shared_ptr<PrintfBuffer> printf;
    if (image().mayPrint()) {
        auto taken = PrintfBuffer::take(memory_);
        if (!taken) return false;
        printf = *std::move(taken);
    }
    if (const auto observer = toolObserver()) observer->launching(*module_);
    auto start = startOf(state_, groupCount, module_->source());
    const std::uint64_t command = beginLaunch(execution, *module_, image(), groupCount);
    ScaledLaunch launched;
    const bool complete =
        submit(launched, execution.device, groupCount, printf, {command, execution.submission, execution.behind});
    launched.wait();
    execution.behind = std::max(execution.behind, launched.workEnd());
    countNow(launched.parts());
    tellFindings(launched.parts(), *module_, state_);
    if (!complete) return false;
    tellResults(state_, groupCount, static_cast<bool>(launched.fault()), std::move(start));
    if (printf) keepPrintf(printf->text(numberedStrings(*module_, image()), image().name));
    execution.times = launched.times();
    execution.timesKnown = true;
    if (launched.fault()) logSource(launched.fault(), *module_);
    return !launched.fault();
}

void KernelSnapshot::addTo(Footprint& footprint) const {
    footprint.kernel = image().name;
    footprint.kernelMemory = memory_.get();
    footprint.module = module_.get();
    footprint.places.insert(footprint.places.end(), {memory_, module_});
    for (std::size_t i = 0; i < image().arguments.size(); ++i) {
        if (image().arguments[i].kind != binary::KernelArgument::Kind::pointer) continue;
        std::uint64_t address = 0;
        const binary::Bytes& bytes = state_.arguments()[i].bytes;
        std::memcpy(&address, bytes.data(), std::min(sizeof address, bytes.size()));
        footprint.addresses.push_back(address);
    }
}

Status KernelSnapshot::setGroupSize(const module::Extent& size) {
    return state_.setGroupSize(module_->device().profile(), size);
}

Status LaunchOperation::setGroupCount(const module::Extent& groupCount) {
    if (indirect_) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the launch reads its group count from memory");
    groupCount_ = groupCount;
    return ZE_RESULT_SUCCESS;
}

bool LaunchOperation::run(Execution& execution) const {
    if (!indirect_) return kernel_.run(execution, groupCount_);
    ze_group_count_t count;
    return copyMemory(execution, reinterpret_cast<std::uint64_t>(&count), reinterpret_cast<std::uint64_t>(indirect_),
                      sizeof count) &&
           kernel_.run(execution, readGroupCount(count));
}

bool MultipleLaunchOperation::run(Execution& execution) const {
    std::uint32_t count = 0;
    std::vector<ze_group_count_t> groupCounts(kernels_.size());
    if (!copyMemory(execution, reinterpret_cast<std::uint64_t>(&count), reinterpret_cast<std::uint64_t>(count_),
                    sizeof count))
        return false;
    count = std::min(count, static_cast<std::uint32_t>(kernels_.size()));
    if (!copyMemory(execution, reinterpret_cast<std::uint64_t>(groupCounts.data()),
                    reinterpret_cast<std::uint64_t>(groupCounts_), count * sizeof(ze_group_count_t)))
        return false;
    SignalState::Times whole = execution.times;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!kernels_[i].run(execution, readGroupCount(groupCounts[i]))) return false;
        whole = {i == 0 ? execution.times.start : whole.start, execution.times.end};  // no packets: several launches
    }
    execution.times = whole;
    return true;
}

CommandDetails LaunchOperation::details() const {
    const KernelState& state = kernel_.state();
    const module::Extent& size = state.groupSize();
    const std::string groups = indirect_ ? fmt::format("read from {}", fmt::ptr(indirect_))
                                         : fmt::format("{}x{}x{}", groupCount_[0], groupCount_[1], groupCount_[2]);
    CommandDetails details{{"kernel", kernel_.image().name},
                           {"groups", groups},
                           {"group size", fmt::format("{}x{}x{}", size[0], size[1], size[2])}};
    for (const module::ArgumentValue& argument : state.arguments())
        details.emplace_back("argument", argumentText(argument));
    return details;
}

CommandDetails MultipleLaunchOperation::details() const {
    CommandDetails details{{"launches", fmt::format("read from {}", fmt::ptr(count_))}};
    for (const KernelSnapshot& kernel : kernels_) details.emplace_back("kernel", kernel.image().name);
    return details;
}

}  // namespace zetl::emulator::driver
