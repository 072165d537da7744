// The objects that every sample needs first: a driver, its first GPU, a context, a queue and a kernel.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <string>
#include <vector>

namespace session {

/// The first GPU of the first driver that has one. Prints the reason and ends the program if there is none.
struct Session {
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_device_properties_t properties{};  // timer resolution in cycles per second (specification 1.2)

    Session();
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

/// A module built by the driver's compiler from OpenCL C, and one of its kernels. Prints the build log if the build
/// fails. The flags in SAMPLE_BUILD_FLAGS are passed to the driver's compiler as well. Debug information names `file`
/// as the source file.
struct Kernel {
    ze_module_handle_t module = nullptr;
    ze_kernel_handle_t kernel = nullptr;

    Kernel(const Session& session, const std::string& source, const char* name, const char* options = "",
           const char* file = "kernel.cl");
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
};

/// A command list that is filled, then executed and waited for.
struct Commands {
    ze_command_queue_handle_t queue = nullptr;
    ze_command_list_handle_t list = nullptr;

    explicit Commands(const Session& session);
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    /// Closes the list, executes it, waits for it and empties it.
    void run();
};

/// Device memory, freed with the object.
struct Buffer {
    const Session& session;
    void* pointer = nullptr;

    Buffer(const Session& session, std::size_t bytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
};

}  // namespace session
