// Messages of the Debug Adapter Protocol: a header that says how long they are, and JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace zetl::debugger::dap {

using Json = nlohmann::json;

/// Splits a stream of bytes into messages. The input is not trusted: an invalid header, a message longer than 16 MiB,
/// or one that is not a JSON object throws Failure, and the stream cannot be used any further.
class MessageReader {
  public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    /// Nothing until the next message is complete.
    std::optional<Json> next();

  private:
    std::string buffer_;
};

std::string framed(const Json& message);

std::string base64(const std::vector<unsigned char>& data);
/// Throws Failure if the text is not base64.
std::vector<unsigned char> fromBase64(std::string_view text);

}  // namespace zetl::debugger::dap
