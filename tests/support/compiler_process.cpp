// libocloc's interface, served by the `ocloc` command in a process of its own: the compiler cannot be loaded into a
// process under a sanitizer, whose run time refuses the dlopen flags it uses. Builds with ZETL_SANITIZE load this
// library.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Workplace {
    fs::path path;
    Workplace() {
        std::string pattern = (fs::temp_directory_path() / "zetl-compiler-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Workplace() { fs::remove_all(path); }
};

std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs the command in the directory; its output goes to the file `log` there.
int run(const fs::path& directory, std::vector<std::string> arguments) {
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, "ocloc", &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failure != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

template <class T>
T* allocate(std::size_t count) {
    return static_cast<T*>(std::calloc(count + 1, sizeof(T)));
}

void give(std::uint32_t index, const char* name, const std::string& content, std::uint8_t** data, std::uint64_t* sizes,
          char** names) {
    data[index] = allocate<std::uint8_t>(content.size());
    std::memcpy(data[index], content.data(), content.size());
    sizes[index] = content.size();
    names[index] = strdup(name);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int oclocInvoke(
    unsigned count, const char** words, std::uint32_t sourceCount, const std::uint8_t** sources,
    const std::uint64_t* sourceSizes, const char** sourceNames, std::uint32_t, const std::uint8_t**,
    const std::uint64_t*, const char**, std::uint32_t* outputs, std::uint8_t*** data, std::uint64_t** sizes,
    char*** names) {
    const Workplace workplace;
    std::vector<std::string> arguments(words, words + count);
    std::string outputName = "output";
    for (unsigned i = 0; i + 1 < count; ++i)
        if (arguments[i] == "-output" || arguments[i] == "-out") outputName = arguments[i + 1];
    std::erase(arguments, "-q");  // as a command it would keep the build log to itself
    if (arguments[1] != "link") arguments.insert(arguments.end(), {"-out_dir", "."});
    for (std::uint32_t i = 0; i < sourceCount; ++i) {
        // A text source ends with the NUL its in-memory form needs; the file must not.
        std::uint64_t size = sourceSizes[i];
        if (std::string_view(sourceNames[i]).ends_with(".cl") && size != 0 && sources[i][size - 1] == 0) --size;
        std::ofstream(workplace.path / sourceNames[i], std::ios::binary)
            .write(reinterpret_cast<const char*>(sources[i]), static_cast<std::streamsize>(size));
    }
    const int code = run(workplace.path, std::move(arguments));
    *data = allocate<std::uint8_t*>(2);
    *sizes = allocate<std::uint64_t>(2);
    *names = allocate<char*>(2);
    *outputs = 2;
    give(0, outputName.c_str(), contents(workplace.path / outputName), *data, *sizes, *names);
    give(1, "stdout.log", contents(workplace.path / "log"), *data, *sizes, *names);
    return code;
}

extern "C" __attribute__((visibility("default"))) int oclocFreeOutput(std::uint32_t* outputs, std::uint8_t*** data,
                                                                      std::uint64_t** sizes, char*** names) {
    for (std::uint32_t i = 0; i < *outputs; ++i) {
        std::free((*data)[i]);
        std::free((*names)[i]);
    }
    std::free(*data);
    std::free(*sizes);
    std::free(*names);
    return 0;
}
