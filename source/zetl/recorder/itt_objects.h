// What programs name their ITT ranges by: domains, strings and events, which are never removed.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::recorder {

// The API's structures, as the static library in the program has them.

struct IttDomain {
    int flags;  // 0: the program leaves out its calls
    const char* name;
    const wchar_t* wideName;
    int reserved;
    void* alsoReserved;
    IttDomain* next;
};
struct IttText {
    const char* text;
    const wchar_t* wideText;
    int reserved;
    void* alsoReserved;
    IttText* next;
};

// The same name gives the same object. Null without a name or memory.
IttDomain* makeIttDomain(const char* name) noexcept;
IttText* makeIttText(const char* text) noexcept;

/// The event's number; 0 if there is no memory or there are too many.
int makeIttEvent(const char* name, int size) noexcept;
/// Null if the number is no event's.
const std::string* nameOfIttEvent(int number) noexcept;

}  // namespace zetl::recorder
