#include "findings/cuda_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "findings/finding_text.h"
#include "run/cuda_tool.h"
#include "text/shell.h"

namespace zetl::command {
namespace {

constexpr const char* kDriverVariable = "ZE_ENABLE_ALT_DRIVERS";
constexpr std::string_view kNvidiaDriver = "libze_nvidia_gpu.so";

struct CudaCheck {
    check::Group group;
    const char* tool;  ///< of compute-sanitizer
};
constexpr CudaCheck kCudaChecks[] = {{check::Group::memory, "memcheck"},
                                     {check::Group::race, "racecheck"},
                                     {check::Group::barrier, "synccheck"},
                                     {check::Group::init, "initcheck"}};

}  // namespace

std::string nvidiaDriver() {
    const char* const all = std::getenv(kDriverVariable);
    std::string_view rest = all ? all : "";
    while (!rest.empty()) {
        const auto entry = rest.substr(0, rest.find(','));
        if (entry.find(kNvidiaDriver) != entry.npos) return std::string(entry);
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    }
    return {};
}

std::string cudaChecksText(const std::string& driver, const std::vector<std::string>& program,
                           const check::Groups& groups) {
    auto text = fmt::format("{}kernels on NVIDIA GPUs are not checked: zetl check needs the emulated GPU\n", kPrefix);
    const auto sanitizer = cudaTool("compute-sanitizer");
    if (sanitizer.empty())
        return text + fmt::format("{}compute-sanitizer, which checks them, is not installed: it is in CUDA's toolkit\n",
                                  kPrefix);
    std::string command;
    for (const auto& word : program) command += ' ' + shellWord(word);
    for (const auto& each : kCudaChecks)
        if (groups.has(each.group))
            text += fmt::format("{}to check them: {}={} {} --tool {}{}\n", kPrefix, kDriverVariable, shellWord(driver),
                                shellWord(sanitizer), each.tool, command);
    return text;
}

}  // namespace zetl::command
