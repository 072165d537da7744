// Measures what a device does for an unmodified application: spans of kernels, copies, fills and barriers on the host's
// clock.
//
//   struct Printer : Sink {
//       void took(const Span& span) noexcept override { ... }
//   } printer;
//   std::string failure;
//   const auto collector = Collector::start(layer, printer, failure);  // layer: dlopen("libze_tools_layer.so.1")
//
// Times come from the driver's event timestamps. A command without a signal event gets one from the collector's pool,
// and the application's event pools are created with timestamps. The application does not notice: the flags, results
// and counts that it queries are those of its own request. The collector adds no commands and waits for nothing.
//
// C++20. Link ze_tools_layer::instrumentation, or build source/activity into a tool. Standard library types cross this
// interface: build the tool with the C++ standard library that the package was built with.
#ifndef ZE_TOOLS_LAYER_DEVICE_ACTIVITY_H
#define ZE_TOOLS_LAYER_DEVICE_ACTIVITY_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#ifndef ZETL_ACTIVITY_API
#define ZETL_ACTIVITY_API __attribute__((visibility("default")))
#endif

namespace zetl::activity {

enum class Work : std::uint8_t { kernel, copy, fill, barrier, imageCopy };

/// A command queue or an immediate command list. Handles may be reused; ids are not.
struct Stream {
    std::uint32_t id = 0;  ///< from 1
    bool immediate = false;
    /// of the engine, as the application requested it
    std::uint32_t ordinal = 0;
    std::uint32_t index = 0;
    const void* handle = nullptr;  ///< ze_command_queue_handle_t; if immediate, ze_command_list_handle_t
    const void* device = nullptr;  ///< ze_device_handle_t that it was created on; both are the application's handles
};

/// How a kernel was launched. 0: not known, or no kernel.
struct LaunchShape {
    std::uint32_t groups[3] = {};     ///< unknown for indirect launches: the device reads them
    std::uint32_t groupSize[3] = {};  ///< work-items
    std::uint32_t localBytes = 0;     ///< local memory of a work-group
    std::uint16_t registers = 0;      ///< of a hardware thread, if the driver reports them
    std::uint16_t simdWidth = 0;      ///< work-items of a hardware thread
};

/// One execution of one command.
struct Span {
    Work work = Work::kernel;
    std::uint32_t stream = 0;       ///< Stream::id
    std::uint32_t kernel = 0;       ///< number from Sink::named(); 0: no kernel, or several
    std::uint64_t begin = 0;        ///< nanoseconds of CLOCK_MONOTONIC_RAW
    std::uint64_t end = 0;          ///< not before `begin`
    std::uint64_t bytes = 0;        ///< size of a copy or fill; 0: unknown
    std::uint64_t appended = 0;     ///< Sink::call() when the command was appended
    std::uint64_t submitted = 0;    ///< Sink::call() when its list was executed; `appended` for immediate lists
    std::uint64_t submittedAt = 0;  ///< the time of that call, on the clock of `begin`
    LaunchShape shape{};
};

/// Commands that were not measured, so that a tool can report them.
struct Missing {
    std::uint64_t commands = 0;  ///< executed, but without a readable time
    std::uint64_t unread = 0;    ///< still executing, or not yet read
};

/// Receives spans. Called on threads of the application, inside its calls, never by two threads at once. A sink returns
/// quickly and calls no Level Zero function.
class Sink {
  public:
    virtual ~Sink() = default;
    /// Returns a number of the sink's choice for the call in progress on this thread. Spans carry it.
    virtual std::uint64_t call() noexcept { return 0; }
    /// Returns false if commands that this call appends, and lists that it executes, shall not be measured.
    virtual bool wanted() noexcept { return true; }
    /// Called before the first span on a stream.
    virtual void opened(const Stream&) noexcept {}
    /// Called before the first span of a kernel of this name. Each name has one number.
    virtual void named(std::uint32_t /*kernel*/, std::string_view /*name*/) noexcept {}
    virtual void took(const Span& span) noexcept = 0;
    /// The number of commands so far that were executed without a readable time (Missing::commands).
    virtual void missed(std::uint64_t /*commands*/) noexcept {}
    /// The number of commands that are executing or not yet read (Missing::unread), whenever it changes.
    virtual void unread(std::uint64_t /*commands*/) noexcept {}
    /// Returns when the call in progress on this thread began, in nanoseconds of CLOCK_MONOTONIC_RAW; 0 if the sink
    /// does not know it, and the collector reads the clock.
    virtual std::uint64_t began() noexcept { return 0; }
};

class ZETL_ACTIVITY_API Collector {
  public:
    struct State;

    /// Call it before the application creates its first queue, list or event pool: older objects are not measured.
    /// `layer` is the dlopen() handle of the tools layer (libze_tools_layer.so.1), which must stay loaded while the
    /// collector lives. `sink` must outlive the collector. The loader (libze_loader.so.1) must already be loaded.
    /// Returns null and sets `failure` if the loader or the layer lacks a required function (`failure` names it), if
    /// the layer refuses a tracer, or if the process already has a collector.
    static std::unique_ptr<Collector> start(void* layer, Sink& sink, std::string& failure);
    /// The same for an application that has created objects before. Their facts are asked of the driver: queues, lists
    /// and kernels need functions of specification 1.9. Of an older list, commands that are appended from now on are
    /// measured. A command that signals an older event without timestamps is not measured.
    static std::unique_ptr<Collector> startLate(void* layer, Sink& sink, std::string& failure);

    /// Reads the completed commands and stops. Waits for calls in progress.
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Spans are reported when a synchronous list or queue returns, and when the application waits for, queries, resets
    /// or destroys the objects that they depend on. readComplete() reports completed ones at any other time. It may be
    /// called by any thread, but not from within a call of the application. Other tracers see the Level Zero calls that
    /// it makes. It reads nothing if the collector stays busy for a fifth of a second, as it does when a signal handler
    /// that interrupted the collector calls it.
    void readComplete() noexcept;
    /// The same when the process ends: times that have not come by then are lost.
    void readLast() noexcept;
    Missing missing() const noexcept;

  private:
    explicit Collector(void* tracer);
    void* tracer_;
};

}  // namespace zetl::activity

#endif
