// In optimised code, neighbouring elements are loaded by one message, and debug information names the register of the
// first one for both. The tests know which values are right.
kernel void neighbours(global int* data) {
    int i = get_global_id(0);
    int first = data[i];
    int second = data[i + 1];
    int sum = first * 3 + second * second;
    data[i] = sum;
}
