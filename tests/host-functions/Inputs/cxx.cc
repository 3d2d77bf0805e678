// A module in C++: functions are lambdas without captures; what is thrown is caught.
#include <halyard/module.h>

#include <exception>
#include <numeric>
#include <stdexcept>

static const hal_function_entry_t functions[] = {
    {"sum", "(tensor<*xf32>) -> f32",
     [](hal_call_t *call, void *) -> int {
       try {
         const hal_tensor_t &x = call->inputs[0];
         const float *data = static_cast<const float *>(x.data);
         int64_t count = std::accumulate(x.shape, x.shape + x.rank, int64_t{1}, std::multiplies<int64_t>());
         float sum = std::accumulate(data, data + count, 0.0f);
         if (sum < 0) throw std::domain_error("the sum is negative");
         *static_cast<float *>(call->results[0].data) = sum;
         return 0;
       } catch (const std::exception &e) { return hal_fail(call, "%s", e.what()); }
     }},
};
HAL_MODULE(cxx, 1, functions)
