/* For programs: starts them as glibc before 2.34 wants it. Since then the start code that a C library brings passes no function
 * that runs constructors, and asks for a __libc_start_main that runs them itself. Both old and new C libraries have the former
 * version of that function, and call the constructors that it is given. */
#define HIDDEN __attribute__((visibility("hidden")))

typedef int Main(int, char**, char**);
typedef void Initializer(int, char**, char**);

extern int former_start(Main* program, int count, char** arguments, Initializer* construct, void (*destroy)(void),
                        void (*loader_ends)(void), void* stack);
__asm__(".symver former_start, __libc_start_main@GLIBC_2.2.5");

extern void _init(void);
extern Initializer* const __init_array_start[] HIDDEN;
extern Initializer* const __init_array_end[] HIDDEN;

static void construct(int count, char** arguments, char** environment) {
    _init();
    for (Initializer* const* each = __init_array_start; each != __init_array_end; ++each)
        (*each)(count, arguments, environment);
}

/* Destructors are run by the dynamic loader. */
HIDDEN int __libc_start_main(Main* program, int count, char** arguments, Initializer* none, void (*no_end)(void),
                             void (*loader_ends)(void), void* stack) {
    (void)none;
    (void)no_end;
    return former_start(program, count, arguments, construct, 0, loader_ends, stack);
}
