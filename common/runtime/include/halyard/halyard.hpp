/* Halyard for C++17: the functions of halyard.h with owners, exceptions and types. Nothing to link but libhalyard.
 *
 *     halyard::program program("mlp.so");
 *     halyard::instance instance(program);
 *     std::vector<float> x(784);
 *     auto outputs = instance.call("main", {halyard::view(x.data(), {1, 784})});
 *     const float *y = outputs[0].data<float>();
 *
 * What fails throws halyard::error. A program may be used by several threads, an instance by one at a time.
 */
#ifndef HALYARD_HALYARD_HPP
#define HALYARD_HALYARD_HPP

#include "halyard.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace halyard {

/* A failure: the reason, and its stable code, which may be empty. */
class error : public std::runtime_error {
public:
  explicit error(const std::string &message, std::string code = {})
      : std::runtime_error(message), code_(std::move(code)) {}
  const std::string &code() const noexcept { return code_; }

private:
  std::string code_;
};

[[noreturn]] inline void fail() { throw error(halyard_last_error(), halyard_last_error_code()); }

/* The element type of a C++ type. Types of 16 bits that C++ lacks are passed with halyard_tensor_t. */
template <typename T> struct dtype_of;
template <> struct dtype_of<float> { static constexpr halyard_dtype_t value = HALYARD_F32; };
template <> struct dtype_of<double> { static constexpr halyard_dtype_t value = HALYARD_F64; };
template <> struct dtype_of<bool> { static constexpr halyard_dtype_t value = HALYARD_I1; };
template <> struct dtype_of<std::int8_t> { static constexpr halyard_dtype_t value = HALYARD_I8; };
template <> struct dtype_of<std::uint8_t> { static constexpr halyard_dtype_t value = HALYARD_U8; };
template <> struct dtype_of<std::int16_t> { static constexpr halyard_dtype_t value = HALYARD_I16; };
template <> struct dtype_of<std::uint16_t> { static constexpr halyard_dtype_t value = HALYARD_U16; };
template <> struct dtype_of<std::int32_t> { static constexpr halyard_dtype_t value = HALYARD_I32; };
template <> struct dtype_of<std::uint32_t> { static constexpr halyard_dtype_t value = HALYARD_U32; };
template <> struct dtype_of<std::int64_t> { static constexpr halyard_dtype_t value = HALYARD_I64; };
template <> struct dtype_of<std::uint64_t> { static constexpr halyard_dtype_t value = HALYARD_U64; };

/* A dense row-major tensor in memory of somebody else. */
class tensor_view {
public:
  tensor_view(halyard_dtype_t dtype, std::vector<std::int64_t> shape, const void *data)
      : dtype_(dtype), shape_(std::move(shape)), data_(data) {}
  explicit tensor_view(const halyard_tensor_t &t) : tensor_view(t.dtype, {t.shape, t.shape + t.rank}, t.data) {}

  halyard_dtype_t dtype() const noexcept { return dtype_; }
  const std::vector<std::int64_t> &shape() const noexcept { return shape_; }
  std::size_t size() const noexcept {
    std::size_t count = 1;
    for (std::int64_t d : shape_) count *= static_cast<std::size_t>(d);
    return count;
  }
  const void *bytes() const noexcept { return data_; }
  /* The elements. Throws if they have another type. */
  template <typename T> const T *data() const {
    if (dtype_ != dtype_of<T>::value) throw error("the tensor has another element type", "wrong-type");
    return static_cast<const T *>(data_);
  }
  halyard_tensor_t c() const noexcept { return {dtype_, shape_.size(), shape_.data(), data_}; }

private:
  halyard_dtype_t dtype_;
  std::vector<std::int64_t> shape_;
  const void *data_;
};

template <typename T> tensor_view view(const T *data, std::vector<std::int64_t> shape) {
  return {dtype_of<T>::value, std::move(shape), data};
}

/* Memory for an output: `count` elements, at least as many as the output has. */
template <typename T> halyard_buffer_t buffer(T *data, std::size_t count) {
  return {dtype_of<T>::value, data, count * sizeof(T)};
}

/* What a function takes or returns; a size of -1 is any. */
struct spec {
  std::optional<std::string> name;
  halyard_dtype_t dtype;
  std::vector<std::int64_t> shape;
};

class program {
public:
  explicit program(const std::string &path) : handle_(halyard_program_load(path.c_str()), halyard_program_free) {
    if (!handle_) fail();
  }
  /* From a loader of halyard.h, for devices, host functions and kernel libraries. */
  program(const halyard_loader_t *loader, const std::string &path)
      : handle_(halyard_loader_load(loader, path.c_str()), halyard_program_free) {
    if (!handle_) fail();
  }

  const halyard_program_t *c() const noexcept { return handle_.get(); }
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < halyard_program_function_count(c()); ++i)
      names.emplace_back(halyard_program_function_name(c(), i));
    return names;
  }
  std::vector<spec> inputs(std::size_t function = 0) const {
    return specs(function, halyard_program_input_count(c(), function), halyard_program_input);
  }
  std::vector<spec> outputs(std::size_t function = 0) const {
    return specs(function, halyard_program_output_count(c(), function), halyard_program_output);
  }

private:
  template <typename Get> std::vector<spec> specs(std::size_t function, std::size_t count, Get get) const {
    std::vector<spec> found;
    for (std::size_t i = 0; i < count; ++i) {
      halyard_spec_t s;
      if (get(c(), function, i, &s)) fail();
      found.push_back({s.name ? std::optional<std::string>(s.name) : std::nullopt, s.dtype, {s.shape, s.shape + s.rank}});
    }
    return found;
  }
  std::shared_ptr<halyard_program_t> handle_;
};

class instance {
public:
  /* Threads: 0 is one per CPU. */
  explicit instance(const program &of, std::size_t threads = 0)
      : handle_(halyard_instance_create(of.c(), threads), halyard_instance_free) {
    if (!handle_) fail();
  }

  /* Calls a function. The outputs are valid until the next call. */
  std::vector<tensor_view> call(const std::string &function, const std::vector<tensor_view> &inputs) {
    const std::vector<halyard_tensor_t> raw = of(inputs);
    if (halyard_instance_call(handle_.get(), function.c_str(), raw.data(), raw.size())) fail();
    return outputs();
  }
  /* Calls a function and puts its outputs into memory of the caller, see halyard_instance_call_into: without a copy where it
   * starts at a multiple of 64 bytes and sizes are static. `{}` leaves an output to the instance. */
  std::vector<tensor_view> call_into(const std::string &function, const std::vector<tensor_view> &inputs,
                                     const std::vector<halyard_buffer_t> &buffers) {
    const std::vector<halyard_tensor_t> raw = of(inputs);
    if (halyard_instance_call_into(handle_.get(), function.c_str(), raw.data(), raw.size(), buffers.data(), buffers.size()))
      fail();
    return outputs();
  }
  /* A state; valid until a state is requested again. */
  tensor_view state(const std::string &name) {
    halyard_tensor_t t;
    if (halyard_instance_state(handle_.get(), name.c_str(), &t)) fail();
    return tensor_view(t);
  }
  void set_state(const std::string &name, const tensor_view &value) {
    const halyard_tensor_t t = value.c();
    if (halyard_instance_set_state(handle_.get(), name.c_str(), &t)) fail();
  }
  /* Gives all states their initial values. */
  void reset_states() {
    if (halyard_instance_reset_state(handle_.get(), nullptr)) fail();
  }

private:
  static std::vector<halyard_tensor_t> of(const std::vector<tensor_view> &tensors) {
    std::vector<halyard_tensor_t> raw;
    for (const tensor_view &t : tensors) raw.push_back(t.c());
    return raw;
  }
  std::vector<tensor_view> outputs() const {
    std::vector<tensor_view> found;
    for (std::size_t i = 0; i < halyard_instance_output_count(handle_.get()); ++i) {
      halyard_tensor_t t;
      if (halyard_instance_output(handle_.get(), i, &t)) fail();
      found.emplace_back(t);
    }
    return found;
  }
  std::unique_ptr<halyard_instance_t, void (*)(halyard_instance_t *)> handle_;
};

} // namespace halyard

#endif
