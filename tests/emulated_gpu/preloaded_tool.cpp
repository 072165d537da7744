// A tool as one preloads it: leaves a file beside itself for each process that it is in.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace {

__attribute__((constructor)) void leaveFile() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&leaveFile), &here) == 0) return;
    const std::string name = std::string(here.dli_fname) + "." + std::to_string(getpid());
    close(open(name.c_str(), O_WRONLY | O_CREAT, 0600));
}

}  // namespace
