// Makes exported functions from methods. A row names a C function, what callers must pass, the method that does the
// work, and the result codes that only some functions may return:
//
//     SERVED(zeFenceCreate, "hpp", CommandQueue::createFence)
//     SERVED(zeKernelSetGroupSize, "h(...)", Kernel::setGroupSize, ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION)
//
// Arguments. There is one letter per parameter of the C function. The method gets the object behind the first handle,
// and the other arguments in their order; a function whose first parameter is the object will do as well.
//
//   h      a handle. Its object must be alive. The method gets it as T&, as std::shared_ptr<T> or as the handle.
//   o      a handle that may be null. The method gets a T* or a std::shared_ptr<T>, perhaps null.
//   a      a handle whose object must be alive; the method does not get it.
//   p      a pointer that must not be null. The method gets it, or a reference to what it points to.
//   .      anything else, passed as it is.
//   (...)  several arguments from which one of the method is made, such as the three sizes of a group.
//
// First all handles are checked, then all pointers, as the specification orders it.
//
// Answers. What a method returns decides how many of the C function's last parameters take the result:
//
//   Status, or nothing               none
//   Result<std::shared_ptr<T>>       a new object: it becomes alive, and its handle is written to the last argument
//   T&, T* of an object              its handle, perhaps null, is written to the last argument
//   a range of values or objects     it is listed in the last two arguments, a count and an array (base/enumerate.h)
//   any other value, Result of one   it is written to the last argument
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/enumerate.h"
#include "ddi/argument_letters.h"
#include "driver/boundary.h"
#include "driver/current_call.h"

namespace zetl::driver {

/// The class of the objects behind handles of type H, as its `type`, for what the method does not say. Each driver says
/// it for its handles.
template <class H>
struct ObjectOf;

/// A method that takes the object out of the live ones; of two concurrent calls one is refused. The last user of the
/// object destroys it.
template <class T>
Status destroy(T& object) {
    return live<T>().remove(object.handle()) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

/// The condition of most functions beside those of boundary(): none.
inline Status always() noexcept { return ZE_RESULT_SUCCESS; }

/// A method for what this driver has nothing to do for, once the arguments have been checked.
inline void nothingToDo() noexcept {}

namespace detail {

/// A text as a template's argument.
template <std::size_t N>
struct Text {
    char characters[N];

    consteval Text(const char (&text)[N]) {
        for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
    }
    constexpr std::string_view view() const noexcept { return {characters, N - 1}; }
};

// The arguments and the result of a method; its object counts as the first argument.
template <class R, class... P>
struct Shape {
    using Result = R;
    using Parameters = std::tuple<P...>;
};
template <class R, class... P>
Shape<R, P...> shapeOf(R (*)(P...));
template <class T, class R, class... P>
Shape<R, T&, P...> shapeOf(R (T::*)(P...));
template <class T, class R, class... P>
Shape<R, const T&, P...> shapeOf(R (T::*)(P...) const);

/// Which parameter of the method each argument of the C function belongs to.
struct Places {
    static constexpr std::size_t kMost = 24;
    static constexpr std::size_t kOnlyAlive = kMost;
    static constexpr std::size_t kResult = kMost + 1;

    std::array<std::size_t, kMost> parameter{};
    std::array<bool, kMost> grouped{};
    std::size_t taken = 0;    // parameters of the method that are given
    std::size_t results = 0;  // arguments that take the result
};

constexpr Places placesOf(std::string_view letters, std::size_t parameters) noexcept {
    Places places;
    bool open = false;
    std::size_t argument = 0;
    for (const char letter : letters) {
        if (letter == '(') {
            open = true;
        } else if (letter == ')') {
            open = false;
            ++places.taken;
        } else if (letter == 'a') {
            places.parameter[argument++] = Places::kOnlyAlive;
        } else if (places.taken == parameters) {
            places.parameter[argument++] = Places::kResult;
            ++places.results;
        } else {
            places.grouped[argument] = open;
            places.parameter[argument++] = places.taken;
            if (!open) ++places.taken;
        }
    }
    return places;
}

/// The class of the object that a parameter of the method stands for; for a plain handle, the class behind it.
template <class V>
struct ClassIn {
    using type = V;
};
template <class V>
struct ClassIn<std::shared_ptr<V>> {
    using type = V;
};
template <class V>
struct ClassIn<V*> {
    using type = V;
};
/// A base that several drivers share names the class of the objects that are alive.
template <class V>
requires requires { typename V::AliveAs; }
struct ClassIn<V> {
    using type = typename V::AliveAs;
};
template <class V>
requires(ddi::isHandle<V*>()) struct ClassIn<V*> {
    using type = typename ObjectOf<V*>::type;
};

// One argument of the C function on its way to the method, whose parameter is a V. C is its type there.
template <char Letter, class C, class V>
struct Argument {
    C value;

    explicit Argument(C given) noexcept : value(given) {}
    Status findObject() noexcept { return ZE_RESULT_SUCCESS; }
    bool isGiven() const noexcept { return true; }
    C& pass() noexcept { return value; }
};

template <class C, class V>
struct Argument<'p', C, V> {
    C value;

    explicit Argument(C given) noexcept : value(given) {}
    Status findObject() noexcept { return ZE_RESULT_SUCCESS; }
    bool isGiven() const noexcept { return value != nullptr; }
    decltype(auto) pass() noexcept {
        if constexpr (std::is_void_v<V> || std::is_convertible_v<C&, V>)
            return (value);
        else
            return (*value);
    }
};

template <class C, class V>
struct Argument<'h', C, V> {
    using T = std::remove_const_t<typename ClassIn<std::remove_cvref_t<V>>::type>;
    static_assert(std::is_same_v<typename T::Handle, C>,
                  "the method takes an object of another class than the handle's");

    C value;
    std::shared_ptr<T> object;

    explicit Argument(C given) noexcept : value(given) {}
    Status findObject() {
        auto found = find<T>(value);
        if (!found) return found.code();
        object = *std::move(found);
        return ZE_RESULT_SUCCESS;
    }
    bool isGiven() const noexcept { return true; }
    decltype(auto) pass() noexcept {
        if constexpr (std::is_convertible_v<T&, V>)
            return (*object);
        else if constexpr (std::is_convertible_v<T*, V>)
            return object.get();
        else if constexpr (std::is_convertible_v<std::shared_ptr<T>, V>)
            return std::move(object);
        else
            return (value);
    }
};

template <class C, class V>
struct Argument<'o', C, V> : Argument<'h', C, V> {
    static_assert(!std::is_reference_v<V>, "a handle that may be null becomes a pointer");

    using Argument<'h', C, V>::Argument;
    Status findObject() { return this->value ? Argument<'h', C, V>::findObject() : ZE_RESULT_SUCCESS; }
};

template <class C, class V>
struct Argument<'a', C, V> : Argument<'h', C, typename ObjectOf<C>::type&> {
    using Argument<'h', C, typename ObjectOf<C>::type&>::Argument;
};

// The arguments of one call. Nearly each of the hundreds of rows has others, and compilers take several times longer
// for a std::tuple of them, whose elements are bases within bases.
template <std::size_t I, class T>
struct Numbered {
    T argument;
};
template <class Indices, class... T>
struct Arguments;
template <std::size_t... I, class... T>
struct Arguments<std::index_sequence<I...>, T...> : Numbered<I, T>... {};

template <std::size_t I, class T>
T& numbered(Numbered<I, T>& holder) noexcept {
    return holder.argument;
}

/// The type of the method's parameter at `Place`; void for what is no parameter of its own.
template <std::size_t Place, bool Grouped, class Parameters>
struct ParameterAt {
    using type = void;
};
template <std::size_t Place, class Parameters>
requires(Place < std::tuple_size_v<Parameters>) struct ParameterAt<Place, false, Parameters> {
    using type = std::tuple_element_t<Place, Parameters>;
};

template <class T>
inline constexpr bool kIsResult = false;
template <class T>
inline constexpr bool kIsResult<Result<T>> = true;
template <class T>
inline constexpr bool kIsNewObject = false;
template <class T>
inline constexpr bool kIsNewObject<Result<std::shared_ptr<T>>> = true;

template <class H, class T>
H handleOf(T& object) noexcept {
    static_assert(std::is_same_v<typename T::Handle, H>,
                  "the method returns an object of another class than the handle's");
    return object.handle();
}

/// Writes a value, or the handle of an object, to where the caller wants it.
template <class Out, class V>
void write(Out& out, V&& value) {
    using Value = std::remove_cvref_t<V>;
    if constexpr (!ddi::isHandle<Out>() || std::is_same_v<Out, Value>)
        out = static_cast<Out>(std::forward<V>(value));
    else if constexpr (requires { *value; })
        out = value ? handleOf<Out>(*value) : nullptr;
    else
        out = handleOf<Out>(value);
}

template <class V, class Out>
Status give(V&& value, Out* out) {
    write(*out, std::forward<V>(value));
    return ZE_RESULT_SUCCESS;
}

template <class Range, class Out>
Status give(Range&& range, std::uint32_t* count, Out* out) {
    auto next = std::ranges::begin(range);
    return enumerateInto(std::ranges::size(range), count, out, [&](std::uint32_t, Out& target) {
        write(target, *next);
        ++next;
    });
}

/// Makes the object alive and writes its handle.
template <class T, class H>
Status giveNew(std::shared_ptr<T> object, H* out) {
    static_assert(std::is_same_v<typename T::Handle, H>,
                  "the method makes an object of another class than the handle's");
    *out = live<T>().add(std::move(object));
    return ZE_RESULT_SUCCESS;
}

/// The answer of the C function, from what its method returned.
template <class R, class... Out>
Status answer(R&& returned, Out*... out) {
    using Returned = std::remove_cvref_t<R>;
    if constexpr (kIsResult<Returned>)
        if (!returned) return returned.code();
    if constexpr (std::is_same_v<Returned, Status>)
        return returned;
    else if constexpr (kIsNewObject<Returned>)
        return giveNew(*std::forward<R>(returned), out...);
    else if constexpr (kIsResult<Returned>)
        return give(*std::forward<R>(returned), out...);
    else
        return give(std::forward<R>(returned), out...);
}

}  // namespace detail

/// The C function behind a row. Ready() is asked before the arguments are checked.
template <detail::Text Name, class Prototype, Status (*Ready)(), detail::Text Letters, auto Method,
          ze_result_t... Codes>
struct Entry;

template <detail::Text Name, class... A, Status (*Ready)(), detail::Text Letters, auto Method, ze_result_t... Codes>
struct Entry<Name, ze_result_t(A...), Ready, Letters, Method, Codes...> {
    static ze_result_t ZE_APICALL call(A... arguments) noexcept {
        if constexpr (isKept(Name.view())) {
            const std::tuple<std::remove_const_t<A>...> given(arguments...);
            const CallScope scope(Name.characters, &given);
            return guarded(arguments...);
        } else {
            return guarded(arguments...);
        }
    }

  private:
    using Shape = decltype(detail::shapeOf(Method));
    using Parameters = typename Shape::Parameters;
    using Indices = std::index_sequence_for<A...>;
    using Answered = typename Shape::Result;

    static constexpr std::size_t kParameters = std::tuple_size_v<Parameters>;
    static constexpr ddi::PlainLetters kLetters = ddi::plain(Letters.view());
    static_assert(ddi::lettersFit<ze_result_t(A...), ddi::ArgumentCheck<ze_result_t(A...)>::fault(Letters.view())>());
    static constexpr detail::Places kPlaces = detail::placesOf(Letters.view(), kParameters);
    static_assert(kPlaces.taken == kParameters, "the method takes more arguments than the row gives it");
    static constexpr bool kReturnsCode = std::is_void_v<Answered> || std::is_same_v<Answered, Status>;
    static_assert(!kReturnsCode || kPlaces.results == 0, "the method takes fewer arguments than the row gives it");
    static_assert(kReturnsCode || kPlaces.results == 1 || kPlaces.results == 2,
                  "a result is written to the last argument, or listed in the last two");
    static_assert(kPlaces.results != 1 || kLetters.view().ends_with('p'), "the result's pointer must be required");
    static_assert(kPlaces.results != 2 || kLetters.view().ends_with("p."), "the pointer to the count must be required");

    template <std::size_t I>
    using Argument =
        detail::Argument<kLetters.letters[I], std::tuple_element_t<I, std::tuple<A...>>,
                         typename detail::ParameterAt<kPlaces.parameter[I], kPlaces.grouped[I], Parameters>::type>;

    static ze_result_t guarded(A... arguments) noexcept {
        return boundary<Codes...>(Name.characters, [&]() -> Status {
            if (const Status refused = Ready(); refused != ZE_RESULT_SUCCESS) return refused;
            return serve(Indices{}, arguments...);
        });
    }

    template <std::size_t... I>
    static Status serve(std::index_sequence<I...>, A... values) {
        detail::Arguments<std::index_sequence<I...>, Argument<I>...> arguments{{Argument<I>(values)}...};
        Status status = ZE_RESULT_SUCCESS;
        (void)(((status = detail::numbered<I>(arguments).findObject()) == ZE_RESULT_SUCCESS) && ...);
        if (status != ZE_RESULT_SUCCESS) return status;
        if (!(detail::numbered<I>(arguments).isGiven() && ...)) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return answer(arguments, std::make_index_sequence<kPlaces.results>());
    }

    template <class Arguments, std::size_t... R>
    static Status answer(Arguments& arguments, std::index_sequence<R...>) {
        constexpr std::size_t kFirst = sizeof...(A) - kPlaces.results;
        if constexpr (std::is_void_v<Answered>) {
            invoke(arguments, std::make_index_sequence<kParameters>());
            return ZE_RESULT_SUCCESS;
        } else {
            return detail::answer(invoke(arguments, std::make_index_sequence<kParameters>()),
                                  detail::numbered<kFirst + R>(arguments).value...);
        }
    }

    template <class Arguments, std::size_t... P>
    static Answered invoke(Arguments& arguments, std::index_sequence<P...>) {
        return std::invoke(Method, parameter<P>(arguments)...);
    }

    /// The first argument that belongs to the method's parameter P.
    template <std::size_t P>
    static constexpr std::size_t firstOf() noexcept {
        std::size_t first = 0;
        while (kPlaces.parameter[first] != P) ++first;
        return first;
    }
    template <std::size_t P>
    static constexpr std::size_t sizeOf() noexcept {
        std::size_t last = firstOf<P>();
        while (last < sizeof...(A) && kPlaces.parameter[last] == P) ++last;
        return last - firstOf<P>();
    }

    template <std::size_t P, class Arguments>
    static decltype(auto) parameter(Arguments& arguments) {
        constexpr std::size_t kFirst = firstOf<P>();
        using V = std::tuple_element_t<P, Parameters>;
        if constexpr (kPlaces.grouped[kFirst]) {
            return gathered<std::remove_cvref_t<V>, kFirst>(arguments, std::make_index_sequence<sizeOf<P>()>());
        } else {
            static_assert(std::is_convertible_v<decltype(detail::numbered<kFirst>(arguments).pass()), V>,
                          "the method's parameter cannot be made of the argument that the row gives it");
            return detail::numbered<kFirst>(arguments).pass();
        }
    }

    template <class V, std::size_t First, class Arguments, std::size_t... I>
    static V gathered(Arguments& arguments, std::index_sequence<I...>) {
        return V{detail::numbered<First + I>(arguments).pass()...};
    }
};

}  // namespace zetl::driver

/// The entry of a row: ZETL_ENTRY(zeFenceReset, decltype(::zeFenceReset), always, "h", Fence::reset).
#define ZETL_ENTRY(name, prototype, ready, letters, method, ...) \
    (&::zetl::driver::Entry<#name, prototype, ready, letters, &method __VA_OPT__(, ) __VA_ARGS__>::call)
