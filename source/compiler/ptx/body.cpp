#include "compiler/ptx/body.h"

namespace zetl::compiler {

std::string Body::toInteger(const ValueType& type, const std::string& given) {
    return type.real || type.vector ? value("bitcast {} {} to {}", type.text, given, type.integer()) : given;
}

std::string Body::fromInteger(const ValueType& type, const std::string& given) {
    return type.real || type.vector ? value("bitcast {} {} to {}", type.integer(), given, type.text) : given;
}

std::string Body::toWord(const ValueType& type, const std::string& given) {
    const auto integer = toInteger(type, given);
    return type.bits < 64 ? value("zext {} {} to i64", type.integer(), integer) : integer;
}

std::string Body::fromWord(const ValueType& type, const std::string& given) {
    return fromInteger(type, type.bits < 64 ? value("trunc i64 {} to {}", given, type.integer()) : given);
}

}  // namespace zetl::compiler
