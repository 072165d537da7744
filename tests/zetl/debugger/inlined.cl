// Calls that become part of the kernel. The debugger's tests name lines of this file by what is written there.
static inline __attribute__((always_inline)) void keep(global volatile int* place, int number) {
    *place = number;
}
static inline __attribute__((always_inline)) void keepSquare(global volatile int* place, int number) {
    keep(place, number * number);
}
kernel void inlined(global volatile int* squares) {
    int i = get_global_id(0);
    keepSquare(squares + i, i);
}
