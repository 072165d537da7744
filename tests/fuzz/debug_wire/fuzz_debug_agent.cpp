// A hostile debugger: the agent neither crashes nor touches memory beyond what messages carry, before and after the
// proof.
#include <sys/socket.h>

#include "record.h"
#include "support/debug_wire.h"

using namespace zetl;

namespace {

void prepareDevice() {
    test::fake::reset();
    test::fake::map(0x40, std::string(256, 'm'));
    test::fake::load("a debug image", 0x40, 64, 9);
    test::fake::stopThread(0, ZETL_STOP_BREAKPOINT);
    test::fake::stopThread(5, ZETL_STOP_HALT);
}

/// Bytes as they are, which are hardly ever a record.
void sendRaw(FuzzedDataProvider& data, int socket) {
    const auto bytes = data.ConsumeRandomLengthString(200);
    [[maybe_unused]] const auto sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool step(FuzzedDataProvider& data, debug::ServedDebugger& peer) {
    const auto choice = data.ConsumeIntegralInRange(0, 19);
    if (choice == 0) return peer.introduce();
    if (choice == 1) test::fake::stopThread(data.ConsumeIntegralInRange(0u, 15u), ZETL_STOP_STEP);
    if (choice > 2) return peer.ask(debug::recordFrom(data, 0, 15)).status >= 0;
    sendRaw(data, peer.socket());
    return peer.serve();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    FuzzedDataProvider data(bytes, size);
    debug::ServedDebugger peer;
    prepareDevice();
    if (data.ConsumeProbability<float>() < 0.9f && !peer.introduce()) __builtin_trap();
    while (data.remaining_bytes() > 0 && step(data, peer)) {
    }
    return 0;
}
