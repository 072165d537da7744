// A program that opens a library before it uses a device: crowded_program LIBRARY. Ends with 0 if there is a device,
// and with 77 if the library itself found no room.
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>

int main(int count, char** words) {
    if (count != 2 || dlopen(words[1], RTLD_NOW) == nullptr) {
        std::fprintf(stderr, "crowded_program: %s\n", count == 2 ? dlerror() : "which library?");
        return 77;
    }
    std::uint32_t drivers = 0;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&drivers, nullptr) != ZE_RESULT_SUCCESS) return 1;
    std::printf("%u drivers\n", drivers);
    return drivers > 0 ? 0 : 1;
}
