#include "run/nvdisasm.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "run/cuda_tool.h"

namespace zetl::command {
namespace {

constexpr unsigned kDisassemblySeconds = 60;
constexpr std::size_t kLongestListing = std::size_t{256} << 20;

/// Where a file's sections are described, if all of that lies in it.
std::span<std::uint8_t> sectionHeaders(std::vector<std::uint8_t>& elf) {
    Elf64_Ehdr head;
    if (elf.size() < sizeof head) return {};
    std::memcpy(&head, elf.data(), sizeof head);
    const std::size_t bytes = std::size_t{head.e_shnum} * sizeof(Elf64_Shdr);
    const bool within =
        head.e_shentsize == sizeof(Elf64_Shdr) && head.e_shoff <= elf.size() && bytes <= elf.size() - head.e_shoff;
    return within ? std::span(elf).subspan(head.e_shoff, bytes) : std::span<std::uint8_t>();
}

/// A debug image's code has addresses, which nvdisasm does not take.
std::vector<std::uint8_t> withoutAddresses(std::span<const std::uint8_t> cubin) {
    std::vector<std::uint8_t> elf(cubin.begin(), cubin.end());
    const auto headers = sectionHeaders(elf);
    for (std::size_t at = 0; at < headers.size(); at += sizeof(Elf64_Shdr)) {
        Elf64_Shdr section;
        std::memcpy(&section, headers.data() + at, sizeof section);
        if (section.sh_type == SHT_PROGBITS) section.sh_addr = 0;
        std::memcpy(headers.data() + at, &section, sizeof section);
    }
    return elf;
}

/// The bytes as a file without a name; -1 if there is no room.
int cubinFile(std::span<const std::uint8_t> bytes) {
    const int file = memfd_create("zetl-cubin", 0);
    for (std::size_t at = 0; file >= 0 && at < bytes.size();) {
        const auto written = write(file, bytes.data() + at, bytes.size() - at);
        if (written > 0) at += static_cast<std::size_t>(written);
        if (written >= 0 || errno == EINTR) continue;
        close(file);
        return -1;
    }
    return file;
}

/// Makes calls that are allowed between fork and exec. The alarm ends the program if it does not end by itself.
[[noreturn]] void becomeDisassembler(const char* program, const char* file, int output) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    signal(SIGALRM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    alarm(kDisassemblySeconds);
    execl(program, program, "-c", file, static_cast<char*>(nullptr));
    _exit(127);
}

/// Up to a byte more than is allowed.
std::string listingFrom(int pipe) {
    std::string text;
    char part[1 << 16];
    while (text.size() <= kLongestListing) {
        const auto bytes = read(pipe, part, sizeof part);
        if (bytes > 0) text.append(part, static_cast<std::size_t>(bytes));
        if (bytes == 0 || (bytes < 0 && errno != EINTR)) break;
    }
    return text;
}

std::string whyNoListing(int status, std::size_t bytes) {
    if (bytes > kLongestListing) return fmt::format("prints more than {} MiB", kLongestListing >> 20);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return fmt::format("does not end within {} s", kDisassemblySeconds);
    if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return fmt::format("ended with code {}", WEXITSTATUS(status));
    return {};
}

std::string listingOf(const std::string& program, int file, std::string& why) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        why = "there is no descriptor for its output";
        return {};
    }
    const auto path = fmt::format("/proc/self/fd/{}", file);
    const pid_t child = fork();
    if (child == 0) becomeDisassembler(program.c_str(), path.c_str(), ends[1]);
    close(ends[1]);
    auto text = child > 0 ? listingFrom(ends[0]) : std::string();
    close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    why = child > 0 ? whyNoListing(status, text.size()) : "no process can be made";
    return why.empty() ? text : std::string();
}

}  // namespace

SassTexts disassembled(std::span<const std::uint8_t> cubin, std::string& why) {
    const auto program = cudaTool("nvdisasm");
    if (program.empty()) {
        why = "nvdisasm is not installed; install CUDA's toolkit, or add its directory to PATH";
        return {};
    }
    const int file = cubinFile(withoutAddresses(cubin));
    if (file < 0) {
        why = "no memory for the cubin";
        return {};
    }
    const auto listing = listingOf(program, file, why);
    close(file);
    auto texts = sassTextsIn(listing);
    if (why.empty() && texts.empty()) why = "prints no instructions";
    if (!why.empty()) why = fmt::format("{} {}", program, why);
    return texts;
}

}  // namespace zetl::command
