// The other half of driver_caller.cl.
int scaled(int value) { return 3 * value; }

int negated(int value) {
    printf("negated %d in %s\n", value, "callee");
    return -value;
}

uint place(void) { return (uint)(1000 * get_global_size(0) + 100 * get_local_size(0) + 10 * get_group_id(0) + get_local_id(0)); }
