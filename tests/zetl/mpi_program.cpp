// A rank for `zetl trace --mpi`: mpi_program MPI_LIBRARY RANK_LIBRARY. The same program runs with any MPI library.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

int main(int count, char** words) {
    void* const library = count == 3 ? dlopen(words[1], RTLD_LAZY | RTLD_GLOBAL) : nullptr;
    void* const rank = library ? dlopen(words[2], RTLD_LAZY) : nullptr;
    const auto act =
        rank ? reinterpret_cast<int (*)(std::uintptr_t, std::uintptr_t)>(dlsym(rank, "actAsRank")) : nullptr;
    if (!act) {
        std::fprintf(stderr, "mpi_program: %s\n", count == 3 ? dlerror() : "MPI_LIBRARY RANK_LIBRARY");
        return 2;
    }
    // Open MPI has objects, MPICH has numbers.
    void* const world = dlsym(library, "ompi_mpi_comm_world");
    void* const byte = dlsym(library, "ompi_mpi_byte");
    return act(world ? reinterpret_cast<std::uintptr_t>(world) : 0x44000000,
               byte ? reinterpret_cast<std::uintptr_t>(byte) : 0x4c00010d);
}
