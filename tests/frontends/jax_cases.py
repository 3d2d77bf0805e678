"""All programs in JAX."""

import jax_arrays  # noqa: F401
import jax_math  # noqa: F401
import jax_models  # noqa: F401
from jax_inputs import CASES  # noqa: F401
