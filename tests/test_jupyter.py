"""In a notebook: a top-level `await` and a blocking call both work, and an interrupt ends either."""

import pytest
from jupyter_client.manager import start_new_kernel

SETUP = """
import rowhaul as rh
client, awaited = rh.Client({url!r}, {key!r}), rh.AsyncClient({url!r}, {key!r})
"""
RUN = {
    "sync": "client.run('events/events', {'searchQueries': ['x'], 'maxResults': 1})",
    "async": "await awaited.run('events/events', {'searchQueries': ['x'], 'maxResults': 1})",
}


@pytest.fixture
def notebook(held):
    """Give a kernel with both clients of a service whose time stands still, and its manager."""
    manager, kernel = start_new_kernel(kernel_name="python3")
    try:
        setup = kernel.execute_interactive(SETUP.format(url=held.url, key=held.api_key), timeout=30)
        assert setup["content"]["status"] == "ok"
        yield kernel, manager
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", RUN)
def test_an_interrupt_ends_a_run_and_the_kernel_goes_on(held, notebook, mode):
    kernel, manager = notebook
    # By default a kernel drops what is asked of it right after a failure; the question below may come that soon.
    kernel.execute(RUN[mode], stop_on_error=False)
    while not any(request.method == "GET" and "/jobs/" in request.path for request in held.requests):
        kernel.is_alive()
    manager.interrupt_kernel()
    reply = kernel.get_shell_msg(timeout=10)["content"]
    assert (reply["status"], reply["ename"]) in {("error", "KeyboardInterrupt"), ("error", "CancelledError")}
    again = kernel.execute_interactive(
        "assert " + ("await awaited" if mode == "async" else "client") + ".balance() == 100"
    )
    assert again["content"]["status"] == "ok"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", RUN)
def test_without_tqdm_a_run_shows_one_display_that_is_updated_and_empty_at_the_end(notebook, mode):
    kernel, _ = notebook
    shown = []

    def see(message):
        if message["msg_type"] in {"display_data", "update_display_data"}:
            content = message["content"]
            shown.append((content["transient"]["display_id"], content["data"]["text/plain"]))

    waits = RUN[mode].replace("})", "}, timeout=1.2)")
    code = f"import sys; sys.modules['tqdm'] = None\ntry:\n    {waits}\nexcept rh.errors.JobTimeout:\n    pass"
    assert kernel.execute_interactive(code, output_hook=see, timeout=30)["content"]["status"] == "ok"
    assert len({display for display, _ in shown}) == 1
    assert any(text.startswith("queued: asked") for _, text in shown)
    assert shown[-1][1] == ""


@pytest.mark.filterwarnings("ignore")
def test_tab_completes_the_names_of_columns(notebook):
    kernel, _ = notebook
    kernel.execute_interactive("""rows = rh.read_json(b'[{"city": "x", "start date": "y"}]')""", timeout=30)
    kernel.complete("rows['")
    while (reply := kernel.get_shell_msg(timeout=10))["msg_type"] != "complete_reply":
        pass
    assert {"city", "start date"} <= {match.strip("'\"]") for match in reply["content"]["matches"]}
