// The libraries that libzetl_mpi.so finds in the program: MPI itself, and the recorder.
#pragma once

#include <cstdint>

namespace zetl::mpi {

/// MPI's own function behind one that tools may replace: PMPI_Send for "MPI_Send". Null: no MPI library is loaded.
void* realFunction(const char* name) noexcept;

/// How the MPI library of this process names the communicator of all ranks.
struct World {
    std::uintptr_t handle = 0;
    bool isNumber = false;  ///< of 32 bits
    bool known = false;

    bool is(std::uintptr_t communicator) const noexcept {
        return known && (isNumber ? static_cast<std::uint32_t>(communicator) == handle : communicator == handle);
    }
};
const World& world() noexcept;

/// The recorder's functions; null if the process is not recorded.
struct Recorder {
    void (*beginCall)(const char* name, const char* library) = nullptr;
    void (*endCall)() = nullptr;
    void (*meeting)(std::uint64_t number, std::uint64_t entered, std::uint64_t left) = nullptr;
};
/// Loads it at the first call.
const Recorder* recorder() noexcept;

}  // namespace zetl::mpi
