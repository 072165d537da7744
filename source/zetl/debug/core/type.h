// The types of a kernel's variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger {

struct Type;

struct Member {
    std::string name;
    std::uint64_t offset = 0;
    const Type* type = nullptr;
};

struct Enumerator {
    std::string name;
    std::int64_t value = 0;
};

/// Owned by the debug information that it came from, except types made by expressions. Structures may refer to
/// themselves through pointers.
struct Type {
    enum class Kind { nothing, integer, natural, boolean, floating, pointer, array, structure, enumeration };

    Kind kind = Kind::nothing;
    std::string name;  ///< as in the source; empty for pointers and arrays
    std::uint64_t size = 0;
    std::uint64_t count = 0;        ///< elements of an array; 0 if unknown
    const Type* element = nullptr;  ///< of a pointer or an array; null: void
    std::vector<Member> members;    ///< of a structure or a union
    std::vector<Enumerator> enumerators;
    bool isVector = false;  ///< an array that is a vector of OpenCL's
};

/// A type made by an expression. It keeps `of`, which owns its element.
std::shared_ptr<const Type> madeType(Type type, std::shared_ptr<const Type> of);
std::shared_ptr<const Type> pointerTo(const Type* element, std::shared_ptr<const Type> of);

/// The vector type of this element: of 3 components, it has the size of 4.
std::shared_ptr<const Type> vectorOf(const Type& element, std::uint64_t count, std::shared_ptr<const Type> of);
std::uint64_t vectorSize(std::uint64_t elementSize, std::uint64_t count);
/// The components that a name such as "x", "s3", "wzyx", "s0a", "lo" or "even" selects of a vector of so many, by
/// number. Empty: it selects none.
std::vector<unsigned> componentsNamed(std::string_view name, std::uint64_t count);

/// "global float *", "int [4]", "int [2][3]".
std::string nameOf(const Type* type);

}  // namespace zetl::debugger
