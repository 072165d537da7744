// Records of the debug connection, made of whatever the fuzzer has.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include "debug/wire.h"

namespace zetl::debug {

/// Mostly small numbers, of which something is done; now and then any.
inline std::uint32_t numberFrom(FuzzedDataProvider& data) {
    return data.ConsumeProbability<float>() < 0.8f ? data.ConsumeIntegralInRange<std::uint32_t>(0, 20)
                                                   : data.ConsumeIntegral<std::uint32_t>();
}

inline std::uint64_t wideNumberFrom(FuzzedDataProvider& data) {
    return data.ConsumeBool() ? numberFrom(data) * std::uint64_t{64} : data.ConsumeIntegral<std::uint64_t>();
}

inline zetl_thread_t threadFrom(FuzzedDataProvider& data) {
    zetl_thread_t thread{};
    for (auto& level : thread.level) level = data.ConsumeBool() ? ZETL_ANY : numberFrom(data);
    return thread;
}

/// A record whose head is in order and whose numbers are anything.
inline wire::Message recordFrom(FuzzedDataProvider& data, std::uint32_t firstKind, std::uint32_t lastKind) {
    wire::Message message;
    auto& head = message.head;
    head.kind = static_cast<wire::Kind>(data.ConsumeIntegralInRange(firstKind, lastKind));
    head.status = numberFrom(data);
    head.thread = threadFrom(data);
    head.type = numberFrom(data);
    head.first = numberFrom(data);
    head.count = numberFrom(data);
    head.id = wideNumberFrom(data);
    head.address = wideNumberFrom(data);
    head.length = wideNumberFrom(data);
    const auto payload = data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange<std::size_t>(0, 1100));
    for (const auto byte : payload) message.payload.push_back(static_cast<std::byte>(byte));
    return message;
}

}  // namespace zetl::debug
