// A library such as those of processes with many: thread-local data, for which the C library has to keep room.
namespace {

constexpr int kMostOfTheRoom = 1100;  // of the 1,664 bytes that glibc keeps by default
thread_local char crowd[kMostOfTheRoom] __attribute__((tls_model("initial-exec")));

}  // namespace

extern "C" char* crowding() noexcept { return crowd; }
