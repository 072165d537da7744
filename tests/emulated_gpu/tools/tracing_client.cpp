// A library that refers to a function of metric tracers, as tools do that know them. Weak, because the loader may be
// older than the function.
extern "C" [[gnu::weak]] int zetMetricTracerCreateExp(...);

extern "C" bool knowsTracers() { return &zetMetricTracerCreateExp != nullptr; }
