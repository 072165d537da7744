#include "correlation/iga.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/mutex.h"

namespace zetl::correlation {
namespace {

// The library comes without its header. These are the three functions and two structures that are used; they have not
// changed since its first version.
struct ContextOptions {
    std::size_t bytes = sizeof(ContextOptions);
    std::uint32_t platform = 0;
};
constexpr std::uint32_t kNumericLabels = 1;
constexpr std::uint32_t kRealsAsBits = 4;
struct DisassembleOptions {
    std::uint32_t bytes = sizeof(DisassembleOptions);
    std::uint32_t formatting = kNumericLabels;
    std::uint32_t reserved[2] = {};
    std::uint32_t decoding = 0;
    std::uint32_t base = 0;
};
using Create = int (*)(const ContextOptions*, void**);
using Disassemble = int (*)(void*, const DisassembleOptions*, const void*, const char* (*)(std::int32_t, void*), void*,
                            char**);

constexpr std::size_t kInstructionBytes = 16;

/// Releases of the library, which know different architectures.
constexpr const char* kReleases[] = {"libiga64.so.1", "libiga64.so.2"};
constexpr const char* kPackages = "Debian: libigc1 for Xe-HPC, libigc2 for later ones";

/// The library, with a context for one architecture.
class Library {
  public:
    explicit Library(const isa::xe::Architecture& architecture) {
        bool isInstalled = false;
        for (const char* const release : kReleases) {
            void* const handle = dlopen(release, RTLD_NOW | RTLD_LOCAL);
            isInstalled |= handle != nullptr;
            if (handle && use(handle, architecture.igaPlatform)) return;
        }
        failure = isInstalled
                      ? fmt::format("the installed libiga64 does not know {} ({})", architecture.title, kPackages)
                      : fmt::format("libiga64 ({}) is not installed", kPackages);
    }

    std::string text(std::span<const std::uint8_t> code, Reals reals) {
        std::uint8_t bytes[kInstructionBytes] = {};
        std::copy_n(code.begin(), std::min(code.size(), kInstructionBytes), bytes);
        DisassembleOptions options;
        if (reals == Reals::bits) options.formatting |= kRealsAsBits;
        char* text = nullptr;
        const Lock guard(mutex_);  // the text belongs to the context
        if (disassemble_(context_, &options, bytes, nullptr, nullptr, &text) != 0 || !text) return {};
        std::string line(text);
        line.resize(line.find_last_not_of(" \n") + 1);
        std::ranges::replace(line, '\n', ' ');
        return line;
    }

    std::string failure;

  private:
    bool use(void* library, std::uint32_t platform) {
        const auto create = reinterpret_cast<Create>(dlsym(library, "iga_context_create"));
        disassemble_ = reinterpret_cast<Disassemble>(dlsym(library, "iga_context_disassemble_instruction"));
        const ContextOptions options{.platform = platform};
        const Lock guard(mutex_);
        return create && disassemble_ && create(&options, &context_) == 0;
    }

    Mutex mutex_;
    Disassemble disassemble_ = nullptr;
    void* context_ ZETL_GUARDED_BY(mutex_) = nullptr;
};

/// Never destroyed, since the library itself stays loaded.
Library& libraryFor(const isa::xe::Architecture& architecture) {
    static Mutex mutex;
    static auto* const opened = new std::map<const isa::xe::Architecture*, Library>;
    const Lock guard(mutex);
    return opened->try_emplace(&architecture, architecture).first->second;
}

}  // namespace

const std::string& withoutIga(const isa::xe::Architecture& architecture) { return libraryFor(architecture).failure; }

std::string igaText(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> code, Reals reals) {
    Library& library = libraryFor(architecture);
    return library.failure.empty() ? library.text(code, reals) : std::string();
}

}  // namespace zetl::correlation
