// What a device did for an unchanged application: spans of kernels, copies, fills and barriers, on the host's clock.
//
//   struct Printer : Sink {
//       void took(const Span& span) noexcept override { ... }
//   } printer;
//   std::string failure;
//   const auto collector = Collector::start(layer, printer, failure);  // layer: dlopen("libze_tools_layer.so.1")
//
// Times are those of the driver's own timestamps. A command without a signal event gets one from a pool of the
// collector's; pools of the application are made with timestamps, and the application does not learn of it: flags,
// results and counts that it asks for are those without. No command is added, and nothing is waited for.
//
// C++20. Link ze_tools_layer::instrumentation, or build source/activity into a tool.
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

enum class Work : std::uint8_t { kernel, copy, fill, barrier };

/// What commands are executed by: a queue, or an immediate list. Handles are used again; ids are not.
struct Stream {
    std::uint32_t id = 0;  ///< from 1 on
    bool immediate = false;
    /// of its engine, as the application asked for it
    std::uint32_t ordinal = 0;
    std::uint32_t index = 0;
    const void* handle = nullptr;  ///< ze_command_queue_handle_t or, if immediate, ze_command_list_handle_t
    const void* device = nullptr;  ///< ze_device_handle_t that it was made on; both as the application has them
};

/// One execution of one command.
struct Span {
    Work work = Work::kernel;
    std::uint32_t stream = 0;     ///< Stream::id
    std::uint32_t kernel = 0;     ///< Sink::named(); 0: no kernel, or several
    std::uint64_t begin = 0;      ///< nanoseconds of CLOCK_MONOTONIC_RAW
    std::uint64_t end = 0;        ///< not before `begin`
    std::uint64_t bytes = 0;      ///< of copies and fills; 0: not known
    std::uint64_t appended = 0;   ///< Sink::call() when the command was appended
    std::uint64_t submitted = 0;  ///< Sink::call() when its list was executed; as above for immediate lists
};

/// What was not measured, so that a tool can say so.
struct Missing {
    std::uint64_t commands = 0;  ///< executed, but without a time that can be read
    std::uint64_t unread = 0;    ///< still executing, or not looked at, when last asked
};

/// Who is told. Called on threads of the application, one at a time, inside its calls: to return soon, and to call no
/// function of Level Zero.
class Sink {
  public:
    virtual ~Sink() = default;
    /// A number of the sink's own for the call in progress on this thread, which the spans it leads to come with.
    virtual std::uint64_t call() noexcept { return 0; }
    /// False: commands appended, and lists executed, by this call are not measured.
    virtual bool wanted() noexcept { return true; }
    /// Before the first span on a stream.
    virtual void opened(const Stream&) noexcept {}
    /// Before the first span of a kernel of this name; a name has one number.
    virtual void named(std::uint32_t /*kernel*/, std::string_view /*name*/) noexcept {}
    virtual void took(const Span& span) noexcept = 0;
    /// Commands so far that were executed without a time that can be read (Missing::commands).
    virtual void missed(std::uint64_t /*commands*/) noexcept {}
    /// Commands that are executing, or that nobody has read (Missing::unread), whenever the number changes.
    virtual void unread(std::uint64_t /*commands*/) noexcept {}
};

class ZETL_ACTIVITY_API Collector {
  public:
    struct State;

    /// To be called before the application makes its first queue, list or pool: what was made before is not measured.
    /// `layer` is what dlopen() gave for the tools layer's library (libze_tools_layer.so.1), which must stay loaded as
    /// long as the collector lives, and `sink` must outlive it. The loader (libze_loader.so.1) must be loaded already.
    /// Null and a failure that names what is missing if one of both lacks a function, the layer refuses a tracer, or
    /// there is already a collector in the process.
    static std::unique_ptr<Collector> start(void* layer, Sink& sink, std::string& failure);

    /// Reads what is complete and stops. Calls in progress are waited for.
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// The sink is told of spans when a synchronous list or queue returns, when the application waits, asks for a
    /// state, resets or destroys what they depend on; and by this, from any thread, outside the application's calls.
    /// Other tracers see the calls that it makes. Reads nothing if the collector stays busy for a fifth of a second, as
    /// it does when a signal handler that interrupted it calls this.
    void readComplete() noexcept;
    Missing missing() const noexcept;

  private:
    explicit Collector(void* tracer);
    void* tracer_;
};

}  // namespace zetl::activity

#endif
