"""Exceptions: what failed, where, and what to do next, as the tools say it."""

from __future__ import annotations


class Error(Exception):
    """Anything that Halyard refuses. `code` is a stable name, listed in docs/errors.md, or None."""

    code: str | None = None


class InputError(Error, ValueError):
    """A model or a tensor was rejected, or a check of the program failed."""


class UsageError(Error, ValueError):
    """Something impossible was asked for."""


class ArgumentError(UsageError, TypeError):
    """A call with inputs that the function does not have, or without some that it has."""


class ResourceError(Error, OSError):
    """A file, a device, memory or a program that is needed is not there."""


class ToolError(Error, RuntimeError):
    """A tool, a kernel or a host function failed or misbehaved."""


class HalyardWarning(UserWarning):
    """What a tool warns of."""
