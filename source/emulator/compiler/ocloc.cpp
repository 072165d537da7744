#include "emulator/compiler/ocloc.h"

#include <dlfcn.h>

#include <string_view>

namespace zetl::emulator::compiler {
namespace {

class Ocloc {
  public:
    /// Nothing, and the reason, if the library cannot be used.
    static std::optional<Ocloc> load(const std::string& library, std::string& reason) {
        void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            reason =
                std::string("the compiler cannot be loaded (") + dlerror() + "); install intel-opencl-icd and libigc1";
            return std::nullopt;
        }
        const auto invoke = reinterpret_cast<Invoke>(dlsym(handle, "oclocInvoke"));
        const auto free = reinterpret_cast<Free>(dlsym(handle, "oclocFreeOutput"));
        if (invoke != nullptr && free != nullptr) return Ocloc(invoke, free);
        reason = library + " does not export oclocInvoke and oclocFreeOutput";
        return std::nullopt;
    }

    Answer invoke(const Command& command) const {
        std::vector<const char*> words{"ocloc"}, names;
        for (const std::string& argument : command.arguments) words.push_back(argument.c_str());
        std::vector<const std::uint8_t*> data;
        std::vector<std::uint64_t> sizes;
        for (const Command::File& file : command.files) {
            names.push_back(file.name.c_str());
            data.push_back(file.bytes.data());
            sizes.push_back(file.bytes.size());
        }
        Outputs outputs;
        Answer answer;
        answer.code = invoke_(static_cast<unsigned>(words.size()), words.data(),
                              static_cast<std::uint32_t>(data.size()), data.data(), sizes.data(), names.data(), 0,
                              nullptr, nullptr, nullptr, &outputs.count, &outputs.data, &outputs.sizes, &outputs.names);
        for (std::uint32_t i = 0; i < outputs.count; ++i) {
            const std::string_view name = outputs.names[i];
            const std::span content(outputs.data[i], outputs.sizes[i]);
            if (name == "stdout.log") answer.log.assign(content.begin(), content.end());
            if (name == kOutputFile && answer.code == 0) answer.output.assign(content.begin(), content.end());
        }
        free_(&outputs.count, &outputs.data, &outputs.sizes, &outputs.names);
        return answer;
    }

  private:
    using Invoke = int (*)(unsigned, const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*,
                           const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*, const char**,
                           std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    using Free = int (*)(std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    struct Outputs {
        std::uint32_t count = 0;
        std::uint8_t** data = nullptr;
        std::uint64_t* sizes = nullptr;
        char** names = nullptr;
    };
    Ocloc(Invoke invoke, Free free) : invoke_(invoke), free_(free) {}
    Invoke invoke_;
    Free free_;
};

}  // namespace

Answer runHere(const Command& command) {
    std::string reason;
    const auto ocloc = Ocloc::load(command.library, reason);
    if (!ocloc) return Answer::unusable(std::move(reason));
    return command.arguments.empty() ? Answer{} : ocloc->invoke(command);
}

}  // namespace zetl::emulator::compiler
