#include "emulator/driver/execution/event_pool.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <new>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/memory/shared_file.h"

namespace zetl::emulator::driver {
namespace {

constexpr ze_event_pool_flags_t kKnownPoolFlags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC |
                                                  ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP |
                                                  ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
constexpr ze_event_pool_counter_based_exp_flags_t kForImmediateLists = ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE;
constexpr ze_event_pool_counter_based_exp_flags_t kPoolListKinds =
    kForImmediateLists | ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_NON_IMMEDIATE;
static_assert(kForImmediateLists == ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE);
constexpr std::uint32_t kMostEvents = 1u << 24;

/// Maps `count` states of the file, or of fresh private memory if there is no file. Throws bad_alloc.
std::shared_ptr<SignalState> mapStates(const FileDescriptor& file, std::uint32_t count) {
    const std::size_t bytes = std::size_t{count} * sizeof(SignalState);
    const int sharing = file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing, file.get(), 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<SignalState*>(memory), [bytes](SignalState* states) { munmap(states, bytes); }};
}

FileDescriptor sharedFile(std::uint32_t count) {
    FileDescriptor file =
        machine::shared_file::create(machine::shared_file::Content::events, std::size_t{count} * sizeof(SignalState));
    if (!file) throw std::bad_alloc();
    return file;
}

Status check(const ze_event_pool_desc_t& description, const ze_event_pool_counter_based_exp_desc_t* counted) {
    if (description.flags & ~kKnownPoolFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (description.count > kMostEvents)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "{} events in one pool; at most {}", description.count,
                      kMostEvents);
    if (counted && (description.flags & ZE_EVENT_POOL_FLAG_IPC))
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "a pool of counter-based events cannot be shared between processes; share events of "
                      "zeEventCounterBasedCreate");
    if (counted && counted->flags != 0 && !(counted->flags & kPoolListKinds))
        return refuse(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "counter-based flags {:#x} name no kind of list; set ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE "
            "or ..._NON_IMMEDIATE",
            counted->flags);
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Result<std::shared_ptr<EventPool>> EventPool::create(std::shared_ptr<Context> context,
                                                     const ze_event_pool_desc_t& description, std::uint32_t deviceCount,
                                                     ze_device_handle_t* devices) {
    const auto* const counted = findInChain<ze_event_pool_counter_based_exp_desc_t>(
        &description, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC);
    if (const Status bad = check(description, counted); bad != ZE_RESULT_SUCCESS) return bad;
    Parts parts;
    parts.device = Driver::instance().devices().front();
    if (deviceCount != 0 && !devices) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (std::uint32_t i = 0; i < deviceCount; ++i) {
        auto device = find<Device>(devices[i]);
        if (!device) return device.code();
        if (i == 0) parts.device = *std::move(device);
    }
    if (description.flags & ZE_EVENT_POOL_FLAG_IPC) parts.file = sharedFile(description.count);
    parts.context = std::move(context);
    parts.states = mapStates(parts.file, description.count);
    parts.count = description.count;
    parts.flags = description.flags;
    parts.counterBased = counted != nullptr;
    if (counted) parts.counterFlags = counted->flags ? counted->flags : kForImmediateLists;
    return std::make_shared<EventPool>(std::move(parts));
}

std::shared_ptr<EventPool> EventPool::createCounter(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                    ze_event_pool_flags_t flags) {
    Parts parts;
    if (flags & ZE_EVENT_POOL_FLAG_IPC) {
        parts.file = sharedFile(1);
        parts.states = mapStates(parts.file, 1);
    }
    parts.context = std::move(context);
    parts.device = std::move(device);
    parts.count = 1;
    parts.flags = flags;
    parts.counterBased = true;
    return std::make_shared<EventPool>(std::move(parts));
}

Result<std::shared_ptr<EventPool>> EventPool::open(std::shared_ptr<Context> context, const IpcHandle& handle) {
    auto file = openIpcHandle(handle);
    if (!file) return file.code();
    struct stat status {};
    const auto count = static_cast<std::uint32_t>(handle.offset);
    if (count == 0 || count > kMostEvents || fstat(file->get(), &status) != 0 ||
        static_cast<std::size_t>(status.st_size) < std::size_t{count} * sizeof(SignalState))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle's file does not hold its {} events", count);
    Parts parts;
    parts.device = Driver::instance().devices().front();
    parts.context = std::move(context);
    parts.states = mapStates(*file, count);
    parts.file = *std::move(file);
    parts.count = count;
    parts.flags = handle.flags & kKnownPoolFlags;
    parts.counterBased = handle.kind == IpcHandle::Kind::counterEvent;
    parts.opened = true;
    return std::make_shared<EventPool>(std::move(parts));
}

Result<IpcHandle> EventPool::ipcHandle() const {
    if (!parts_.file)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not created with the flag for use by other processes");
    IpcHandle handle = makeIpcHandle(parts_.counterBased ? IpcHandle::Kind::counterEvent : IpcHandle::Kind::eventPool,
                                     parts_.file.get());
    handle.flags = parts_.flags;
    handle.offset = parts_.count;
    return handle;
}

std::shared_ptr<SignalState> EventPool::state(std::uint32_t index) const {
    return std::shared_ptr<SignalState>(parts_.states, parts_.states.get() + index);
}

Result<std::shared_ptr<EventPool>> EventPool::openHandle(std::shared_ptr<Context> context,
                                                         const ze_ipc_event_pool_handle_t& bytes) {
    const auto handle = readIpcHandle(IpcHandle::Kind::eventPool, &bytes);
    if (!handle) return handle.code();
    return open(std::move(context), *handle);
}

Status EventPool::putHandle(const ze_ipc_event_pool_handle_t& handle) {
    return readIpcHandle(IpcHandle::Kind::eventPool, &handle).code();
}

Status EventPool::getIpcHandle(ze_ipc_event_pool_handle_t& out) const {
    const auto handle = ipcHandle();
    if (!handle) return handle.code();
    writeIpcHandle(*handle, out);
    return ZE_RESULT_SUCCESS;
}

Status EventPool::close() {
    if (!opened())
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the pool was created, not opened; destroy it instead");
    live<EventPool>().remove(handle());
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
