#include "emulator/driver/execution/recorded_call.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include "ddi/argument_letters.h"
#include "driver/append_parameters.h"
#include "driver/current_call.h"
#include "driver/tables.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {
namespace {

/// What is done with each argument. One letter per parameter:
///
///   .  kept as it is            k  a kernel, which is cloned
///   s  the signal event         n  the number of events to wait for       w  these events
///   m  a number of elements     e  the array of so many, or null          o  one object
///   b  bytes, as many as the next argument says                           a  the values of the kernel's arguments
///   p  parameters of a launch
struct Recordable {
    const char* function;
    const char* letters;
    std::shared_ptr<RecordedCall> (*record)(const Recordable& row, const void* arguments);
};

/// Arrays that are longer are not what their count says.
constexpr std::size_t kMostElements = 1 << 16;

class Call : public RecordedCall {
  public:
    explicit Call(const Recordable& row) : row_(row) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() override {
        if (kernel_) live<Kernel>().remove(kernel_->handle());
    }
    const char* function() const noexcept override { return row_.function; }

  protected:
    char letter(std::size_t argument) const noexcept { return row_.letters[argument]; }
    void* keep(const void* from, std::size_t bytes) {
        const auto* const first = static_cast<const std::byte*>(from);
        return kept_.emplace_back(first, first + bytes).data();
    }
    ze_kernel_handle_t clone(ze_kernel_handle_t handle) {
        const auto kernel = find<Kernel>(handle);
        if (!kernel) return handle;
        auto copy = (*kernel)->clone();
        if (!copy) return handle;
        kernel_ = *std::move(copy);
        return live<Kernel>().add(kernel_);
    }
    /// Values for zeCommandListAppendLaunchKernelWithArguments: those that the kernel has by now.
    void** values() {
        if (!kernel_) return nullptr;
        const KernelState state = kernel_->state();
        std::vector<void*> pointers;
        for (std::uint32_t i = 0; i < state.arguments().size(); ++i) {
            const std::size_t local = state.arguments()[i].localBytes;
            const std::span<const std::uint8_t> given = state.given(i);
            pointers.push_back(given.empty() ? keep(&local, sizeof local) : keep(given.data(), given.size()));
        }
        return static_cast<void**>(keep(pointers.data(), pointers.size() * sizeof(void*)));
    }
    const void* parameters(const void* first) {
        LaunchParameters known;
        if (readParameters(first, &known) != ZE_RESULT_SUCCESS || !known.cooperative) return nullptr;
        const ze_command_list_append_launch_kernel_param_cooperative_desc_t description{
            ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC, nullptr, true};
        return keep(&description, sizeof description);
    }

  private:
    const Recordable& row_;
    std::vector<std::vector<std::byte>> kept_;
    std::shared_ptr<Kernel> kernel_;
};

template <class Prototype>
class CallOf;

template <class... A>
class CallOf<ze_result_t(A...)> final : public Call {
    using Arguments = std::tuple<std::remove_const_t<A>...>;
    using Indices = std::index_sequence_for<A...>;

  public:
    CallOf(const Recordable& row, const Arguments& given) : Call(row), arguments_(given) { copyAll(Indices{}); }

    Events events() noexcept override {
        Events events;
        each(arguments_, [&](char what, auto& value) { readEvent(what, value, events); });
        return events;
    }
    ze_result_t show(void* callback, void* data) override {
        const auto visit = reinterpret_cast<ze_result_t (*)(A..., void*)>(callback);
        return std::apply([&](auto&... values) { return visit(values..., data); }, arguments_);
    }
    ze_result_t repeat(ze_command_list_handle_t list, const Events& events) override {
        const auto call = reinterpret_cast<ze_result_t(ZE_APICALL*)(A...)>(servedFunction(function()));
        Arguments arguments = arguments_;
        if (list) std::get<0>(arguments) = list;
        each(arguments, [&](char what, auto& value) { writeEvent(what, value, events); });
        return std::apply(call, arguments);
    }

  private:
    template <class F>
    void each(Arguments& arguments, F&& act) {
        std::size_t index = 0;
        std::apply([&](auto&... values) { (act(letter(index++), values), ...); }, arguments);
    }
    template <class T>
    static void readEvent(char what, T& value, Events& events) noexcept {
        if constexpr (std::is_same_v<T, ze_event_handle_t>)
            if (what == 's') events.signal = value;
        if constexpr (std::is_same_v<T, std::uint32_t>)
            if (what == 'n') events.waitCount = value;
        if constexpr (std::is_same_v<T, ze_event_handle_t*>)
            if (what == 'w') events.waits = value;
    }
    template <class T>
    static void writeEvent(char what, T& value, const Events& events) noexcept {
        if constexpr (std::is_same_v<T, ze_event_handle_t>)
            if (what == 's') value = events.signal;
        if constexpr (std::is_same_v<T, std::uint32_t>)
            if (what == 'n') value = events.waitCount;
        if constexpr (std::is_same_v<T, ze_event_handle_t*>)
            if (what == 'w') value = events.waits;
    }

    template <std::size_t... I>
    void copyAll(std::index_sequence<I...>) {
        (copy<I>(std::get<I>(arguments_)), ...);
    }
    template <std::size_t I, class T>
    void copy(T& value) {
        const char what = letter(I);
        if constexpr (std::is_same_v<T, ze_kernel_handle_t>) {
            if (what == 'k') value = clone(value);
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
            if (what == 'm' || what == 'n') count_ = value;
        } else if constexpr (std::is_same_v<T, void**>) {
            if (what == 'a') value = values();
        } else if constexpr (std::is_same_v<T, const void*>) {
            if (what == 'p') value = parameters(value);
            if (what == 'b') value = keep(value, sizeBehind<I>());
        } else if constexpr (std::is_pointer_v<T> && !ddi::isHandle<T>()) {
            copyElements(what, value);
        }
    }
    template <class T>
    void copyElements(char what, T*& value) {
        if constexpr (!std::is_void_v<T> && !std::is_function_v<T>) {
            const std::size_t count = what == 'o' ? 1 : what == 'e' || what == 'w' ? count_ : 0;
            if (value && count > 0 && count <= kMostElements) value = static_cast<T*>(keep(value, count * sizeof(T)));
        }
    }
    template <std::size_t I>
    std::size_t sizeBehind() const noexcept {
        if constexpr (I + 1 < sizeof...(A))
            if constexpr (std::is_same_v<std::tuple_element_t<I + 1, Arguments>, std::size_t>)
                return std::get<I + 1>(arguments_);
        return 0;
    }

    Arguments arguments_;
    std::size_t count_ = 0;
};

template <class Prototype>
struct ArgumentsOf;
template <class... A>
struct ArgumentsOf<ze_result_t(A...)> {
    using type = std::tuple<std::remove_const_t<A>...>;
};

template <class Prototype>
std::shared_ptr<RecordedCall> record(const Recordable& row, const void* arguments) {
    using Arguments = typename ArgumentsOf<Prototype>::type;
    return std::make_shared<CallOf<Prototype>>(row, *static_cast<const Arguments*>(arguments));
}

#define RECORDABLE(name, letters) \
    { #name, letters, record < decltype(::name)> }
const Recordable kRecordables[] = {
    RECORDABLE(zeCommandListAppendWriteGlobalTimestamp, "..snw"),
    RECORDABLE(zeCommandListAppendBarrier, ".snw"),
    RECORDABLE(zeCommandListAppendMemoryRangesBarrier, ".meesnw"),
    RECORDABLE(zeCommandListAppendMemoryCopy, "....snw"),
    RECORDABLE(zeCommandListAppendMemoryCopyFromContext, ".....snw"),
    RECORDABLE(zeCommandListAppendMemoryCopyWithParameters, ".....snw"),
    RECORDABLE(zeCommandListAppendMemoryCopyRegion, "..o...o..snw"),
    RECORDABLE(zeCommandListAppendMemoryFill, "..b..snw"),
    RECORDABLE(zeCommandListAppendMemoryFillWithParameters, "..b...snw"),
    RECORDABLE(zeCommandListAppendMemoryPrefetch, "..."),
    RECORDABLE(zeCommandListAppendMemAdvise, "....."),
    RECORDABLE(zeCommandListAppendSignalEvent, ".s"),
    RECORDABLE(zeCommandListAppendWaitOnEvents, ".nw"),
    RECORDABLE(zeCommandListAppendEventReset, ".."),
    RECORDABLE(zeCommandListAppendSignalEventWithParameters, "..s"),
    RECORDABLE(zeCommandListAppendWaitOnEventsWithParameters, "..nw"),
    RECORDABLE(zeCommandListAppendQueryKernelTimestamps, ".me.esnw"),
    RECORDABLE(zeCommandListAppendHostFunction, "....snw"),
    RECORDABLE(zeCommandListAppendLaunchKernel, ".kosnw"),
    RECORDABLE(zeCommandListAppendLaunchCooperativeKernel, ".kosnw"),
    RECORDABLE(zeCommandListAppendLaunchKernelIndirect, ".k.snw"),
    RECORDABLE(zeCommandListAppendLaunchKernelWithParameters, ".kopsnw"),
    RECORDABLE(zeCommandListAppendLaunchKernelWithArguments, ".k..apsnw"),
    RECORDABLE(zeCommandListAppendLaunchMultipleKernelsIndirect, ".me..snw"),
    RECORDABLE(zeCommandListAppendImageCopy, "...snw"),
    RECORDABLE(zeCommandListAppendImageCopyRegion, "...oosnw"),
    RECORDABLE(zeCommandListAppendImageCopyToMemory, "...osnw"),
    RECORDABLE(zeCommandListAppendImageCopyFromMemory, "...osnw"),
    RECORDABLE(zeCommandListAppendImageCopyToMemoryExt, "...o..snw"),
    RECORDABLE(zeCommandListAppendImageCopyFromMemoryExt, "...o..snw"),
};
#undef RECORDABLE

/// What Intel's driver records, too, and this one does not serve, or executes: profilers bring visitors for it.
constexpr std::string_view kNeverRecorded[] = {
    "zeCommandListAppendSignalExternalSemaphoreExt",
    "zeCommandListAppendWaitExternalSemaphoreExt",
    "zeCommandListGetNextCommandIdExp",
    "zeCommandListGetNextCommandIdWithKernelsExp",
    "zetCommandListAppendMetricStreamerMarker",
    "zetCommandListAppendMetricQueryBegin",
    "zetCommandListAppendMetricQueryEnd",
    "zetCommandListAppendMetricMemoryBarrier",
    "zetCommandListAppendMarkerExp",
};

const Recordable* rowOf(std::string_view function) noexcept {
    const auto* const row = std::ranges::find(kRecordables, function, &Recordable::function);
    return row == std::end(kRecordables) ? nullptr : row;
}

}  // namespace

bool isVisitable(std::string_view function) noexcept {
    return rowOf(function) || std::ranges::find(kNeverRecorded, function) != std::end(kNeverRecorded);
}

std::shared_ptr<RecordedCall> recordCurrentCall() {
    const CurrentCall& call = CurrentCall::ofThread();
    const Recordable* row = call.function ? rowOf(call.function) : nullptr;
    return row ? row->record(*row, call.arguments) : nullptr;
}

}  // namespace zetl::emulator::driver
