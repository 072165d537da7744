// Ranges that programs mark by NVIDIA's NVTX. A program that uses NVTX loads, at its first call, the library that
// NVTX_INJECTION64_PATH names, and calls its InitializeInjectionNvtx2.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "recorder/lanes.h"
#include "recorder/ranges.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

// The part of version 3's binary interface that is used.

using NvtxFunction = void (*)();
using NvtxTable = NvtxFunction**;  // for each function of a module, where the program keeps its address; may be null
struct NvtxCallbacks {
    std::size_t bytes;
    int (*functionsOf)(std::uint32_t module, NvtxTable* table, std::uint32_t* entries);
};
constexpr std::uint32_t kNvtxCallbacks = 1;  // a table of the program
constexpr std::uint32_t kNvtxCore = 1;       // modules
constexpr std::uint32_t kNvtxDomains = 5;
enum class NvtxText : std::int32_t { none, narrow, wide, registered };
struct NvtxAttributes {
    std::uint16_t version;
    std::uint16_t bytes;
    std::uint32_t category;
    std::int32_t colorType;
    std::uint32_t color;
    std::int32_t payloadType;
    std::int32_t reserved;
    std::uint64_t payload;
    NvtxText textType;
    const void* text;
};
static_assert(sizeof(NvtxAttributes) == 48);

/// Domains and registered texts. Programs keep their addresses, so none is ever removed.
const std::string* kept(std::string text) noexcept try {
    static std::mutex mutex;
    static auto* const all = new std::set<std::string>;
    const std::lock_guard guard(mutex);
    return &*all->insert(std::move(text)).first;
} catch (const std::bad_alloc&) {
    return nullptr;
}

/// In UTF-8.
void appendLetter(std::string& text, char32_t letter) {
    constexpr char32_t kLow = 0x3f;
    const auto rest = [&](int shift) { text += static_cast<char>(0x80 | (letter >> shift & kLow)); };
    if (letter < 0x80) {
        text += static_cast<char>(letter);
    } else if (letter < 0x800) {
        text += static_cast<char>(0xc0 | letter >> 6);
        rest(0);
    } else if (letter < 0x10000) {
        text += static_cast<char>(0xe0 | letter >> 12);
        rest(6);
        rest(0);
    } else {
        text += static_cast<char>(0xf0 | (letter >> 18 & 7));
        rest(12);
        rest(6);
        rest(0);
    }
}

std::string narrow(const wchar_t* wide) {
    constexpr std::size_t kMost = 254;
    std::string text;
    for (; wide && *wide && text.size() < kMost; ++wide) appendLetter(text, static_cast<char32_t>(*wide));
    return text;
}

std::string_view orNothing(const char* text) { return text ? std::string_view(text) : std::string_view(); }
std::string_view orNothing(const std::string* text) { return text ? std::string_view(*text) : std::string_view(); }

/// Calls use() with what the attributes name, or with nothing if there is no memory.
template <class Use>
auto withText(const NvtxAttributes* attributes, const Use& use) noexcept try {
    const auto type = attributes ? attributes->textType : NvtxText::none;
    if (type == NvtxText::narrow) return use(orNothing(static_cast<const char*>(attributes->text)));
    if (type == NvtxText::wide) return use(std::string_view(narrow(static_cast<const wchar_t*>(attributes->text))));
    if (type == NvtxText::registered) return use(orNothing(static_cast<const std::string*>(attributes->text)));
    return use(std::string_view());
} catch (const std::bad_alloc&) {
    return use(std::string_view());
}

void openMarked(const NvtxAttributes* attributes, std::string_view domain) noexcept {
    withText(attributes, [&](std::string_view text) { openRange(text, domain); });
}

std::uint64_t startMarked(const NvtxAttributes* attributes, std::string_view domain) noexcept {
    return withText(attributes, [&](std::string_view text) { return startRange(text, domain); });
}

/// The level of the new range: 0 for the outermost.
int level() noexcept { return static_cast<int>(openRanges()) - 1; }

int pushWithAttributes(const NvtxAttributes* attributes) noexcept {
    openMarked(attributes, {});
    return level();
}
int pushNarrow(const char* text) noexcept {
    openRange(orNothing(text), {});
    return level();
}
int pushWide(const wchar_t* text) noexcept try {
    openRange(narrow(text), {});
    return level();
} catch (const std::bad_alloc&) {
    openRange({}, {});
    return level();
}
int pop() noexcept {
    closeRange();
    return level() + 1;
}
int pushInDomain(const std::string* domain, const NvtxAttributes* attributes) noexcept {
    openMarked(attributes, orNothing(domain));
    return level();
}
int popInDomain(const std::string*) noexcept { return pop(); }

std::uint64_t startWithAttributes(const NvtxAttributes* attributes) noexcept { return startMarked(attributes, {}); }
std::uint64_t startNarrow(const char* text) noexcept { return startRange(orNothing(text), {}); }
std::uint64_t startWide(const wchar_t* text) noexcept try {
    return startRange(narrow(text), {});
} catch (const std::bad_alloc&) {
    return startRange({}, {});
}
void end(std::uint64_t range) noexcept { endRange(range); }
std::uint64_t startInDomain(const std::string* domain, const NvtxAttributes* attributes) noexcept {
    return startMarked(attributes, orNothing(domain));
}
void endInDomain(const std::string*, std::uint64_t range) noexcept { endRange(range); }

const std::string* makeDomain(const char* name) noexcept try {
    return kept(name ? name : "");
} catch (const std::bad_alloc&) {
    return nullptr;
}
const std::string* makeWideDomain(const wchar_t* name) noexcept try {
    return kept(narrow(name));
} catch (const std::bad_alloc&) {
    return nullptr;
}
const std::string* registerText(const std::string*, const char* text) noexcept { return makeDomain(text); }
const std::string* registerWideText(const std::string*, const wchar_t* text) noexcept { return makeWideDomain(text); }

struct NvtxEntry {
    std::uint32_t number;
    NvtxFunction function;
};

template <class F>
NvtxEntry nvtxEntry(std::uint32_t number, F* function) {
    return {number, reinterpret_cast<NvtxFunction>(function)};
}

template <std::size_t N>
bool connectModule(const NvtxCallbacks& callbacks, std::uint32_t module, const std::array<NvtxEntry, N>& entries) {
    NvtxTable table = nullptr;
    std::uint32_t count = 0;
    if (callbacks.functionsOf(module, &table, &count) == 0 || !table) return false;
    for (const auto& each : entries)
        if (each.number < count && table[each.number]) *table[each.number] = each.function;
    return true;
}

bool connectNvtx(const NvtxCallbacks& callbacks) {
    const std::array core = {
        nvtxEntry(4, startWithAttributes), nvtxEntry(5, startNarrow), nvtxEntry(6, startWide), nvtxEntry(7, end),
        nvtxEntry(8, pushWithAttributes),  nvtxEntry(9, pushNarrow),  nvtxEntry(10, pushWide), nvtxEntry(11, pop)};
    const std::array domains = {nvtxEntry(2, startInDomain), nvtxEntry(3, endInDomain),
                                nvtxEntry(4, pushInDomain),  nvtxEntry(5, popInDomain),
                                nvtxEntry(10, registerText), nvtxEntry(11, registerWideText),
                                nvtxEntry(12, makeDomain),   nvtxEntry(13, makeWideDomain)};
    return connectModule(callbacks, kNvtxCore, core) && connectModule(callbacks, kNvtxDomains, domains);
}

using NvtxTableOf = const void* (*)(std::uint32_t table);

}  // namespace

/// 1: ranges are recorded. 0: the program's calls do nothing.
extern "C" [[gnu::visibility("default")]] int zetlConnectNvtx(NvtxTableOf tableOf) noexcept
    asm("InitializeInjectionNvtx2");

extern "C" int zetlConnectNvtx(NvtxTableOf tableOf) noexcept {
    if (!tableOf || !Recording::hasStarted()) return 0;
    const auto* const callbacks = static_cast<const NvtxCallbacks*>(tableOf(kNvtxCallbacks));
    if (callbacks && callbacks->bytes >= sizeof(NvtxCallbacks) && connectNvtx(*callbacks)) return 1;
    std::fprintf(stderr, "zetl: ranges of this program are not recorded: its NVTX is of an unknown version\n");
    return 0;
}

}  // namespace zetl::recorder
