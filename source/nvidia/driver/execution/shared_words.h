// The memory of an event pool that several processes use.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace zetl::nvidia {

/// The bytes that a process passes to another one. Programs send the descriptor in the first four by SCM_RIGHTS and put
/// the received number in its place; otherwise it is fetched from the process that made the handle.
struct SharedWordsHandle {
    std::int32_t descriptor;
    std::uint32_t mark;
    std::int32_t process;  ///< that made the handle
    std::uint32_t count;   ///< of events
    std::uint64_t inode;   ///< of the file, with `device`
    std::uint64_t device;
    ze_event_pool_flags_t flags;
};
static_assert(sizeof(SharedWordsHandle) <= ZE_MAX_IPC_HANDLE_SIZE);

/// A file in memory, mapped, whose size nobody can change. Owns both.
class SharedWords {
  public:
    /// OUT_OF_HOST_MEMORY.
    static Result<SharedWords> create(std::size_t bytes);
    /// The memory behind a handle of another process. Handles are bytes that anybody can write: INVALID_ARGUMENT for a
    /// file that is not a sealed one of this size.
    static Result<SharedWords> open(const SharedWordsHandle& handle, std::size_t bytes);
    SharedWords() = default;
    SharedWords(FileDescriptor file, void* memory, std::size_t bytes) noexcept
        : file_(std::move(file)), memory_(memory), bytes_(bytes) {}
    SharedWords(SharedWords&& other) noexcept;
    SharedWords& operator=(SharedWords&& other) noexcept;
    ~SharedWords();

    void* memory() const noexcept { return memory_; }
    std::size_t bytes() const noexcept { return bytes_; }
    SharedWordsHandle handle(std::uint32_t count, ze_event_pool_flags_t flags) const;

  private:
    FileDescriptor file_;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// INVALID_ARGUMENT if this driver did not make the bytes.
Result<SharedWordsHandle> readSharedWordsHandle(const ze_ipc_event_pool_handle_t& bytes);

}  // namespace zetl::nvidia
