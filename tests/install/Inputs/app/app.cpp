// Runs a program by halyard.hpp: `app PROGRAM`.
#include <halyard/halyard.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

int main(int, char **argv) {
  if (std::strcmp(halyard_version(), HALYARD_VERSION) != 0) return 3;
  try {
    halyard::program program(argv[1]);
    for (const auto &input : program.inputs())
      std::printf("%s: %zu dimensions\n", input.name.value_or("?").c_str(), input.shape.size());
    halyard::instance instance(program, 1);
    std::vector<float> a{0, 1, 2, 3, 4, 5}, b{0, 1, 2, 3, 4, 5};
    auto outputs = instance.call("main", {halyard::view(a.data(), {2, 3}), halyard::view(b.data(), {3, 2})});
    const float *y = outputs.at(0).data<float>();
    for (std::size_t i = 0; i < outputs[0].size(); ++i) std::printf("%g\n", y[i]);
    outputs[0].data<double>();
  } catch (const halyard::error &e) { std::printf("%s [%s]\n", e.what(), e.code().c_str()); }
}
