"""What a user should know without being stopped. Each is a warning of Python's, to be filtered like any other."""

from __future__ import annotations


class RowhaulWarning(UserWarning):
    """Any warning of this package."""


class UnboundedCost(RowhaulWarning):
    """A run without a cap that may bring any number of rows, each of which is billed. Said once for a client and agent."""


class JobsLeftRunning(RowhaulWarning):
    """`iter_many` was closed before its end: jobs that were started go on at the service and are billed."""


class LedgerWarning(RowhaulWarning, RuntimeWarning):
    """Something was paid for that the ledger does not hold, or that will go away."""
