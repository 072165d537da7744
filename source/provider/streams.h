// Section "streams": periodic reports of counters.
#pragma once

#include "provider/backend.h"
#include "provider/filled.h"
#include "provider/word_plan.h"

namespace zetl::provider {

/// The functions of the section on one open stream.
class CounterStream {
  public:
    CounterStream() = default;
    virtual ~CounterStream() = default;
    CounterStream(const CounterStream&) = delete;
    CounterStream& operator=(const CounterStream&) = delete;

    virtual zetl_status_t start() = 0;
    virtual zetl_status_t stop() = 0;
    virtual std::uint64_t pending() = 0;
    /// Returns the number of reports removed.
    virtual std::uint64_t drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                                zetl_loss_t& loss) = 0;
    virtual zetl_status_t marker(ze_command_list_handle_t list, std::uint32_t value) = 0;
    /// No function will be called any more; the object ends when the last call has returned.
    virtual void close() {}
};

template <Backend B>
class Streams {
  public:
    using Provider = B;
    using Lease = typename B::Lease;

    /// The plan is one of streams. `options` are the requested values, and then the granted ones.
    virtual Made<CounterStream> open(const std::shared_ptr<Lease>& lease, WordPlan plan,
                                     zetl_stream_options_t& options) const = 0;

  protected:
    ~Streams() = default;
};

template <class Section>
class StreamTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t open(zetl_lease_t id, const void* bytes, std::uint64_t size, zetl_stream_options_t* options,
                              zetl_stream_t* stream) noexcept {
        return onLease<B>(id, ZETL_SOURCE_STREAM, [&](const auto& lease) {
            auto plan = WordPlan::parse(bytes, size);
            if (!plan || plan->source != ZETL_SOURCE_STREAM || !canBeFilled(options) || !stream) return ZETL_MISUSE;
            return keep<B>(kSection.open(lease, *std::move(plan), *options), stream);
        });
    }

    template <class F>
    static zetl_status_t on(zetl_stream_t id, F&& body) noexcept {
        return onObject<B, CounterStream>(id, body);
    }
    static zetl_status_t start(zetl_stream_t id) noexcept {
        return on(id, [](CounterStream& stream) { return stream.start(); });
    }
    static zetl_status_t stop(zetl_stream_t id) noexcept {
        return on(id, [](CounterStream& stream) { return stream.stop(); });
    }
    static zetl_status_t pending(zetl_stream_t id, std::uint64_t* count) noexcept {
        return on(id, [=](CounterStream& stream) {
            if (!count) return ZETL_MISUSE;
            *count = stream.pending();
            return ZETL_OK;
        });
    }
    static zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                               std::uint64_t* count, zetl_loss_t* loss) noexcept {
        return on(id, [=](CounterStream& stream) {
            if (!count || !loss || (capacity > 0 && (!reports || !infos))) return ZETL_MISUSE;
            *count = stream.drain(capacity, reports, infos, *loss);
            return ZETL_OK;
        });
    }
    static zetl_status_t marker(zetl_stream_t id, ze_command_list_handle_t list, std::uint32_t value) noexcept {
        return on(id, [=](CounterStream& stream) { return stream.marker(list, value); });
    }

  public:
    static constexpr zetl_stream_functions_t kFunctions = {
        .size = sizeof(zetl_stream_functions_t),
        .reserved = 0,
        .open = open,
        .start = start,
        .stop = stop,
        .pending = pending,
        .drain = drain,
        .marker = marker,
        .close = closeObject<B, CounterStream>,
    };
};

}  // namespace zetl::provider
