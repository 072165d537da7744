// Half of a program of two modules: the functions are in driver_callee.cl.
int scaled(int value);
int negated(int value);
uint place(void);

kernel void call(global int* data) { data[get_global_id(0)] = scaled(data[get_global_id(0)]); }

kernel void callAndPrint(global int* data) { data[get_global_id(0)] = negated(data[get_global_id(0)]); }

kernel void printAndCall(global int* data) {
    printf("called from %s\n", "caller");
    data[get_global_id(0)] = negated(data[get_global_id(0)]);
}

// Recursive, so it is called through the stack in its own module, too.
__attribute__((noinline)) int counted(int n) { return n == 0 ? (int)get_local_id(0) : 1 + counted(n - 1); }

kernel void callCounted(global int* data) { data[get_global_id(0)] = counted(10 + data[get_global_id(0)]); }

kernel void callPlace(global int* data) { data[get_global_id(0)] = place(); }
