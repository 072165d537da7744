// What a rank for `zetl trace --mpi` does, with whatever MPI library its program has opened (mpi_program.cpp). A shared
// library may leave MPI's functions open: they are found in the process's order of libraries, as in any program.
#include <cstdint>

extern "C" {
int MPI_Init(int* count, char*** words);
int MPI_Barrier(std::uintptr_t communicator);
int MPI_Bcast(void* data, int count, std::uintptr_t type, int root, std::uintptr_t communicator);
int MPI_Comm_rank(std::uintptr_t communicator, int* rank);
int MPI_Sendrecv(const void* sent, int count, std::uintptr_t type, int to, int tag, void* received, int room,
                 std::uintptr_t receivedType, int from, int receivedTag, std::uintptr_t communicator, void* status);
int MPI_Finalize();

[[gnu::visibility("default")]] int actAsRank(std::uintptr_t world, std::uintptr_t byte);
}

int actAsRank(std::uintptr_t world, std::uintptr_t byte) {
    int rank = -1;
    if (MPI_Init(nullptr, nullptr) != 0 || MPI_Comm_rank(world, &rank) != 0) return 3;
    for (int i = 0; i < 20; ++i)
        if (MPI_Barrier(world) != 0) return 4;
    char text[4] = {};
    if (rank == 0) text[0] = 'z';
    if (MPI_Bcast(text, 4, byte, 0, world) != 0 || text[0] != 'z') return 5;
    // To itself. Half of the arguments are on the stack.
    const char sent = 's';
    char received = 0;
    char status[64] = {};
    if (MPI_Sendrecv(&sent, 1, byte, rank, 7, &received, 1, byte, rank, 7, world, status) != 0 || received != sent)
        return 6;
    return MPI_Finalize();
}
