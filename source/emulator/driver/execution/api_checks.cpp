#include "emulator/driver/execution/api_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string_view>

#include "base/log.h"
#include "driver/entry.h"
#include "driver/holder.h"
#include "emulator/check/findings.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/object_places.h"
#include "emulator/driver/memory/ipc_memory.h"
#include "emulator/driver/memory/virtual_memory.h"
#include "emulator/driver/program/module_calls.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::driver {
namespace {

using MistakeKind = zetl::check::Kind;

/// Runs it with the checks, if calls are checked.
template <class F>
void withApiChecks(zetl::check::Group group, F&& f) noexcept try {
    Checks* const all = checks();
    if (all != nullptr && all->groups.has(group)) f(*all);
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to look at {}", currentFunction());
}

/// Runs it with the checks, if reports about memory are wanted.
template <class F>
void withMemoryChecks(F&& f) noexcept try {
    using zetl::check::Group;
    Checks* const all = checks();
    if (all != nullptr &&
        (all->groups.has(Group::memory) || all->groups.has(Group::api) || all->groups.has(Group::race)))
        f(*all);
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to note {}; reports about its memory lack it",
               currentFunction());
}

const char* typeName(ze_memory_type_t type) noexcept {
    if (type == ZE_MEMORY_TYPE_DEVICE) return "device";
    return type == ZE_MEMORY_TYPE_HOST ? "host" : "shared";
}

zetl::check::Finding mistake(MistakeKind kind, std::string message, const char* hint) {
    zetl::check::Finding finding;
    finding.kind = kind;
    finding.message = std::move(message);
    finding.hint = hint;
    zetl::check::Side side;
    side.command = currentFunction() != nullptr ? currentFunction() : "a command";
    finding.sides.push_back(std::move(side));
    return finding;
}

zetl::check::Object objectOf(const Checks& all, const UsmAllocation& allocation) {
    zetl::check::Object object{typeName(allocation.type), allocation.begin, allocation.bytes, 0, {}};
    object.made = all.made.of(allocation.id);
    return object;
}

zetl::check::Side sideOf(const UnfinishedCommands::Entry& entry) {
    zetl::check::Side side;
    side.command =
        entry.footprint.kernel.empty() ? entry.name : fmt::format("{} of {}", entry.name, entry.footprint.kernel);
    return side;
}

/// "an event".
std::string withArticle(const std::string& noun) {
    constexpr std::string_view kVowels = "aeiou";
    return (kVowels.find(noun.front()) != std::string_view::npos ? "an " : "a ") + noun;
}

Result<void*> noteMade(Context& context, Result<void*> made) noexcept {
    if (made)
        withMemoryChecks([&](Checks& all) {
            if (const auto known = context.usm().find(*made)) all.made.add(known->id);
        });
    return made;
}

std::optional<UsmAllocation> allocationWith(const void* pointer) {
    for (const auto& context : live<Context>().all())
        if (auto found = context->usm().find(pointer)) return found;
    return std::nullopt;
}

void noteUse(Checks& all, const void* pointer) {
    const auto found = allocationWith(pointer);
    if (!found || found->begin != reinterpret_cast<std::uint64_t>(pointer)) return;
    const auto user = all.unfinished.firstWith([&](const UnfinishedCommands::Entry& entry) {
        return std::ranges::any_of(entry.footprint.addresses,
                                   [&](std::uint64_t address) { return address - found->begin < found->bytes; });
    });
    if (!user) return;
    auto finding =
        mistake(MistakeKind::freedInUse,
                fmt::format("{} bytes of {} memory are freed while {} may use them, and the host did not wait "
                            "for it",
                            found->bytes, typeName(found->type), withArticle(sideOf(*user).command)),
                "wait for the command before the memory is freed, or free it with zeMemFreeExt and a policy");
    finding.sides.push_back(sideOf(*user));
    finding.address = found->begin;
    finding.object = objectOf(all, *found);
    all.file.write(finding);
}

/// Why an address could not be freed.
void noteBadFree(Checks& all, void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const auto inside = allocationWith(pointer);
    if (inside && inside->begin == address) return;  // an import, which has a function of its own to end it
    const auto gone = platform().memory().findFreed(address);
    auto finding =
        gone ? mistake(MistakeKind::doubleFree, fmt::format("memory at 0x{:x} is freed that was freed before", address),
                       "free memory once, and forget the pointer")
             : mistake(MistakeKind::badFree,
                       inside ? fmt::format("0x{:x} is freed, which is inside of an allocation", address)
                              : fmt::format("0x{:x} is freed, where no allocation begins", address),
                       "pass what zeMemAllocDevice, zeMemAllocHost or zeMemAllocShared returned");
    finding.address = address;
    if (inside) {
        finding.object = objectOf(all, *inside);
        finding.object->offset = static_cast<std::int64_t>(address - inside->begin);
    }
    if (gone) finding.object = check::objectOf(*gone, address);
    addPlaces(all, finding);
    all.file.write(finding);
}

template <class F>
Status freeChecked(void* pointer, bool atOnce, F&& free) {
    if (atOnce) withApiChecks(zetl::check::Group::memory, [&](Checks& all) { noteUse(all, pointer); });
    if (Checks* const all = checks()) all->host.forget(reinterpret_cast<std::uint64_t>(pointer));
    if (const auto found = allocationWith(pointer); found && found->begin == reinterpret_cast<std::uint64_t>(pointer))
        withMemoryChecks([&](Checks& all) { all.freed.add(found->id); });
    const Status status = free();
    if (status == ZE_RESULT_ERROR_INVALID_ARGUMENT)
        withApiChecks(zetl::check::Group::memory, [&](Checks& all) { noteBadFree(all, pointer); });
    return status;
}

/// An object ends that a command uses and the host did not wait for it.
template <class F>
void noteObjectInUse(const char* noun, F&& uses) noexcept {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        const auto user = all.unfinished.firstWith(uses);
        if (!user) return;
        auto finding = mistake(MistakeKind::lifetime,
                               fmt::format("{} is destroyed while {} uses it, and the host did not wait for it",
                                           withArticle(noun), withArticle(sideOf(*user).command)),
                               "wait for the command before the object is destroyed");
        finding.sides.push_back(sideOf(*user));
        all.file.write(finding);
    });
}

/// An object ends before others that were made from it.
template <class T, class F>
void noteUsers(const char* noun, F&& uses) noexcept {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        if (!live<T>().findIf(uses)) return;
        all.file.write(mistake(
            MistakeKind::lifetime,
            fmt::format("{} is destroyed before {} that was made from it", withArticle(noun), withArticle(T::kNoun)),
            "destroy what was made from an object before the object"));
    });
}

template <class T, class F>
void noteLeft(Checks& all, F&& isOf) {
    std::uint64_t left = 0;
    for (const auto& object : live<T>().all()) left += isOf(*object) ? 1 : 0;
    if (left == 0) return;
    auto finding =
        mistake(MistakeKind::leakedObject,
                fmt::format("{} {}{} not destroyed before the context", left, T::kNoun, left == 1 ? " is" : "s are"),
                "destroy all objects of a context before the context");
    finding.count = left;
    all.file.write(finding);
}

void noteLeaks(Checks& all, Context& context) {
    for (const UsmAllocation& left : context.usm().list()) {
        if (left.imported) continue;
        auto finding = mistake(MistakeKind::leakedMemory,
                               fmt::format("{} bytes of {} memory are not freed before their context is destroyed",
                                           left.bytes, typeName(left.type)),
                               "free the memory with zeMemFree");
        finding.address = left.begin;
        finding.object = objectOf(all, left);
        all.file.write(finding);
    }
    const auto here = [&](const auto& object) { return &object.context() == &context; };
    noteLeft<Module>(all, here);
    noteLeft<EventPool>(all, here);
    noteLeft<CommandList>(all, here);
    noteLeft<CommandQueue>(all, [&](const CommandQueue& queue) { return queue.engine().context.get() == &context; });
}

/// The alignment that OpenCL C gives a type of numbers, from its name; 1 for other types.
std::uint64_t alignmentOf(std::string_view type) noexcept {
    constexpr std::pair<std::string_view, std::uint64_t> kTypes[] = {
        {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},  {"int", 4},
        {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
    const std::size_t digits = std::min(type.find_first_of("0123456789"), type.size());
    const auto* const known =
        std::ranges::find(kTypes, type.substr(0, digits), &std::pair<std::string_view, std::uint64_t>::first);
    if (known == std::end(kTypes)) return 1;
    std::uint64_t elements = 0;
    for (const char digit : type.substr(digits)) {
        if (digit < '0' || digit > '9') return 1;
        elements = elements * 10 + static_cast<std::uint64_t>(digit - '0');
        if (elements > 16) return 1;
    }
    return known->second * std::bit_ceil(std::max<std::uint64_t>(elements, 1));
}

/// Pointers that are no multiple of what their type needs. Devices let most accesses through them pass.
void noteMisalignedArguments(Checks& all, const Kernel& kernel) {
    const KernelState state = kernel.state();
    for (const binary::ArgumentReflection& known : kernel.image().reflection) {
        const std::string_view name = known.typeName;
        const std::size_t star = name.find('*');
        if (star == std::string_view::npos || known.index >= state.arguments().size()) continue;
        std::uint64_t pointer = 0;
        const binary::Bytes& bytes = state.arguments()[known.index].bytes;
        if (bytes.size() != sizeof pointer ||
            kernel.image().arguments[known.index].kind != binary::KernelArgument::Kind::pointer)
            continue;
        std::memcpy(&pointer, bytes.data(), sizeof pointer);
        const std::uint64_t alignment = alignmentOf(name.substr(0, star));
        if (pointer % alignment == 0) continue;
        auto finding = mistake(MistakeKind::misaligned,
                               fmt::format("argument {} of kernel {} is 0x{:x}, which is no multiple of {}, the size "
                                           "of its type {}",
                                           known.index, kernel.image().name, pointer, alignment, name.substr(0, star)),
                               "pass an address that is a multiple of the size of the pointer's type");
        finding.onlyWarns = true;
        finding.sides.front().kernel = kernel.image().name;
        finding.address = pointer;
        if (const auto allocation = platform().memory().find(pointer)) {
            finding.object = check::objectOf(*allocation, pointer);
            addPlaces(all, finding);
        }
        all.file.write(finding);
    }
}

}  // namespace

Result<void*> checkedAllocateOnDevice(Context& context, const ze_device_mem_alloc_desc_t& description, std::size_t size,
                                      std::size_t alignment, std::shared_ptr<Device> device) {
    return noteMade(context, allocateOnDevice(context, description, size, alignment, std::move(device)));
}

Result<void*> checkedAllocateOnHost(Context& context, const ze_host_mem_alloc_desc_t& description, std::size_t size,
                                    std::size_t alignment) {
    return noteMade(context, allocateOnHost(context, description, size, alignment));
}

Result<void*> checkedAllocateShared(Context& context, const ze_device_mem_alloc_desc_t& onDevice,
                                    const ze_host_mem_alloc_desc_t& onHost, std::size_t size, std::size_t alignment,
                                    std::shared_ptr<Device> device) {
    return noteMade(context, allocateShared(context, onDevice, onHost, size, alignment, std::move(device)));
}

Status checkedFree(Context& context, void* pointer) {
    return freeChecked(pointer, true, [&] { return freeMemory(context, pointer); });
}

Status checkedFreeExt(Context& context, const ze_memory_free_ext_desc_t& description, void* pointer) {
    const Status status =
        freeChecked(pointer, description.freePolicy == 0, [&] { return freeMemoryExt(context, description, pointer); });
    const bool blocks = description.freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    if (status == ZE_RESULT_SUCCESS && blocks) noteAllSeen();
    return status;
}

Status checkedDestroyContext(Context& context) {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) { noteLeaks(all, context); });
    withMemoryChecks([&](Checks& all) {
        for (const UsmAllocation& left : context.usm().list()) all.freed.add(left.id);
    });
    if (Checks* const all = checks()) all->host.forget(0);
    return destroy(context);
}

Status checkedUnmapRange(const void* address, std::size_t bytes) {
    withMemoryChecks([&](Checks& all) { noteFreed(all, reinterpret_cast<std::uint64_t>(address), bytes); });
    return unmapRange(address, bytes);
}

Status checkedReleaseRange(const void* address, std::size_t bytes) {
    withMemoryChecks([&](Checks& all) { noteFreed(all, reinterpret_cast<std::uint64_t>(address), bytes); });
    return releaseRange(address, bytes);
}

Status checkedCloseMemory(Context& context, const void* pointer) {
    withMemoryChecks([&](Checks& all) { noteFreed(all, reinterpret_cast<std::uint64_t>(pointer), 1); });
    return closeMemory(context, pointer);
}

Status checkedDestroyModule(Module& module) {
    noteUsers<Kernel>(Module::kNoun, [&](const Kernel& kernel) { return kernel.module().get() == &module; });
    noteObjectInUse(Module::kNoun,
                    [&](const UnfinishedCommands::Entry& entry) { return entry.footprint.module == &module; });
    return endModule(module);
}

Status checkedDestroyKernel(Kernel& kernel) {
    noteObjectInUse(Kernel::kNoun, [&](const UnfinishedCommands::Entry& entry) {
        return entry.footprint.kernelMemory == kernel.memory().get();
    });
    return destroy(kernel);
}

Status checkedDestroyQueue(CommandQueue& queue) {
    noteObjectInUse(CommandQueue::kNoun,
                    [&](const UnfinishedCommands::Entry& entry) { return queue.executes(entry.stream); });
    return destroy(queue);
}

Status checkedDestroyList(CommandList& list) {
    noteObjectInUse(CommandList::kNoun,
                    [&](const UnfinishedCommands::Entry& entry) { return list.executes(entry.stream); });
    list.noteEnd("destroyed");
    return destroy(list);
}

Status checkedDestroyEvent(Event& event) {
    const auto state = event.state();
    if (state->value() == SignalState::Value::pending)
        noteObjectInUse(Event::kNoun, [&](const UnfinishedCommands::Entry& entry) {
            return !entry.ended &&
                   (entry.signal == state || std::ranges::find(entry.waits, state) != entry.waits.end());
        });
    return destroy(event);
}

Status checkedDestroyPool(EventPool& pool) {
    noteUsers<Event>(EventPool::kNoun, [&](const Event& event) { return &event.pool() == &pool; });
    return destroy(pool);
}

void noteLeaksAtExit() noexcept {
    constexpr std::size_t kMost = 100;
    withApiChecks(zetl::check::Group::api, [](Checks& all) {
        std::size_t told = 0;
        for (const auto& context : live<Context>().all())
            for (const UsmAllocation& left : context->usm().list()) {
                if (left.imported || ++told > kMost) continue;
                auto finding = mistake(MistakeKind::leakedAtExit,
                                       fmt::format("{} bytes of {} memory are not freed when the process ends",
                                                   left.bytes, typeName(left.type)),
                                       "free the memory with zeMemFree");
                finding.sides.front().command = "the end of the process";
                finding.address = left.begin;
                finding.object = objectOf(all, left);
                all.file.write(finding);
            }
    });
}

void noteListMisuse(const char* what) noexcept {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        all.file.write(mistake(MistakeKind::listState, fmt::format("a command list is {}", what),
                               "close a list before it is executed, and reset it before it takes further commands"));
    });
}

void noteListEnd(const CommandSequence* commands, const char* what) noexcept {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        const auto user = all.unfinished.firstWith(
            [&](const UnfinishedCommands::Entry& entry) { return entry.sequence == commands; });
        if (!user) return;
        auto finding = mistake(MistakeKind::lifetime,
                               fmt::format("a command list is {} while its {} may be executed, and the host did not "
                                           "wait for it",
                                           what, sideOf(*user).command),
                               "wait for the list before it is changed");
        finding.sides.push_back(sideOf(*user));
        all.file.write(finding);
    });
}

void notePrintf(const std::string& kernel, const std::vector<std::string>& mistakes) noexcept {
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        for (const std::string& what : mistakes) {
            auto finding =
                mistake(MistakeKind::printfString, what, "give printf a value of its type for each conversion");
            finding.sides.front().command.clear();
            finding.sides.front().kernel = kernel;
            all.file.write(finding);
        }
    });
}

bool isBehindAllocation(std::uint64_t address) noexcept {
    constexpr std::uint64_t kPage = 4096;
    const Checks* const all = checks();
    if (all == nullptr || !all->groups.has(zetl::check::Group::memory)) return false;
    const machine::Allocation* const before = platform().memory().table().before(address);
    return before != nullptr && !before->contains(address) && before->end % kPage != 0 &&
           address < (before->end / kPage + 1) * kPage;
}

void noteAccessOutside(const char* command, std::uint64_t address, std::uint64_t bytes, bool write) noexcept {
    withApiChecks(zetl::check::Group::memory, [&](Checks& all) {
        const auto access = write ? machine::Access::write : machine::Access::read;
        const machine::Fault fault = platform().memory().explain(address, bytes, access);
        auto finding = check::findingOf(fault, platform().memory(), [](std::uint64_t) { return std::string(); });
        const std::string name = command;
        finding.message = fmt::format("{} {}s {} bytes at 0x{:x}, {}", withArticle(name), write ? "write" : "read",
                                      bytes, address, check::reachOf(finding.object, address, bytes));
        finding.sides.front().command = name;
        addPlaces(all, finding);
        all.file.write(finding);
    });
}

void noteArguments(const Kernel& kernel, Context& context) noexcept {
    withApiChecks(zetl::check::Group::memory, [&](Checks& all) { noteMisalignedArguments(all, kernel); });
    withApiChecks(zetl::check::Group::api, [&](Checks& all) {
        const KernelState state = kernel.state();
        const auto& arguments = kernel.image().arguments;
        for (std::uint32_t i = 0; i < arguments.size(); ++i) {
            if (state.isSet(i)) continue;
            auto finding = mistake(
                MistakeKind::argument,
                fmt::format("argument {} of kernel {} was never set; the kernel gets {}", i, kernel.image().name,
                            arguments[i].kind == binary::KernelArgument::Kind::pointer ? "a null pointer" : "zeros"),
                "set it with zeKernelSetArgumentValue before the launch is appended");
            finding.sides.front().kernel = kernel.image().name;
            all.file.write(finding);
        }
        for (std::uint32_t i = 0; i < arguments.size(); ++i) {
            if (arguments[i].kind != binary::KernelArgument::Kind::pointer) continue;
            void* pointer = nullptr;
            const binary::Bytes& bytes = state.arguments()[i].bytes;
            std::memcpy(&pointer, bytes.data(), std::min(sizeof pointer, bytes.size()));
            if (pointer == nullptr || context.usm().find(pointer)) continue;
            const auto other = allocationWith(pointer);
            if (!other) continue;
            auto finding = mistake(MistakeKind::wrongContext,
                                   fmt::format("argument {} of kernel {} points to memory of another context than its "
                                               "command list's",
                                               i, kernel.image().name),
                                   "allocate the memory in the list's context");
            finding.sides.front().kernel = kernel.image().name;
            finding.object = objectOf(all, *other);
            all.file.write(finding);
        }
    });
}

}  // namespace zetl::emulator::driver
