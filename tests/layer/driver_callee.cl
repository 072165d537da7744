// The other half of driver_caller.cl.
int scaled(int value) { return 3 * value; }
