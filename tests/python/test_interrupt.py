"""An interrupt ends a kernel of the CPU device that would run for ever, and the program can go on."""

import os
import signal
import subprocess
import sys

import pytest

FOREVER = """
import numpy as np
from pykc import cuda

@cuda.jit
def forever(x):
    while x[0] > 0:
        x[1] += 1
"""


def test_control_c(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(FOREVER + """
try:
    print("runs", flush=True)
    forever[1, 1](np.ones(2))
except KeyboardInterrupt:
    x = np.zeros(2)
    forever[1, 1](x)
    print("goes on")
""")
    with subprocess.Popen([sys.executable, "-m", "pykc", str(script)], stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"PYKC_DEVICE": "cpu"}) as process:
        try:
            assert process.stdout.readline() == "runs\n"
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=20)[0] == "goes on\n" and process.returncode == 0
        finally:
            process.kill()


def test_a_notebooks_interrupt(monkeypatch):
    manager = pytest.importorskip("jupyter_client.manager")
    monkeypatch.setenv("PYKC_DEVICE", "cpu")
    kernel, client = manager.start_new_kernel(kernel_name="python3")

    def run(cell):
        return client.execute_interactive(cell, timeout=20, output_hook=interrupt_where_it_prints)["content"]

    def interrupt_where_it_prints(message):
        if message["msg_type"] == "stream":
            kernel.interrupt_kernel()

    try:
        assert run("%load_ext pykc\n" + FOREVER)["status"] == "ok"
        assert run("print('runs', flush=True)\nforever[1, 1](np.ones(2))")["ename"] == "KeyboardInterrupt"
        assert run("forever[1, 1](np.zeros(2))")["status"] == "ok"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


def test_the_descriptor_of_others_is_left_alone():
    program = ("import os, signal; mine = os.pipe()[1]; os.set_blocking(mine, False); signal.set_wakeup_fd(mine)\n"
               "from pykc._interrupt import stop_kernels_on_interrupt as stop; stop()\n"
               "assert signal.set_wakeup_fd(-1) == mine")
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
