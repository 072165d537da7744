#include "fuzz/driver_api/sequence.h"

#include <level_zero/zes_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fuzz/driver_api/objects.h"
#include "fuzz/driver_api/random_row.h"
#include "fuzz/driver_api/script.h"

namespace zetl::test {
namespace {

/// A function that is found by its name alone.
template <class Prototype>
Prototype* named(const char* name) {
    return reinterpret_cast<Prototype*>(::zetl::emulator::driver::servedFunction(name));
}
#define CALL(name) DRIVER_FUNCTION(name)

/// Handles of one type: those made so far, live or destroyed, and some that never were.
template <class H>
class Handles {
  public:
    explicit Handles(HandlePool& pool) : made_(pool.of<H>()) {}
    H any(Script& script) const {
        const std::uint8_t choice = script.byte();
        if (choice == 0) return nullptr;
        if (choice == 1) return reinterpret_cast<H>(std::uintptr_t{0x1000});
        return made_.empty() ? nullptr : static_cast<H>(made_[choice % made_.size()]);
    }
    void add(H handle) { made_.push_back(handle); }

  private:
    std::vector<void*>& made_;
};

struct World {
    HandlePool pool;
    ze_driver_handle_t driver = nullptr;
    std::vector<ze_device_handle_t> devices;  ///< root devices, then tiles
    Handles<ze_context_handle_t> contexts{pool};
    Handles<ze_command_queue_handle_t> queues{pool};
    Handles<ze_command_list_handle_t> lists{pool};
    Handles<ze_event_pool_handle_t> pools{pool};
    Handles<ze_event_handle_t> events{pool};
    Handles<ze_fence_handle_t> fences{pool};
    Handles<ze_graph_handle_t> graphs{pool};
    Handles<ze_executable_graph_handle_t> executables{pool};
    RowMemory rows;
    std::vector<void*>& memory = rows.allocations;

    World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    /// A device or what is none.
    ze_device_handle_t anyDevice(Script& script) const {
        const std::uint8_t choice = script.byte();
        if (choice % 8 == 0) return reinterpret_cast<ze_device_handle_t>(driver);
        return choice < 200 ? devices.front() : devices[choice % devices.size()];
    }
    /// Memory of the driver, sometimes freed, sometimes beside its bounds.
    void* anyMemory(Script& script) const {
        if (memory.empty()) return nullptr;
        return static_cast<char*>(memory[script.byte() % memory.size()]) + script.byte() % 80;
    }
};

void judge(ze_result_t result, const char* call) {
    if (result != ZE_RESULT_ERROR_UNKNOWN) return;
    std::fprintf(stderr, "%s answered UNKNOWN\n", call);
    std::abort();
}
#define JUDGED(name, ...) judge(CALL(name)(__VA_ARGS__), #name)

/// Calls a creating function and keeps what it made.
#define MADE(handles, name, type, ...)                             \
    do {                                                           \
        type made = nullptr;                                       \
        const ze_result_t result = CALL(name)(__VA_ARGS__, &made); \
        judge(result, #name);                                      \
        if (result == ZE_RESULT_SUCCESS) handles.add(made);        \
    } while (false)

void createContext(World& world, Script& script) {
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, script.byte() % 4u};
    MADE(world.contexts, zeContextCreate, ze_context_handle_t, world.driver, &description);
}

void createQueue(World& world, Script& script) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.ordinal = script.byte() % 4;
    description.index = script.byte() % 8;
    description.mode = static_cast<ze_command_queue_mode_t>(script.byte() % 4);
    MADE(world.queues, zeCommandQueueCreate, ze_command_queue_handle_t, world.contexts.any(script),
         world.anyDevice(script), &description);
}

void createList(World& world, Script& script) {
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, script.byte() % 4u,
                                             script.byte()};
    MADE(world.lists, zeCommandListCreate, ze_command_list_handle_t, world.contexts.any(script),
         world.anyDevice(script), &description);
}

void createImmediate(World& world, Script& script) {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.ordinal = script.byte() % 3;
    // The high bits choose what graphs are recorded from.
    const std::uint8_t how = script.byte();
    description.flags = how & 2;
    description.mode = how & 4 ? ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS : ZE_COMMAND_QUEUE_MODE_DEFAULT;
    MADE(world.lists, zeCommandListCreateImmediate, ze_command_list_handle_t, world.contexts.any(script),
         world.anyDevice(script), &description);
}

void createPool(World& world, Script& script) {
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, script.byte() % 32u,
                                           script.byte() % 8u};
    MADE(world.pools, zeEventPoolCreate, ze_event_pool_handle_t, world.contexts.any(script), &description, 0, nullptr);
}

void createEvent(World& world, Script& script) {
    const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, script.byte() % 8u, script.byte() % 9u, 0};
    MADE(world.events, zeEventCreate, ze_event_handle_t, world.pools.any(script), &description);
}

void createFence(World& world, Script& script) {
    const ze_fence_desc_t description{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, script.byte() % 3u};
    MADE(world.fences, zeFenceCreate, ze_fence_handle_t, world.queues.any(script), &description);
}

void allocate(World& world, Script& script) {
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* memory = nullptr;
    judge(CALL(zeMemAllocDevice)(world.contexts.any(script), &description, script.word(), script.byte() % 130,
                                 world.anyDevice(script), &memory),
          "zeMemAllocDevice");
    if (memory) world.memory.push_back(memory);
}

void freeMemory(World& world, Script& script) {
    JUDGED(zeMemFree, world.contexts.any(script), world.anyMemory(script));
}

void queryMemory(World& world, Script& script) {
    ze_memory_allocation_properties_t properties{};
    ze_device_handle_t device = nullptr;
    JUDGED(zeMemGetAllocProperties, world.contexts.any(script), world.anyMemory(script), &properties, &device);
}

/// Appended commands wait for nothing, so that every sequence ends.
void appendFill(World& world, Script& script) {
    const std::uint8_t pattern[4] = {1, 2, 3, 4};
    JUDGED(zeCommandListAppendMemoryFill, world.lists.any(script), world.anyMemory(script), pattern, script.byte() % 5,
           script.word() % 4096, world.events.any(script), 0, nullptr);
}

void appendCopy(World& world, Script& script) {
    JUDGED(zeCommandListAppendMemoryCopy, world.lists.any(script), world.anyMemory(script), world.anyMemory(script),
           script.word() % 4096, world.events.any(script), 0, nullptr);
}

void appendSignal(World& world, Script& script) {
    JUDGED(zeCommandListAppendSignalEvent, world.lists.any(script), world.events.any(script));
}

void appendReset(World& world, Script& script) {
    JUDGED(zeCommandListAppendEventReset, world.lists.any(script), world.events.any(script));
}

void closeList(World& world, Script& script) { JUDGED(zeCommandListClose, world.lists.any(script)); }
void resetList(World& world, Script& script) { JUDGED(zeCommandListReset, world.lists.any(script)); }

void execute(World& world, Script& script) {
    ze_command_list_handle_t lists[] = {world.lists.any(script), world.lists.any(script)};
    JUDGED(zeCommandQueueExecuteCommandLists, world.queues.any(script), script.byte() % 3, lists,
           world.fences.any(script));
}

void synchronize(World& world, Script& script) {
    JUDGED(zeCommandQueueSynchronize, world.queues.any(script), script.word());
    JUDGED(zeEventHostSynchronize, world.events.any(script), script.word());
    JUDGED(zeFenceHostSynchronize, world.fences.any(script), script.word());
}

void signalByHost(World& world, Script& script) {
    JUDGED(zeEventHostSignal, world.events.any(script));
    JUDGED(zeEventHostReset, world.events.any(script));
}

/// A counter in memory that may be there, and may go: the structures for waiting and for adding have the same layout.
struct CounterMemory {
    std::uint32_t stype = 0;
    const void* pNext = nullptr;
    void* address = nullptr;
    std::uint64_t second = 0;
    std::uint64_t value = 0;
};

void createCounter(World& world, Script& script) {
    constexpr std::uint32_t kTypes[] = {0x0002003b, 0x0002003f, 0x0003001d, 0x00030027, 0x12345};
    CounterMemory memory{.stype = kTypes[script.byte() % std::size(kTypes)], .address = world.anyMemory(script)};
    memory.second = script.byte() % 3u;
    memory.value = script.byte() % 3u;
    ze_event_counter_based_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
    description.flags = script.byte() % 132u;
    if (script.byte() % 2) description.pNext = &memory;
    using Create =
        ze_result_t(ze_context_handle_t, ze_device_handle_t, const ze_event_counter_based_desc_t*, ze_event_handle_t*);
    ze_event_handle_t event = nullptr;
    const ze_result_t made = named<Create>("zexCounterBasedEventCreate2")(
        world.contexts.any(script), world.anyDevice(script), script.byte() % 4 ? &description : nullptr, &event);
    judge(made, "zexCounterBasedEventCreate2");
    if (made == ZE_RESULT_SUCCESS) world.events.add(event);
    std::uint64_t value = 0;
    std::uint64_t address = 0;
    JUDGED(zeEventCounterBasedGetDeviceAddress, world.events.any(script), &value, &address);
}

void beginCapture(World& world, Script& script) {
    if (script.byte() % 2)
        JUDGED(zeCommandListBeginGraphCaptureExt, world.lists.any(script), script.byte() % 8 ? nullptr : &world);
    else
        JUDGED(zeCommandListBeginCaptureIntoGraphExt, world.lists.any(script), world.graphs.any(script), nullptr);
}

/// Waits for recorded signals alone: they make forks and joins, or are refused, so that every sequence ends.
void forkOrJoin(World& world, Script& script) {
    auto event = world.events.any(script);
    if (CALL(zeEventHostSynchronize)(event, 0) != ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED) return;
    JUDGED(zeCommandListAppendWaitOnEvents, world.lists.any(script), 1, &event);
}

void endCapture(World& world, Script& script) {
    ze_graph_handle_t graph = nullptr;
    judge(CALL(zeCommandListEndGraphCaptureExt)(world.lists.any(script), nullptr, script.byte() % 4 ? &graph : nullptr),
          "zeCommandListEndGraphCaptureExt");
    if (graph) world.graphs.add(graph);
}

void createGraph(World& world, Script& script) {
    MADE(world.graphs, zeGraphCreateExt, ze_graph_handle_t, world.contexts.any(script), nullptr);
}

void instantiate(World& world, Script& script) {
    MADE(world.executables, zeGraphInstantiateExt, ze_executable_graph_handle_t, world.graphs.any(script), nullptr);
}

void appendGraph(World& world, Script& script) {
    JUDGED(zeCommandListAppendGraphExt, world.lists.any(script), world.executables.any(script), nullptr,
           world.events.any(script), 0, nullptr);
}

void lookAtGraph(World& world, Script& script) {
    auto* const graph = world.graphs.any(script);
    ze_graph_handle_t other = nullptr;
    ze_command_list_handle_t list = nullptr;
    JUDGED(zeCommandListGetGraphExt, world.lists.any(script), &other);
    JUDGED(zeExecutableGraphGetSourceGraphExt, world.executables.any(script), &other);
    JUDGED(zeGraphGetPrimaryCommandListExt, graph, &list);
    JUDGED(zeGraphIsEmptyExt, graph);
    JUDGED(zeCommandListIsGraphCaptureEnabledExt, world.lists.any(script));
    JUDGED(zeGraphDumpContentsExt, graph, "/dev/null", nullptr);
    judge(named<ze_result_t(ze_graph_handle_t)>("zeGraphPauseCaptureExt")(graph), "zeGraphPauseCaptureExt");
    if (script.byte() % 8)
        judge(named<ze_result_t(ze_graph_handle_t)>("zeGraphResumeCaptureExt")(graph), "zeGraphResumeCaptureExt");
}

struct Visit {
    std::uint32_t stype = 0x00030032;
    const void* pNext = nullptr;
    void* data = nullptr;
    ze_command_list_handle_t target = nullptr;
    void* before = nullptr;
    std::uint32_t defaultOperation = 0;
    void* after = nullptr;
};

void visit(World& world, Script& script) {
    const Visit how{.target = world.lists.any(script), .defaultOperation = script.byte() % 3u};
    judge(named<ze_result_t(ze_graph_handle_t, const Visit*)>("zeGraphVisitExt")(world.graphs.any(script), &how),
          "zeGraphVisitExt");
    judge(named<ze_result_t(ze_command_list_handle_t, const Visit*)>("zeCommandListVisitExt")(world.lists.any(script),
                                                                                              &how),
          "zeCommandListVisitExt");
}

void askForMore(World& world, Script& script) {
    std::size_t size = script.byte();
    std::byte out[256];
    using Info = ze_result_t(ze_device_handle_t, std::uint32_t, const void*, std::size_t*, void*);
    judge(named<Info>("zeDeviceGetCompilerInfo")(world.anyDevice(script), script.byte() % 6, nullptr, &size, out),
          "zeDeviceGetCompilerInfo");
    using Priority = ze_result_t(ze_command_queue_handle_t, ze_command_queue_priority_t);
    judge(named<Priority>("zeCommandQueueSetPriorityExt")(world.queues.any(script),
                                                          static_cast<ze_command_queue_priority_t>(script.byte() % 4)),
          "zeCommandQueueSetPriorityExt");
    using Signal = ze_result_t(ze_command_list_handle_t, const void*, ze_event_handle_t);
    judge(named<Signal>("zeCommandListAppendSignalEventWithParameters")(world.lists.any(script), nullptr,
                                                                        world.events.any(script)),
          "zeCommandListAppendSignalEventWithParameters");
}

/// Graphs by the names of Intel's earlier drivers, whose arguments have another order.
void formerGraphs(World& world, Script& script) {
    using Create = ze_result_t(ze_context_handle_t, ze_graph_handle_t*, void*);
    using Instantiate = ze_result_t(ze_graph_handle_t, ze_executable_graph_handle_t*, void*);
    using End = ze_result_t(ze_command_list_handle_t, ze_graph_handle_t*, void*);
    using Append = ze_result_t(ze_command_list_handle_t, ze_executable_graph_handle_t, void*, ze_event_handle_t,
                               std::uint32_t, ze_event_handle_t*);
    ze_graph_handle_t graph = nullptr;
    void* const more = script.byte() % 8 ? nullptr : &world;
    if (named<Create>("zeGraphCreateExp")(world.contexts.any(script), &graph, more) == ZE_RESULT_SUCCESS)
        world.graphs.add(graph);
    judge(named<ze_result_t(ze_command_list_handle_t, void*)>("zeCommandListBeginGraphCaptureExp")(
              world.lists.any(script), more),
          "zeCommandListBeginGraphCaptureExp");
    graph = nullptr;
    named<End>("zeCommandListEndGraphCaptureExp")(world.lists.any(script), &graph, more);
    if (graph) world.graphs.add(graph);
    ze_executable_graph_handle_t executable = nullptr;
    if (named<Instantiate>("zeCommandListInstantiateGraphExp")(world.graphs.any(script), &executable, more) ==
        ZE_RESULT_SUCCESS)
        world.executables.add(executable);
    judge(named<Append>("zeCommandListAppendGraphExp")(world.lists.any(script), world.executables.any(script), more,
                                                       nullptr, script.byte() % 2 ? UINT32_MAX : 0, nullptr),
          "zeCommandListAppendGraphExp");
    std::uint64_t id = 0;
    judge(named<ze_result_t(ze_graph_handle_t, std::uint64_t*)>("zeGraphGetIdExt")(world.graphs.any(script), &id),
          "zeGraphGetIdExt");
}

void chooseService(World& world, Script& script) {
    struct {
        std::uint32_t stype;
        void* pNext;
        std::uint32_t service;
        ze_bool_t isOverridden;
    } service{0x0002004cu + script.byte() % 2u, nullptr, script.byte() % 8u, false};
    judge(named<ze_result_t(ze_command_queue_handle_t, const void*)>("zeCommandQueueSetQosExt")(
              world.queues.any(script), &service),
          "zeCommandQueueSetQosExt");
    judge(named<ze_result_t(ze_command_queue_handle_t, void*)>("zeCommandQueueGetQosExt")(world.queues.any(script),
                                                                                          &service),
          "zeCommandQueueGetQosExt");
}

/// A count that nothing reaches, or none; the array has room for what there is.
template <class H>
std::vector<H> listed(ze_result_t (*list)(zes_device_handle_t, std::uint32_t*, H*), zes_device_handle_t device,
                      Script& script) {
    std::vector<H> handles(16);
    std::uint32_t count = script.byte() % 4 ? UINT32_MAX : 0;
    const bool room = count != 0;
    const ze_result_t result = list(device, &count, room ? handles.data() : nullptr);
    handles.resize(room && result == ZE_RESULT_SUCCESS ? count : 0);
    return handles;
}

void askSysman(World& world, Script& script) {
    auto* const device = reinterpret_cast<zes_device_handle_t>(world.anyDevice(script));
    zes_engine_stats_t stats{};
    for (auto* engine : listed(CALL(zesDeviceEnumEngineGroups), device, script))
        JUDGED(zesEngineGetActivity, script.byte() % 8 ? engine : nullptr, &stats);
    zes_mem_bandwidth_t bandwidth{};
    zes_mem_state_t state{};
    state.stype = ZES_STRUCTURE_TYPE_MEM_STATE;
    for (auto* memory : listed(CALL(zesDeviceEnumMemoryModules), device, script)) {
        JUDGED(zesMemoryGetBandwidth, memory, &bandwidth);
        // A handle of another kind.
        JUDGED(zesMemoryGetState, script.byte() % 8 ? memory : reinterpret_cast<zes_mem_handle_t>(device), &state);
    }
    zes_pci_stats_t link{};
    JUDGED(zesDevicePciGetStats, device, script.byte() % 8 ? &link : nullptr);
    listed(CALL(zesDeviceProcessesGetState), device, script);
    judge(named<ze_result_t(zes_driver_handle_t, zes_event_type_flags_t)>("zesDriverEventRegisterExt")(
              reinterpret_cast<zes_driver_handle_t>(world.driver), script.word() << 8),
          "zesDriverEventRegisterExt");
    judge(named<ze_result_t(zes_device_handle_t, std::uint32_t)>("zesDeviceSetHealthStatusExt")(device, script.byte()),
          "zesDeviceSetHealthStatusExt");
}

void destroyOne(World& world, Script& script) {
    switch (script.byte() % 8) {
        case 6:
            JUDGED(zeGraphDestroyExt, world.graphs.any(script));
            break;
        case 7:
            JUDGED(zeExecutableGraphDestroyExt, world.executables.any(script));
            break;
        case 0:
            JUDGED(zeEventDestroy, world.events.any(script));
            break;
        case 1:
            JUDGED(zeEventPoolDestroy, world.pools.any(script));
            break;
        case 2:
            JUDGED(zeCommandListDestroy, world.lists.any(script));
            break;
        case 3:
            JUDGED(zeCommandQueueDestroy, world.queues.any(script));
            break;
        case 4:
            JUDGED(zeFenceDestroy, world.fences.any(script));
            break;
        default:
            JUDGED(zeContextDestroy, world.contexts.any(script));
            break;
    }
}

void callRow(World& world, Script& script) { callRandomRow(world.pool, world.rows, script); }

void (*const kCalls[])(World&, Script&) = {
    createContext, createQueue, createList,   createImmediate, createPool,   createEvent,  createFence,
    allocate,      freeMemory,  queryMemory,  appendFill,      appendCopy,   appendSignal, appendReset,
    closeList,     resetList,   execute,      synchronize,     signalByHost, destroyOne,   createCounter,
    beginCapture,  forkOrJoin,  endCapture,   createGraph,     instantiate,  appendGraph,  lookAtGraph,
    visit,         askForMore,  formerGraphs, chooseService,   askSysman,
};

World::World() {
    addLasting(pool);
    driver = pool.last<ze_driver_handle_t>();
    for (void* device : pool.of<ze_device_handle_t>()) devices.push_back(static_cast<ze_device_handle_t>(device));
}

World::~World() {
    destroyObjects(pool);
    releaseRowMemory(pool, rows);
}

}  // namespace

void runDriverSequence(std::span<const std::uint8_t> bytes) {
    World world;
    Script script(bytes);
    const std::uint8_t start = script.byte();
    if (start % 2) addObjects(world.pool);
    if (start % 16 == 1) addTracer(world.pool);
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    MADE(world.contexts, zeContextCreate, ze_context_handle_t, world.driver, &description);
    while (!script.ended()) {
        const std::uint8_t choice = script.byte();
        (choice % 2 ? callRow : kCalls[choice / 2 % std::size(kCalls)])(world, script);
    }
}

}  // namespace zetl::test
