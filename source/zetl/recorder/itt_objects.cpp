#include "recorder/itt_objects.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

namespace zetl::recorder {
namespace {

constinit std::mutex mutex;

/// Programs keep the addresses.
template <class Object>
Object* keptObject(const char* name, const Object& object, const char* Object::*text) noexcept try {
    if (!name) return nullptr;
    const std::lock_guard guard(mutex);
    static auto* const all = new std::map<std::string, Object>;
    const auto [found, isNew] = all->try_emplace(name, object);
    if (isNew) found->second.*text = found->first.c_str();
    return &found->second;
} catch (const std::bad_alloc&) {
    return nullptr;
}

constinit std::array<std::atomic<const std::string*>, 1024> events{};  // by number, from 1

}  // namespace

IttDomain* makeIttDomain(const char* name) noexcept {
    return keptObject(name, IttDomain{1, nullptr, nullptr, 0, nullptr, nullptr}, &IttDomain::name);
}

IttText* makeIttText(const char* text) noexcept {
    return keptObject(text, IttText{nullptr, nullptr, 0, nullptr, nullptr}, &IttText::text);
}

int makeIttEvent(const char* name, int size) noexcept try {
    if (!name || size < 0) return 0;
    const std::string text(name, strnlen(name, static_cast<std::size_t>(size)));
    const std::lock_guard guard(mutex);
    for (std::size_t i = 1; i < events.size(); ++i) {
        const auto* known = events[i].load(std::memory_order_relaxed);
        if (!known) events[i].store(known = new std::string(text), std::memory_order_release);
        if (*known == text) return static_cast<int>(i);
    }
    return 0;
} catch (const std::bad_alloc&) {
    return 0;
}

const std::string* nameOfIttEvent(int number) noexcept {
    const auto valid = number > 0 && static_cast<std::size_t>(number) < events.size();
    return valid ? events[static_cast<std::size_t>(number)].load(std::memory_order_acquire) : nullptr;
}

}  // namespace zetl::recorder
