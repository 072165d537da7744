#include "compiler/workplace.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "compiler/environment.h"

namespace zetl::compiler {
namespace {

/// Whether a list of directories has one that is found from the working directory. An empty one is that directory.
bool hasRelative(std::string_view list) {
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(':', at), list.size());
        if (end == at || list[at] != '/') return true;
        at = end + 1;
    }
    return false;
}

bool dependsOnDirectory() {
    const char* libraries = std::getenv("LD_LIBRARY_PATH");
    if (libraries != nullptr && *libraries != 0 && hasRelative(libraries)) return true;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (isForDevelopers(*variable)) return true;
    return false;
}

}  // namespace

Workplace::Workplace(Command& command) {
    namespace fs = std::filesystem;
    if (dependsOnDirectory()) return;
    std::error_code failure;
    const bool named = command.library.find('/') != std::string::npos;
    const fs::path library = named ? fs::absolute(command.library, failure) : fs::path(command.library);
    const fs::path temporary = failure ? fs::path() : fs::temp_directory_path(failure);
    if (failure) return;
    std::string name = fs::absolute(temporary, failure) / "zetl_compiler.XXXXXX";
    if (failure || mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    command.library = library;
}

Workplace::~Workplace() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

void Workplace::enter() const noexcept {
    [[maybe_unused]] const int entered = path_.empty() ? 0 : chdir(path_.c_str());
}

}  // namespace zetl::compiler
