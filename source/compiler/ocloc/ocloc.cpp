#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "compiler/worker.h"

namespace zetl::compiler {
namespace {

/// What one command gave, freed with the library's own function.
class Outputs {
  public:
    using Free = int (*)(std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    explicit Outputs(Free free) : free_(free) {}
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;
    ~Outputs() { free_(&count, &data, &sizes, &names); }

    std::string_view name(std::uint32_t i) const { return names[i]; }
    std::span<const std::uint8_t> content(std::uint32_t i) const { return {data[i], sizes[i]}; }
    std::string text(std::string_view wanted) const {
        for (std::uint32_t i = 0; i < count; ++i)
            if (name(i) == wanted) return {content(i).begin(), content(i).end()};
        return {};
    }

    std::uint32_t count = 0;
    std::uint8_t** data = nullptr;
    std::uint64_t* sizes = nullptr;
    char** names = nullptr;

  private:
    Free free_;
};

constexpr const char* kHowToInstall =
    "install it: apt install intel-opencl-icd libigc1 (Debian 12), or pip install ze-tools-layer-compiler";

/// Since 23.1 compilers add a suffix even when asked to add none.
bool isOutput(std::string_view name) { return name == kOutputFile || name == std::string(kOutputFile) + ".bin"; }

class Ocloc {
  public:
    /// Nothing, and the reason, if the library cannot be used.
    static std::optional<Ocloc> load(const std::string& library, std::string& reason) {
        void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            reason = std::string("the compiler cannot be loaded (") + dlerror() + "); " + kHowToInstall;
            return std::nullopt;
        }
        const auto invoke = reinterpret_cast<Invoke>(dlsym(handle, "oclocInvoke"));
        const auto free = reinterpret_cast<Outputs::Free>(dlsym(handle, "oclocFreeOutput"));
        if (invoke != nullptr && free != nullptr) return Ocloc(handle, invoke, free);
        reason = library + " does not export oclocInvoke and oclocFreeOutput";
        return std::nullopt;
    }

    /// The file that was loaded, and the version of its driver.
    std::string identity() const {
        constexpr const char* kVersion = "OCL_DRIVER_VERSION";
        Outputs outputs(free_);
        const link_map* loaded = nullptr;
        std::string text = dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) == 0 ? loaded->l_name : "libocloc";
        call({"query", kVersion}, {}, outputs);
        std::string version = outputs.text(kVersion);
        version.erase(std::find_if(version.begin(), version.end(), [](char c) { return c <= ' '; }), version.end());
        return version.empty() ? text : text + ", version " + version;
    }

    Answer invoke(const std::vector<std::string>& arguments, const std::vector<Command::File>& files) const {
        Outputs outputs(free_);
        Answer answer;
        answer.code = call(arguments, files, outputs);
        answer.log = outputs.text("stdout.log");
        std::string others;
        for (std::uint32_t i = 0; i < outputs.count; ++i) {
            const auto content = outputs.content(i);
            if (isOutput(outputs.name(i)) && answer.code == 0) answer.output.assign(content.begin(), content.end());
            others.append(" ").append(outputs.name(i));
        }
        if (answer.code == 0 && answer.output.empty())
            answer.log += std::string("the compiler gave no file ") + kOutputFile + "; it gave:" + others + "\n";
        return answer;
    }

  private:
    using Invoke = int (*)(unsigned, const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*,
                           const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*, const char**,
                           std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    Ocloc(void* handle, Invoke invoke, Outputs::Free free) : handle_(handle), invoke_(invoke), free_(free) {}

    int call(const std::vector<std::string>& arguments, const std::vector<Command::File>& files,
             Outputs& outputs) const {
        std::vector<const char*> words{"ocloc"};
        std::vector<const char*> names;
        for (const std::string& argument : arguments) words.push_back(argument.c_str());
        std::vector<const std::uint8_t*> data;
        std::vector<std::uint64_t> sizes;
        for (const Command::File& file : files) {
            names.push_back(file.name.c_str());
            data.push_back(file.bytes.data());
            sizes.push_back(file.bytes.size());
        }
        return invoke_(static_cast<unsigned>(words.size()), words.data(), static_cast<std::uint32_t>(data.size()),
                       data.data(), sizes.data(), names.data(), 0, nullptr, nullptr, nullptr, &outputs.count,
                       &outputs.data, &outputs.sizes, &outputs.names);
    }

    void* handle_;
    Invoke invoke_;
    Outputs::Free free_;
};

/// This program and every library of its process: which compiler this was. It opens its parts when it first builds
/// something.
std::vector<FileStamp> loadedFiles() {
    std::vector<FileStamp> files;
    // Where a bundle's dynamic linker has started this program, /proc/self/exe is the linker.
    if (Dl_info here{}; dladdr(reinterpret_cast<const void*>(&loadedFiles), &here) != 0 && here.dli_fname != nullptr)
        if (auto file = FileStamp::of(here.dli_fname)) files.push_back(*std::move(file));
    std::string self(PATH_MAX, 0);
    const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
    self.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    if (auto file = FileStamp::of(self)) files.push_back(*std::move(file));
    const auto note = [](dl_phdr_info* library, std::size_t, void* all) {
        if (auto file = library->dlpi_name[0] == '/' ? FileStamp::of(library->dlpi_name) : std::nullopt)
            static_cast<std::vector<FileStamp>*>(all)->push_back(*std::move(file));
        return 0;
    };
    dl_iterate_phdr(note, &files);
    return files;
}

/// Which parts it consists of is known only if they stayed loaded until the end.
bool isComplete(const std::vector<FileStamp>& made) {
    return std::any_of(made.begin(), made.end(),
                       [](const FileStamp& file) { return file.path.find("libigc") != std::string::npos; });
}

void addOptions(std::vector<std::string>& arguments, const std::string& more) {
    constexpr const char* kOptions = "-options";
    if (more.empty()) return;
    auto options = std::find(arguments.begin(), arguments.end(), kOptions);
    if (options == arguments.end()) {
        arguments.insert(arguments.end(), {kOptions, more});
    } else if (++options != arguments.end()) {
        *options += ' ' + more;
    }
}

}  // namespace

Answer runHere(const Command& command) {
    std::string reason;
    const auto ocloc = Ocloc::load(command.library, reason);
    if (!ocloc) return Answer::unusable(std::move(reason));
    const std::string identity = ocloc->identity();
    std::vector<std::string> arguments = command.arguments;
    if (isOlder(identity)) addOptions(arguments, command.olderOptions);
    Answer answer = arguments.empty() ? Answer{} : ocloc->invoke(arguments, command.files);
    answer.compiler = identity;
    answer.made = loadedFiles();
    if (!isComplete(answer.made)) answer.made.clear();
    return answer;
}

}  // namespace zetl::compiler
