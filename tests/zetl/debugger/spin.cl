kernel void spin(global volatile int* stop) {
    while (*stop == 0) {
    }
}
