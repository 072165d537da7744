#include "emulator/translate/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace zetl::emulator::translate {

std::unique_ptr<ExecutableMemory> ExecutableMemory::allocate(std::size_t bytes) noexcept {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* at = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    std::unique_ptr<ExecutableMemory> memory(new (std::nothrow) ExecutableMemory({static_cast<std::byte*>(at), whole}));
    if (!memory) munmap(at, whole);
    return memory;
}

ExecutableMemory::~ExecutableMemory() { munmap(bytes_.data(), bytes_.size()); }

bool ExecutableMemory::seal() noexcept { return mprotect(bytes_.data(), bytes_.size(), PROT_READ | PROT_EXEC) == 0; }

bool ExecutableMemory::permitted() noexcept {
    const auto memory = allocate(1);
    return memory && memory->seal();
}

}  // namespace zetl::emulator::translate
