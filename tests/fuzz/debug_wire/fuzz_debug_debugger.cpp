// A hostile debuggee: whatever its agent answers and reports, the debugger's calls end, and touch no memory but theirs.
#include <sys/socket.h>

#include <thread>

#include "debug/introduction.h"
#include "debug/register_sets.h"
#include "debug/remote_target.h"
#include "debug/session.h"
#include "record.h"
#include "support/debug_wire.h"

using namespace zetl;
using debug::wire::Kind;

namespace {

zetl_event_t eventFrom(FuzzedDataProvider& data) {
    zetl_event_t event{};
    event.size = data.ConsumeProbability<float>() < 0.95f ? sizeof event : data.ConsumeIntegral<std::uint32_t>();
    event.kind = data.ConsumeIntegralInRange<std::uint32_t>(0, 9);
    event.thread = debug::threadFrom(data);
    event.module = debug::wideNumberFrom(data);
    event.hold = debug::numberFrom(data);
    event.token = debug::numberFrom(data);
    event.stopped = debug::numberFrom(data);
    event.address = debug::wideNumberFrom(data);
    return event;
}

zetl_module_info_t moduleFrom(FuzzedDataProvider& data) {
    zetl_module_info_t info{};
    info.size = sizeof info;
    info.load_address = debug::wideNumberFrom(data);
    info.code_bytes = debug::wideNumberFrom(data);
    info.image_bytes = debug::wideNumberFrom(data);
    return info;
}

/// Registers of the device's sets, some of them as many as it has.
std::vector<std::byte> registersFrom(FuzzedDataProvider& data, const device::Device& device) {
    std::vector<std::byte> all;
    for (const auto* set : debug::registerSetsOf(device)) {
        const auto count = data.ConsumeBool() ? set->count : debug::numberFrom(data);
        const std::uint32_t head[] = {data.ConsumeBool() ? set->type : debug::numberFrom(data), count};
        const auto bytes = debug::wire::bytesOf(head);
        all.insert(all.end(), bytes.begin(), bytes.end());
        all.resize(all.size() + std::min<std::uint64_t>(debug::bytesOf(*set, count, device), 8192), std::byte{7});
    }
    return all;
}

/// What the request asks for, more or less.
debug::wire::Message answerFrom(FuzzedDataProvider& data, const device::Device& device,
                                const debug::wire::Message& request) {
    auto answer = debug::recordFrom(data, 100, 100);
    answer.head.sequence = request.head.sequence;
    if (data.ConsumeProbability<float>() < 0.8f) answer.head.status = ZETL_OK;
    if (request.head.kind == Kind::moduleInfo && data.ConsumeBool())
        answer.payload = debug::wire::bytesOf(moduleFrom(data));
    else if (request.head.kind == Kind::readThread && data.ConsumeBool())
        answer.payload = registersFrom(data, device);
    else if (data.ConsumeBool())
        answer.payload.assign(std::min<std::uint64_t>(request.head.length, 4096), std::byte{7});
    return answer;
}

/// Events until it has to answer; the end of the input is the end of the process.
void lie(FuzzedDataProvider& data, const device::Device& device, int socket) {
    debug::wire::Message request;
    while (data.remaining_bytes() > 0) {
        for (int events = data.ConsumeIntegralInRange(0, 4); events > 0; --events) {
            debug::wire::Message message;
            message.head.kind = Kind::event;
            message.payload = debug::wire::bytesOf(eventFrom(data));
            debug::wire::send(socket, message);
        }
        if (debug::wire::receive(socket, request) != debug::wire::Received::message) break;
        debug::wire::send(socket, answerFrom(data, device, request));
    }
    shutdown(socket, SHUT_RDWR);
}

void useMemory(debug::Session& session, const debug::ThreadSet& thread, std::uint64_t address) {
    std::vector<std::byte> buffer(777);
    for (const auto space :
         {ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, ZET_DEBUG_MEMORY_SPACE_TYPE_ELF, ZET_DEBUG_MEMORY_SPACE_TYPE_SLM}) {
        session.readMemory(thread, space, address, buffer.size(), buffer.data());
        session.writeMemory(thread, space, address, buffer.size(), buffer.data());
    }
}

void useEvent(debug::Session& session, const zet_debug_event_t& event) {
    session.acknowledge(event);
    if (event.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD) {
        useMemory(session, debug::ThreadSet::all(), event.info.module.moduleBegin);
        useMemory(session, debug::ThreadSet::all(), event.info.module.load);
    }
    if (event.type != ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) return;
    const debug::ThreadSet thread(event.info.thread.thread);
    std::vector<std::byte> values(8 * 64);
    static_cast<void>(session.registerCount(thread, test::fake::kGeneral));
    session.readRegisters(thread, test::fake::kGeneral, 0, 8, values.data());
    session.writeRegisters(thread, test::fake::kGeneral, 2, 6, values.data());
    useMemory(session, thread, 0x1000'0000);
    session.resume(thread);
}

void debugIt(const device::Device& device, FileDescriptor socket) {
    const auto session =
        debug::Session::attach(device, 1, [&](const device::Device& target, std::uint64_t, debug::EventSink sink) {
            return debug::Opened{ZETL_OK, debug::makeRemoteTarget(std::move(socket), target, std::move(sink))};
        });
    zet_debug_event_t event{};
    for (int i = 0; i < 24 && event.type != ZET_DEBUG_EVENT_TYPE_DETACHED; ++i) {
        (*session)->interrupt(i % 2 ? debug::ThreadSet::all() : debug::ThreadSet());
        if ((*session)->readEvent(i % 8 == 0 ? 1 : 0, event) == ZE_RESULT_SUCCESS) useEvent(**session, event);
    }
    (*session)->detach();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    FuzzedDataProvider data(bytes, size);
    device::Devices devices(test::fake::coreCalls());
    test::fake::addTo(devices);
    const device::Device& device = **devices.find(test::fake::deviceHandle());
    auto [agent, debugger] = debug::socketPair();
    const bool introduced = data.ConsumeProbability<float>() < 0.9f;
    std::thread liar([&, socket = agent.get()] { lie(data, device, socket); });
    if (introduced)
        debugIt(device, std::move(debugger));
    else
        debug::introduce(debugger.get(), getpid(), device.uuid());
    if (debugger) shutdown(debugger.get(), SHUT_RDWR);
    liar.join();
    return 0;
}
