// In optimised code, registers of these variables are given to others while they are in scope, and the tests know which
// values are right.
kernel void reused(global int* data) {
    int i = get_global_id(0);
    int l = get_local_id(0);
    int size = get_local_size(0);
    int index = i + 7;
    int got = data[index & 63];
    for (int middle = size / 2; middle > 0; middle /= 2) {
        got += data[(middle + l) & 63];
    }
    int result = got * index;
    data[i] = result;
}
