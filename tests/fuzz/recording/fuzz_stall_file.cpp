// Any bytes as what a sampled program left for `zetl stalls`: its lines, and behind the first zero a module's image.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "metrics/stall_profile.h"

namespace {

/// In memory where the system has such a place; gone with the process that ends by itself.
struct Directory {
    Directory() {
        if (mkdtemp(path.data()) == nullptr) std::abort();
    }
    ~Directory() { std::filesystem::remove_all(path); }
    std::string path = std::filesystem::exists("/dev/shm") ? "/dev/shm/stallsXXXXXX" : "/tmp/stallsXXXXXX";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Directory directory;
    const auto* const end = data + size;
    const auto* const zero = std::find(data, end, 0);
    const auto write = [](const std::string& name, const std::uint8_t* from, const std::uint8_t* to) {
        std::ofstream(directory.path + "/" + name, std::ios::binary)
            .write(reinterpret_cast<const char*>(from), to - from);
    };
    write("7-0.stalls", data, zero);
    write("7-0-1.image", zero == end ? end : zero + 1, end);
    const zetl::command::StallProfile profile(directory.path);
    if (profile.kernels().empty() != (profile.mapped() == 0)) std::abort();
    return 0;
}
