"""The fixtures, in test runs of their own: as pytest finds them, beside other plugins, and in several processes."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

#: A suite as a user writes it who has read the README.
SUITE = """
    import asyncio
    from datetime import timedelta

    import pytest
    import rowhaul as rh

    REQUEST = rh.agents.Events(search_queries=["jazz berlin"], max_results=10)

    def pipeline(client):
        return client.run(REQUEST).to_dicts()

    def test_pays_once(rowhaul_service, rowhaul_client):
        assert len(pipeline(rowhaul_client)) == 10
        assert len(rowhaul_service.charges) == 1

    def test_a_lost_connection_is_survived_and_paid_once(rowhaul_service, rowhaul_client):
        rowhaul_service.inject("results", rh.faults.Reset(), times=2)
        assert len(pipeline(rowhaul_client)) == 10
        assert len(rowhaul_service.charges) == 1

    @pytest.mark.rowhaul(clock="manual", job_seconds=7200)
    def test_two_hours_take_no_time(rowhaul_service, rowhaul_client):
        job = rowhaul_client.start(REQUEST)
        assert job.refresh().status == "queued"
        rowhaul_service.advance(timedelta(hours=2))
        assert len(job.rows()) == 10

    @pytest.mark.rowhaul(balance_usd=0)
    def test_an_empty_balance_is_told(rowhaul_client):
        with pytest.raises(rh.errors.InsufficientBalance):
            pipeline(rowhaul_client)

    @pytest.mark.rowhaul(faults=[("run", rh.faults.Fail("blocked"))])
    def test_a_failed_job_is_told(rowhaul_client):
        with pytest.raises(rh.errors.JobFailed, match="blocked"):
            pipeline(rowhaul_client)

    @pytest.mark.rowhaul(faults=[{"on": "results", "fault": rh.faults.Status(503), "times": 2}], seed=7)
    class TestSeeded:
        def test_faults_may_be_told_by_name(self, rowhaul_service, rowhaul_client):
            assert len(pipeline(rowhaul_client)) == 10
            assert [request.fault for request in rowhaul_service.requests].count("status") == 2

        @pytest.mark.rowhaul(faults=[])
        def test_the_nearest_marker_says(self, rowhaul_service, rowhaul_client):
            pipeline(rowhaul_client)
            assert not any(request.fault for request in rowhaul_service.requests)

    def test_the_async_client_needs_no_plugin(rowhaul_service, rowhaul_async_client):
        async def both():
            return await asyncio.gather(rowhaul_async_client.run(REQUEST), rowhaul_async_client.balance())

        rows, balance = asyncio.run(both())
        assert len(rows) == 10
"""


def test_a_users_suite_passes_with_all_warnings_as_errors(pytester):
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-W", "error", "--strict-markers", "--strict-config")
    done.assert_outcomes(passed=8)


@pytest.mark.parametrize(("page", "count"), [("README.md", 4), ("docs/local-service.md", 5)])
def test_the_suites_of_the_readme_and_the_docs_pass_and_take_no_time(pytester, page, count):
    text = (Path(__file__).parent.parent / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(next(block for block in blocks if "rowhaul_service" in block))
    done = pytester.runpytest_subprocess("-W", "error", "--durations=0", "--durations-min=1.0")
    done.assert_outcomes(passed=count)
    # Not one part of a test took a second, so that the whole suite has its two.
    done.stdout.no_fnmatch_line("*s call *")


def test_a_users_suite_passes_in_several_processes_at_once(pytester):
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=8)


def test_async_tests_use_it_under_anyio(pytester):
    pytester.makepyfile(
        """
        import pytest
        import rowhaul as rh

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_awaited(rowhaul_service, rowhaul_async_client):
            rows = await rowhaul_async_client.run("events/events", {"searchQueries": ["jazz"], "maxResults": 3})
            assert len(rows) == 3
        """
    )
    pytest.importorskip("anyio")
    pytester.runpytest_subprocess("-W", "error").assert_outcomes(passed=1)


def test_each_test_has_a_service_of_its_own(pytester):
    pytester.makepyfile(
        """
        import pytest

        seen = []

        @pytest.mark.parametrize("turn", range(3))
        def test_nothing_is_left_over(rowhaul_service, rowhaul_client, turn):
            assert rowhaul_service.requests == []
            rowhaul_client.balance()
            assert rowhaul_service.url not in seen
            seen.append(rowhaul_service.url)
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("pytest.mark.rowhaul(sed=7)", "*the marker `rowhaul`*sed*"),
        ("pytest.mark.rowhaul(7)", "*takes its options by name*"),
        (
            "pytest.mark.rowhaul(faults=[rh.faults.Reset()])",
            "*Reset*stands alone: a fault is a pair of operation and fault",
        ),
        ('pytest.mark.rowhaul(faults=[("run", "reset")])', "*a fault is one of rowhaul.faults*Reset*"),
        ('pytest.mark.rowhaul(clock="slow")', "*`clock` is `real`, `instant` or `manual`*"),
    ],
)
def test_a_marker_that_says_what_there_is_not_is_told(pytester, marker, message):
    pytester.makepyfile(f"import pytest\nimport rowhaul as rh\n\n@{marker}\ndef test_it(rowhaul_service): ...\n")
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([message])


def test_the_marker_and_the_fixtures_are_explained(pytester):
    pytester.runpytest_subprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.rowhaul(*"])
    done = pytester.runpytest_subprocess("--fixtures")
    done.stdout.fnmatch_lines_random(["rowhaul_service*", "rowhaul_client*", "rowhaul_async_client*"])


def test_it_can_be_switched_off(pytester):
    pytester.makepyfile("def test_it(rowhaul_service): ...")
    done = pytester.runpytest_subprocess("-p", "no:rowhaul")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*fixture 'rowhaul_service' not found*"])


def test_a_run_that_does_not_use_it_does_not_load_the_core(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_it(request):
            assert request.config.pluginmanager.has_plugin("rowhaul")
            loaded = {name for name in sys.modules if name.startswith("rowhaul")}
            assert loaded == {"rowhaul", "rowhaul._lazy", "rowhaul.pytest_plugin"}
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_every_public_name_is_there_at_first_use_and_listed_before():
    code = """
        import sys
        import rowhaul
        assert "rowhaul._core" not in sys.modules
        assert set(rowhaul.__all__) <= set(dir(rowhaul))
        for name in rowhaul.__all__:
            getattr(rowhaul, name)
        rowhaul.service.Charge
        try:
            rowhaul.nothing
        except AttributeError as error:
            assert "nothing" in str(error)
        else:
            raise SystemExit("rowhaul.nothing is something")
        from rowhaul import *
        Client, read_json, faults
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
