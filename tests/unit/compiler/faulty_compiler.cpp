// libocloc's interface with a compiler behind it that does what its first argument says: "link" puts its inputs one
// behind the other, and "compile" gives its input back, unless that has vector code's merging loads, at which it fails
// as old compilers do. Both add themselves to the file that the variable IGC_FAULTY_TOLD names; IGC_FAULTY_VERSION is
// the version that it reports.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

template <class T>
T* allocate(std::size_t count) {
    return static_cast<T*>(std::calloc(count, sizeof(T)));
}

/// The one output.
void give(const char* name, const std::string& bytes, std::uint8_t*** data, std::uint64_t** sizes, char*** names) {
    *data = allocate<std::uint8_t*>(1);
    *sizes = allocate<std::uint64_t>(1);
    *names = allocate<char*>(1);
    **data = allocate<std::uint8_t>(bytes.size());
    std::memcpy(**data, bytes.data(), bytes.size());
    **sizes = bytes.size();
    **names = strdup(name);
}

std::string environment() {
    std::string text;
    for (char** variable = environ; *variable != nullptr; ++variable) text.append(*variable).append("\n");
    return text;
}

/// As many bytes of one value as the command's number says, unless it is a word.
std::string answerTo(const std::string& what) {
    if (what == "environment") return environment();
    if (const char* version = std::getenv("IGC_FAULTY_VERSION"); version != nullptr && what == "query") return version;
    if (what == "query") return std::string(4, '9');
    return std::string(std::strtoul(what.c_str(), nullptr, 10), 7);
}

/// As deep as compilers go: 16 MiB of stack.
unsigned recurse(unsigned depth) {
    volatile char frame[1 << 10] = {};
    frame[depth % sizeof frame] = 1;
    return depth == 0 ? frame[0] : frame[1] + recurse(depth - 1);
}

void tell(const std::string& what) {
    if (const char* file = std::getenv("IGC_FAULTY_TOLD")) std::ofstream(file, std::ios::app) << what << ' ';
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int oclocInvoke(
    unsigned count, const char** words, std::uint32_t inputs, const std::uint8_t** input,
    const std::uint64_t* inputBytes, const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*,
    const char**, std::uint32_t* outputs, std::uint8_t*** data, std::uint64_t** sizes, char*** names) {
    const std::string what = words[1];
    if (what == "exit") {
        std::fputs("last words", stderr);
        std::exit(3);
    }
    if (what == "exit well") std::exit(0);
    if (what == "abort") std::abort();
    for (int i = 0; what.starts_with("chatter") && i < 100'000; ++i)
        std::puts("a line of forty characters, again and again");
    if (what == "chatter and exit") std::exit(1);
    if (what == "deep") recurse(16 << 10);
    if (what == "list") std::ofstream("kernel.errors.txt") << "what was wrong" << std::endl;
    if (what == "tell") std::ofstream(words[2]) << getpid() << std::endl;
    for (volatile bool on = what == "loop" || what == "tell"; on;) {
    }
    if (what == "words") {
        std::string all;
        for (unsigned i = 2; i < count; ++i) all.append("[").append(words[i]).append("]");
        *outputs = 1;
        give("module", all, data, sizes, names);
        return 0;
    }
    if (what == "link" || what == "compile") {
        tell(what);
        std::string all;
        for (std::uint32_t i = 0; i < inputs; ++i) all.append(reinterpret_cast<const char*>(input[i]), inputBytes[i]);
        if (what == "compile" && all.find("lsc.load.merge.") != std::string::npos) return 1;
        *outputs = 1;
        give("module", all, data, sizes, names);
        return 0;
    }
    *outputs = 1;
    give(count > 2 ? words[2] : "module", answerTo(what), data, sizes, names);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int oclocFreeOutput(std::uint32_t* outputs, std::uint8_t*** data,
                                                                      std::uint64_t** sizes, char*** names) {
    if (*outputs == 0) return 0;
    std::free(**data);
    std::free(**names);
    std::free(*data);
    std::free(*sizes);
    std::free(*names);
    return 0;
}
