#include "emulator/driver/execution/launch_checks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <string>

#include "base/log.h"
#include "emulator/check/findings.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/execution/code_checks.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/finding_argument.h"
#include "emulator/driver/execution/object_places.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/source_line.h"

namespace zetl::emulator::driver {
namespace {

/// Machine code that was written by hand may have its threads meet at any instructions of one barrier, and lanes that
/// write to one place what nobody reads. It has no lines.
bool mayBeMeant(const zetl::check::Finding& finding, const Module& module) {
    if (finding.kind != zetl::check::Kind::different && !check::isOfOneMessage(finding)) return false;
    if (module.compiled()) return false;
    return std::ranges::all_of(finding.sides, [](const zetl::check::Side& side) { return side.source.empty(); });
}

bool usesSamplers(const binary::KernelImage& image) {
    const auto isOne = [](const binary::KernelArgument& argument) {
        return argument.kind == binary::KernelArgument::Kind::sampler;
    };
    return !image.inlineSamplers.empty() || std::ranges::any_of(image.arguments, isOne);
}

}  // namespace

void noteTransfer(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
    Checks* const all = checks();
    if (all == nullptr) return;
    if (all->init) all->init->written(to, from, bytes);
    if (execution.checked == nullptr) return;
    if (const auto command = recordOf(*execution.checked)) {
        all->checker.transfer(*command, from, bytes, false);
        all->checker.transfer(*command, to, bytes, true);
    }
}

std::uint32_t localGap(const KernelState& state, std::uint64_t slmBytes) noexcept {
    constexpr std::uint32_t kGap = 64;
    Checks* const all = checks();
    if (all == nullptr || !all->groups.has(zetl::check::Group::memory)) return 0;
    const auto needed = module::localMemoryWith(state.image(), state.arguments(), kGap);
    return needed && *needed <= slmBytes ? kGap : 0;
}

std::vector<std::array<std::uint64_t, 2>> readOnlyMemory(const KernelState& state, const Module& module) noexcept try {
    using binary::AddressSpace;
    Checks* const all = checks();
    if (all == nullptr || !all->groups.has(zetl::check::Group::memory)) return {};
    std::vector<std::array<std::uint64_t, 2>> constant;
    std::vector<std::uint64_t> others;
    const auto& declared = state.image().arguments;
    for (std::size_t index = 0; index < std::min(declared.size(), state.arguments().size()); ++index) {
        const binary::Bytes& bytes = state.arguments()[index].bytes;
        std::uint64_t address = 0;
        if (declared[index].kind != binary::KernelArgument::Kind::pointer || bytes.size() < sizeof address) continue;
        std::memcpy(&address, bytes.data(), sizeof address);
        const auto allocation = platform().memory().find(address);
        if (!allocation) continue;
        if (declared[index].space == AddressSpace::constant)
            constant.push_back({allocation->begin, allocation->end});
        else
            others.push_back(allocation->begin);
    }
    std::erase_if(constant, [&](const auto& range) { return std::ranges::find(others, range[0]) != others.end(); });
    const std::uint64_t own = module.linked().addresses().data[static_cast<int>(binary::DataKind::constants)];
    if (const auto allocation = own != 0 ? platform().memory().find(own) : std::nullopt)
        constant.push_back({allocation->begin, allocation->end});
    return constant;
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to look for writes to constants");
    return {};
}

std::shared_ptr<const std::vector<bool>> groupAtomics(const Module& module) noexcept try {
    Checks* const all = checks();
    if (all == nullptr || !all->groups.has(zetl::check::Group::race)) return nullptr;
    return all->groupAtomics.of(module);
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to look for the scopes of atomics");
    return nullptr;
}

std::uint64_t beginLaunch(Execution& execution, const Module& module, const binary::KernelImage& image,
                          const machine::Extent& groups) {
    Checks* const all = checks();
    if (all == nullptr || execution.checked == nullptr) return 0;
    checkCode(module);
    auto record = std::make_shared<check::CommandRecord>();
    record->number = execution.checked->order.number + execution.checked->launches++;
    record->before = execution.checked->order.before;
    record->kernel = image.name;
    record->kernelOffset = module.linked().kernelOffset(image);
    record->groups = groups;
    record->source = [from = module.weak_from_this()](std::uint64_t address) {
        const auto known = from.lock();
        return known ? sourceLine(*known, address) : std::string();
    };
    const std::uint64_t number = record->number;
    all->checker.begin(std::move(record));
    return number;
}

void tellFindings(std::span<const std::shared_ptr<machine::Dispatch>> parts, const Module& module,
                  const KernelState& state) noexcept try {
    Checks* const all = checks();
    if (all == nullptr) return;
    std::map<std::uint64_t, std::string> known;
    const auto source = [&](std::uint64_t address) {
        const auto [found, isNew] = known.try_emplace(address);
        if (isNew) found->second = sourceChain(module, address);
        return found->second;
    };
    const bool counted = !parts.empty() && parts.front()->launch().command != 0;
    for (const auto& part : parts) {
        const auto tell = [&](std::vector<zetl::check::Finding> findings) {
            for (zetl::check::Finding& finding : findings) {
                if (mayBeMeant(finding, module)) continue;
                if (finding.object && finding.object->argument.empty())
                    finding.object->argument = argumentInto(state, *finding.object);
                addPlaces(*all, finding);
                all->file.write(finding);
            }
        };
        tell(all->checker.take(*part, source));
        if (all->images)
            tell(all->images->take(*part, source, {usesSamplers(state.image()), [&](std::uint32_t surface) {
                                                       return imageArgument(state, surface);
                                                   }}));
        if (all->init) tell(all->init->take(*part, source));
        if (all->numbers) tell(all->numbers->take(*part, source));
        if (all->precision) tell(all->precision->take(*part, source));
    }
    if (counted) all->checker.end();
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to tell what was found; some of it is lost");
}

}  // namespace zetl::emulator::driver
