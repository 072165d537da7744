// What zetl check says about calls: memory that is freed twice or while in use, objects that end before those that use
// them or never, arguments that were not set, lists in the wrong state. Each function does what the one of the
// same name without `checked` does, and returns its codes; what it finds changes nothing. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/command_queue.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/event_pool.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/context_memory.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/program/module.h"

namespace zetl::emulator::driver {

Result<void*> checkedAllocateOnDevice(Context& context, const ze_device_mem_alloc_desc_t& description, std::size_t size,
                                      std::size_t alignment, std::shared_ptr<Device> device);
Result<void*> checkedAllocateOnHost(Context& context, const ze_host_mem_alloc_desc_t& description, std::size_t size,
                                    std::size_t alignment);
Result<void*> checkedAllocateShared(Context& context, const ze_device_mem_alloc_desc_t& onDevice,
                                    const ze_host_mem_alloc_desc_t& onHost, std::size_t size, std::size_t alignment,
                                    std::shared_ptr<Device> device);
Status checkedFree(Context& context, void* pointer);
Status checkedFreeExt(Context& context, const ze_memory_free_ext_desc_t& description, void* pointer);
Status checkedCloseMemory(Context& context, const void* pointer);
Status checkedUnmapRange(const void* address, std::size_t bytes);
Status checkedReleaseRange(const void* address, std::size_t bytes);

Status checkedDestroyContext(Context& context);
Status checkedDestroyModule(Module& module);
Status checkedDestroyKernel(Kernel& kernel);
Status checkedDestroyQueue(CommandQueue& queue);
Status checkedDestroyList(CommandList& list);
Status checkedDestroyEvent(Event& event);
Status checkedDestroyPool(EventPool& pool);

/// The process ends: reports the memory that is still there.
void noteLeaksAtExit() noexcept;

/// A list is executed although it is open, or changed although it is closed or executed.
void noteListMisuse(const char* what) noexcept;
/// A list is reset or destroyed whose commands these are.
void noteListEnd(const CommandSequence* commands, const char* what) noexcept;
/// A kernel has printed, with these mistakes.
void notePrintf(const std::string& kernel, const std::vector<std::string>& mistakes) noexcept;
/// A copy or fill reaches bytes that are not the program's, or not any more.
void noteAccessOutside(const char* command, std::uint64_t address, std::uint64_t bytes, bool write) noexcept;
/// Whether bytes that no allocation has lie right behind one, in its last page: a copy from there or to there succeeds,
/// because the page is the process's. False if nothing is checked. Call it inside of the memory's reader.
bool isBehindAllocation(std::uint64_t address) noexcept;
/// A kernel is launched in this state.
void noteArguments(const Kernel& kernel, Context& context) noexcept;

}  // namespace zetl::emulator::driver
