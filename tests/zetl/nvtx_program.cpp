// A program for `zetl trace` to run that marks ranges by NVTX. In the place of NVTX's headers it has what they do at
// the first call: it loads the library that NVTX_INJECTION64_PATH names and has it set the functions behind the calls.
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

namespace {

using Any = void (*)();

struct Attributes {
    std::uint16_t version = 3;
    std::uint16_t bytes = 48;
    std::uint32_t category = 0;
    std::int32_t colorType = 0;
    std::uint32_t color = 0;
    std::int32_t payloadType = 0;
    std::int32_t reserved = 0;
    std::uint64_t payload = 0;
    std::int32_t textType = 0;
    const void* text = nullptr;
};

// Where the calls go, by the numbers of the functions.
std::array<Any, 16> core{};
std::array<Any, 16> domains{};
std::array<Any*, 16> coreTable{};
std::array<Any*, 16> domainTable{};

int functionsOf(std::uint32_t module, Any*** table, std::uint32_t* entries) {
    if (module != 1 && module != 5) return 0;
    *table = module == 1 ? coreTable.data() : domainTable.data();
    *entries = 16;
    return 1;
}

struct Callbacks {
    std::size_t bytes = sizeof(Callbacks);
    int (*functionsOf)(std::uint32_t, Any***, std::uint32_t*) = ::functionsOf;
};

const void* tableOf(std::uint32_t number) {
    static const Callbacks callbacks;
    return number == 1 ? &callbacks : nullptr;
}

int load() {
    for (std::size_t i = 1; i < core.size(); ++i) {  // there is no function 0
        coreTable[i] = &core[i];
        domainTable[i] = &domains[i];
    }
    const char* name = std::getenv("NVTX_INJECTION64_PATH");
    void* const library = name ? dlopen(name, RTLD_LAZY) : nullptr;
    const auto connect =
        library ? reinterpret_cast<int (*)(const void* (*)(std::uint32_t))>(dlsym(library, "InitializeInjectionNvtx2"))
                : nullptr;
    if (!connect) return 1;
    return connect(tableOf) == 1 ? 0 : 2;
}

template <class F>
F* as(Any function) {
    return reinterpret_cast<F*>(function);
}

int push(const char* text) { return as<int(const char*)>(core[9])(text); }
int pop() { return as<int()>(core[11])(); }

/// The levels that the calls return.
int markAll() {
    if (push("outer") != 0 || as<int(const wchar_t*)>(core[10])(L"wide \u00e9\u20ac") != 1) return 3;
    zeInit(0);
    if (pop() != 1 || pop() != 0) return 4;
    const auto* domain = as<const void*(const char*)>(domains[12])("solver.example");
    const auto* text = as<const void*(const void*, const char*)>(domains[10])(domain, "registered");
    Attributes attributes;
    attributes.textType = 3;
    attributes.text = text;
    if (as<int(const void*, const Attributes*)>(domains[4])(domain, &attributes) != 0) return 5;
    attributes.textType = 1;
    attributes.text = "inside";
    if (as<int(const Attributes*)>(core[8])(&attributes) != 1) return 6;
    if (pop() != 1 || as<int(const void*)>(domains[5])(domain) != 0) return 7;
    return core[1] ? 8 : 0;  // marks are left alone
}

/// Ranges that overlap; one ends on another thread than it starts on.
int startAndEndAll() {
    const auto end = [](std::uint64_t range) { as<void(std::uint64_t)>(core[7])(range); };
    const auto* domain = as<const void*(const char*)>(domains[12])("solver.example");
    Attributes attributes;
    attributes.textType = 1;
    attributes.text = "with attributes";
    const auto first = as<std::uint64_t(const char*)>(core[5])("started first");
    const auto second = as<std::uint64_t(const void*, const Attributes*)>(domains[2])(domain, &attributes);
    end(first);
    end(first);  // is over
    const auto third = as<std::uint64_t(const wchar_t*)>(core[6])(L"wide too");
    std::thread([&] { as<void(const void*, std::uint64_t)>(domains[3])(domain, second); }).join();
    attributes.text = "left open";
    const auto fourth = as<std::uint64_t(const Attributes*)>(core[4])(&attributes);
    end(third);
    end(0);
    end(~std::uint64_t(0));
    const std::set<std::uint64_t> numbers = {0, first, second, third, fourth};
    return numbers.size() == 5 ? 0 : 9;
}

}  // namespace

int main() {
    const int failure = load();
    const int code = failure != 0 ? failure : std::max(markAll(), startAndEndAll());
    if (code != 0) std::fprintf(stderr, "nvtx_program: step %d failed\n", code);
    return code;
}
