"""A service for every test, found by pytest by itself: `rowhaul_service`, `rowhaul_client`, `rowhaul_async_client`.

    def test_my_pipeline_pays_once(rowhaul_service, rowhaul_client):
        my_pipeline(rowhaul_client)
        assert len(rowhaul_service.charges) == 1

Each test has a service of its own on a free port, so tests neither see each other nor mind how many processes run them.
Its jobs are completed at once; `@pytest.mark.rowhaul(...)` says otherwise, with the options of `LocalService`, and with
the faults that are to happen:

    @pytest.mark.rowhaul(clock="manual", job_seconds=7200, faults=[("status", rh.faults.Status(503))])

A fault is a pair of operation and fault, or a mapping of what `LocalService.inject` takes. The marker may stand on a
test, a class or a module (`pytestmark`); the nearest one says what an option is.

Nothing of rowhaul is imported before a test asks for one of the fixtures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._async_client import AsyncClient
    from ._client import Client
    from .service import LocalService


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "rowhaul(faults=[(operation, fault), ...], **options): what the service of `rowhaul_service` is started with; "
        "the options are those of `rowhaul.LocalService`",
    )


@pytest.fixture
def rowhaul_service(request: pytest.FixtureRequest) -> Iterator[LocalService]:
    """Give a `LocalService` of the test's own, whose jobs are completed at once unless the marker says otherwise."""
    from .service import LocalService

    options: dict[str, Any] = {"clock": "instant"}
    for marker in reversed(list(request.node.iter_markers("rowhaul"))):
        if marker.args:
            pytest.fail("the marker `rowhaul` takes its options by name, such as rowhaul(seed=7)", pytrace=False)
        options.update(marker.kwargs)
    faults = options.pop("faults", ())
    try:
        service = LocalService(**options)
    except TypeError as error:
        pytest.fail(f"the marker `rowhaul`: {error}", pytrace=False)
    with service:
        for fault in faults:
            if not isinstance(fault, (dict, tuple, list)):
                pytest.fail(
                    f"the marker `rowhaul`: {fault!r} stands alone: a fault is a pair of operation and fault",
                    pytrace=False,
                )
            service.inject(**fault) if isinstance(fault, dict) else service.inject(*fault)
        yield service


@pytest.fixture
def rowhaul_client(rowhaul_service: LocalService) -> Iterator[Client]:
    """Give a `Client` of `rowhaul_service`."""
    with rowhaul_service.client() as client:
        yield client


@pytest.fixture
def rowhaul_async_client(rowhaul_service: LocalService) -> Iterator[AsyncClient]:
    """Give an `AsyncClient` of `rowhaul_service`, for `asyncio.run` or the test runner of your choice."""
    client = rowhaul_service.async_client()
    yield client
    # Closing drops the connections at once. The test's event loop, which `close` would be awaited in, may be gone.
    client._core.close()  # noqa: SLF001
