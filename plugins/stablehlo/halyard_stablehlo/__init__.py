"""Programs in StableHLO, as JAX and PyTorch export them, as upstream MLIR that hal-import takes."""

__version__ = "1.0"
