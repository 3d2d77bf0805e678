// Outputs in memory of the caller, in C++.
#include <cstdio>
#include <cstring>
#include <halyard/halyard.hpp>

static int wrong(int line) {
  std::fprintf(stderr, "line %d\n", line);
  return 1;
}
#define CHECK(condition) \
  if (!(condition)) return wrong(__LINE__)

int main(int, char **argv) {
  halyard::program program(argv[1]);
  halyard::instance instance(program, 1);
  std::vector<float> x(16), y(5);
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i);
  for (int i = 0; i < 5; ++i) y[i] = static_cast<float>(i);
  alignas(64) float first[16];
  std::vector<float> second(9);
  auto outputs = instance.call_into("main", {halyard::view(x.data(), {16}), halyard::view(y.data(), {5})},
                                    {halyard::buffer(first, 16), halyard::buffer(second.data(), second.size()), {}});
  CHECK(outputs.size() == 3 && outputs[0].data<float>() == first && outputs[1].data<float>() == second.data());
  CHECK(outputs[1].shape() == std::vector<std::int64_t>{5});
  for (int i = 0; i < 16; ++i) CHECK(first[i] == x[15 - i]);
  for (int i = 0; i < 5; ++i) CHECK(second[i] == 2 * y[i]);
  CHECK(!std::memcmp(outputs[2].bytes(), x.data(), 64));
  try {
    double other[16];
    instance.call_into("main", {halyard::view(x.data(), {16}), halyard::view(y.data(), {5})},
                       {halyard::buffer(other, 16), {}, {}});
    return wrong(__LINE__);
  } catch (const halyard::error &why) { CHECK(why.code() == "wrong-output"); }
  std::puts("all is well");
}
