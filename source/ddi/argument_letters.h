// The letters by which a row of functions says what a caller must pass. They are checked against the C function's
// prototype at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace zetl::ddi {

/// What a letter says of the parameter in its place.
struct ArgumentLetter {
    char letter;
    bool isHandle;
    bool isPointer;  // to anything but a handle's object
};

inline constexpr ArgumentLetter kArgumentLetters[] = {
    {'h', true, false},   // a handle that must be given
    {'o', true, false},   // a handle that may be null
    {'a', true, false},   // a handle that must be given, of an object that only has to be alive
    {'p', false, true},   // a pointer that must be given
    {'.', false, false},  // anything else
};

/// What is wrong with a row's letters.
enum class LettersFault {
    none,
    unknownLetter,
    openGroup,           // parentheses that do not match, or one group within another
    notOnePerParameter,  // the C function has more or fewer parameters
    notAHandle,          // h, o or a in the place of something else
    notAPointer,         // p in the place of something else; a handle is no pointer
};

/// True for the handles of Level Zero: pointers to types that its headers only declare.
template <class T>
constexpr bool isHandle() noexcept {
    if constexpr (!std::is_pointer_v<T>)
        return false;
    else
        // NOLINTNEXTLINE(bugprone-sizeof-expression): a type that is only declared has no size
        return std::is_class_v<std::remove_pointer_t<T>> && !requires { sizeof(std::remove_pointer_t<T>); };
}

/// The letters of a row, without the parentheses around those of one group.
struct PlainLetters {
    std::array<char, 24> letters{};
    std::size_t count = 0;
    bool grouped = false;  // parentheses match

    constexpr std::string_view view() const noexcept { return {letters.data(), count}; }
};

constexpr PlainLetters plain(std::string_view letters) noexcept {
    PlainLetters all{};
    bool open = false;
    for (const char letter : letters) {
        if (letter == '(' || letter == ')') {
            if (open == (letter == '(')) return all;
            open = !open;
        } else if (all.count < all.letters.size()) {
            all.letters[all.count++] = letter;
        }
    }
    all.grouped = !open;
    return all;
}

template <class Prototype>
struct ArgumentCheck;

template <class R, class... A>
struct ArgumentCheck<R(A...)> {
    static constexpr LettersFault fault(std::string_view letters) noexcept {
        constexpr bool kHandles[] = {isHandle<A>()..., false};
        constexpr bool kPointers[] = {std::is_pointer_v<A>..., false};
        const PlainLetters all = plain(letters);
        if (!all.grouped) return LettersFault::openGroup;
        if (all.count != sizeof...(A)) return LettersFault::notOnePerParameter;
        for (std::size_t i = 0; i < all.count; ++i) {
            const ArgumentLetter* meaning = find(all.letters[i]);
            if (!meaning) return LettersFault::unknownLetter;
            if (meaning->isHandle && !kHandles[i]) return LettersFault::notAHandle;
            if (meaning->isPointer && (!kPointers[i] || kHandles[i])) return LettersFault::notAPointer;
        }
        return LettersFault::none;
    }

  private:
    static constexpr const ArgumentLetter* find(char letter) noexcept {
        for (const ArgumentLetter& each : kArgumentLetters)
            if (each.letter == letter) return &each;
        return nullptr;
    }
};

/// Checks a row's letters; the error of a wrong row names the fault.
template <class Prototype, LettersFault Fault>
constexpr bool lettersFit() noexcept {
    static_assert(Fault != LettersFault::unknownLetter, "a row's letters are h, o, a, p and . (kArgumentLetters)");
    static_assert(Fault != LettersFault::openGroup, "a row's parentheses must match");
    static_assert(Fault != LettersFault::notOnePerParameter, "a row has one letter per parameter of the C function");
    static_assert(Fault != LettersFault::notAHandle, "h, o and a are for handles");
    static_assert(Fault != LettersFault::notAPointer, "p is for pointers, h for handles");
    return Fault == LettersFault::none;
}

/// True if a required argument is missing: a null pointer or handle.
template <class T>
constexpr bool isNull(T argument) noexcept {
    if constexpr (std::is_pointer_v<T>)
        return !argument;
    else
        return false;
}

}  // namespace zetl::ddi
